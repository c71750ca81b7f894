/** A plot over time: figures of turns, numbers that scripts report, values of the board, and metrics of the daemon. */
import { createEffect, createMemo, createSignal, For, Index, on, onCleanup, Show, type JSX } from "solid-js";
import { SOURCES, type LineSpec, type SourceName } from "../layout/layouts";
import { rounded, shortIds } from "../match/names";
import { plotted } from "../plots/samples";
import type { Numbers } from "../state/samples";
import { COLOURS, type Side } from "../state/sides";
import { Chart, type Plot } from "../ui/chart";

/** Colours of lines that are not told apart by their teams. */
const PALETTE = ["--ours", "--theirs", "--accent", "--warn", "--ordered", "--bad", "--good", "--dim"] as const;
/** Names of a source that are listed, and lines of one plot. */
const [LISTED, LINES] = [60, 12];
const HEADINGS: Readonly<Record<SourceName, string>> = {
  turn: "Every turn", metric: "Reported by scripts: metric(name, value)", board: "Values of the board", daemon: "Metrics of the daemon",
};

/** Lines with the same unit, which share a chart. */
interface Group {
  readonly unit: string;
  readonly lines: readonly LineSpec[];
}

/** A plot with its choice of lines. */
export function PlotPanel(props: {
  title: string;
  lines: readonly LineSpec[];
  change: (lines: readonly LineSpec[]) => void;
  sides: readonly Side[];
  numbers: Numbers;
  /** Called while the user looks through all names. */
  browse: (on: boolean) => void;
  /** A replay knows only the figures of turns. */
  live: boolean;
}): JSX.Element {
  const [open, setOpen] = createSignal(false);
  createEffect(on(open, props.browse));
  onCleanup(() => { props.browse(false); });
  const shown = createMemo(() => props.lines.filter((line) => props.live || line.from === "turn"));
  // Numbers without a unit cannot be compared, so each has a chart of its own.
  const groups = createMemo((): readonly Group[] => {
    const found = new Map<string, LineSpec[]>();
    for (const line of shown()) {
      const { unit } = props.numbers.about(line);
      const key = unit === "" ? `${line.from} ${line.name}` : unit;
      found.set(key, [...(found.get(key) ?? []), line]);
    }
    return [...found].map(([, lines]) => ({ unit: lines[0] === undefined ? "" : props.numbers.about(lines[0]).unit, lines }));
  });
  return (
    <section class="card plot" aria-label={props.title}>
      <div class="card-head">
        <h2>{[...new Set(shown().map(({ name }) => name))].join(", ") || props.title}</h2>
        <button type="button" class="quiet" aria-expanded={open()} onClick={() => { setOpen(!open()); }}>
          {open() ? "Close" : "Lines…"}
        </button>
      </div>
      <Show when={open()}>
        <Picker lines={props.lines} change={props.change} sides={props.sides} numbers={props.numbers} live={props.live} />
      </Show>
      <Show when={!open()}>
        <Index each={groups()} fallback={<p class="empty">Choose with “Lines…” what this plot shows.</p>}>
          {(group, at) => <GroupChart group={group()} sides={props.sides} numbers={props.numbers} last={at === groups().length - 1} />}
        </Index>
      </Show>
    </section>
  );
}

function GroupChart(props: { group: Group; sides: readonly Side[]; numbers: Numbers; last: boolean }): JSX.Element {
  const axis = createMemo(() => plotted(props.group.lines.map(props.numbers.of)));
  const many = (): boolean => new Set(props.group.lines.map(({ name }) => name)).size > 1;
  const nameOf = ({ name, side }: LineSpec): string => [many() ? name : "", props.sides.length > 1 ? shortIds(props.sides[side]?.name ?? `rival ${side}`) : ""].filter((part) => part !== "").join(" of ") || name;
  const plots = createMemo((): readonly Plot[] =>
    props.group.lines.map((line, at) => ({
      name: nameOf(line),
      colour: (many() ? PALETTE[at % PALETTE.length] : COLOURS[line.side % COLOURS.length]) ?? "--dim",
      values: axis().values[at] ?? [],
    })),
  );
  const unit = (): string => props.group.unit;
  const text = (value: number): string => rounded(value);
  const label = (): string =>
    props.group.lines
      .map((line, at) => {
        const known = plots()[at]?.values.filter((value) => value !== undefined) ?? [];
        const ends = known.length === 0 ? "no numbers yet" : `${known.length} numbers from ${text(known[0] ?? 0)} to ${text(known.at(-1) ?? 0)} ${unit()}`;
        return `${line.name}${props.sides.length > 1 ? ` of ${props.sides[line.side]?.name ?? ""}` : ""}: ${ends}`;
      })
      .join("; ");
  return (
    <Show when={axis().xs.length > 1} fallback={<p class="empty">The lines begin with the second number that is read.</p>}>
      <Chart label={label()} xs={axis().xs} plots={plots()} xText={axis().text} yText={text} xLabel={props.last ? "step" : undefined} yLabel={unit() || (props.group.lines[0]?.name ?? "")} ends />
    </Show>
  );
}

/** All names, by source; a click adds or removes a line. */
function Picker(props: { lines: readonly LineSpec[]; change: (lines: readonly LineSpec[]) => void; sides: readonly Side[]; numbers: Numbers; live: boolean }): JSX.Element {
  const [text, setText] = createSignal("");
  const [side, setSide] = createSignal(0);
  const isOn = (line: LineSpec): boolean => props.lines.some((known) => same(known, line));
  const toggle = (line: LineSpec, on: boolean): void => { props.change(on ? [...props.lines, line].slice(-LINES) : props.lines.filter((known) => !same(known, line))); };
  const names = (from: SourceName): readonly string[] => {
    // Lines that are chosen stay in the list although their source is silent.
    const chosen = props.lines.filter((line) => line.from === from && line.side === side()).map(({ name }) => name);
    return [...new Set([...chosen, ...props.numbers.names(from, side())])].filter((name) => name.toLowerCase().includes(text().toLowerCase()));
  };
  return (
    <div class="plot-picker">
      <div class="row">
        <label>
          <span class="hidden-label">Search</span>
          <input type="search" placeholder="Search" size={14} value={text()} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <Show when={props.sides.length > 1}>
          <span class="switch" role="group" aria-label="Team of the lines">
            <For each={props.sides}>
              {(one, at) => (
                <button type="button" aria-pressed={at() === side()} style={{ "--colour": `var(${COLOURS[at() % COLOURS.length] ?? "--dim"})` }} onClick={() => setSide(at())}>
                  {shortIds(one.name)}
                </button>
              )}
            </For>
          </span>
        </Show>
      </div>
      <For each={SOURCES.filter((from) => props.live || from === "turn")}>
        {(from) => (
          <fieldset>
            <legend>{HEADINGS[from]}</legend>
            <For each={names(from).slice(0, LISTED)} fallback={<p class="dim">none</p>}>
              {(name) => {
                const line = (): LineSpec => ({ from, name, side: side() });
                const about = (): string => props.numbers.about(line()).unit;
                return (
                  <label class="check" title={props.numbers.about(line()).doc}>
                    <input type="checkbox" checked={isOn(line())} onChange={(event) => { toggle(line(), event.currentTarget.checked); }} />
                    {name}
                    <Show when={about() !== ""}><span class="dim">{about()}</span></Show>
                  </label>
                );
              }}
            </For>
            <Show when={names(from).length > LISTED}><p class="dim">and {names(from).length - LISTED} more: search for them</p></Show>
          </fieldset>
        )}
      </For>
    </div>
  );
}

function same(a: LineSpec, b: LineSpec): boolean {
  return a.from === b.from && a.name === b.name && a.side === b.side;
}
