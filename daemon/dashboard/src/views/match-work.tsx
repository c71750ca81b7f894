/** What a team works on: tables that its game declares. */
import { createMemo, For, Index, Show, type JSX } from "solid-js";
import { WorldTone, type WorldColumn, type WorldPlace, type WorldRow, type WorldTable } from "../gen/phalanx/v1/worlds_pb";
import { shortIds } from "../match/names";
import type { Side } from "../state/sides";

/** Rows of a table that are shown. */
const ROWS = 40;

/** The place of a row that was clicked. */
export interface PickedPlace {
  readonly part: string;
  readonly place: WorldPlace;
  readonly text: string;
}

/** Colours of rows, names of the style sheet; tones that say nothing have none. */
const TONES: Readonly<Partial<Record<WorldTone, string>>> = {
  [WorldTone.GOAL]: "--warn",
  [WorldTone.RESOURCE]: "--accent",
  [WorldTone.DANGER]: "--bad",
  [WorldTone.OURS]: "--ours",
  [WorldTone.THEIRS]: "--theirs",
  [WorldTone.OTHER]: "--ordered",
};

/** What is chosen: an agent, or a place on the map. */
interface Picking {
  readonly picked: PickedPlace | undefined;
  readonly pick: (place: PickedPlace | undefined) => void;
  readonly chosen: string;
  readonly choose: (agent: string) => void;
}

/** All tables of a team; nothing where its game has none. */
export function Work(props: { side: Side } & Picking): JSX.Element {
  const tables = createMemo((): readonly WorldTable[] => props.side.world()?.tables ?? []);
  return (
    <Show when={tables().length > 0}>
      <section class="card work" aria-labelledby="work">
        <div class="card-head">
          <h2 id="work">Work of {shortIds(props.side.name)}</h2>
        </div>
        <div class="work-tables" tabIndex={0} role="region" aria-label={`Tables of ${props.side.name}`}>
          <Index each={tables()}>{(table) => <WorkTable own={props.side.own} table={table()} picked={props.picked} pick={props.pick} chosen={props.chosen} choose={props.choose} />}</Index>
        </div>
      </section>
    </Show>
  );
}

function WorkTable(props: { own: boolean; table: WorldTable } & Picking): JSX.Element {
  const figures = createMemo(() => props.table.columns.map((column, at) => isFigure(column, at, props.table.rows)));
  return (
    <table class="list" data-table={props.table.title}>
      <caption>{props.table.title}</caption>
      <thead>
        <tr>
          <Index each={props.table.columns}>
            {(column, at) => (
              <th scope="col" class={figures()[at] === true ? "number" : ""}>
                {column().name}
                <Show when={column().unit !== ""}><span class="unit"> {column().unit}</span></Show>
              </th>
            )}
          </Index>
        </tr>
      </thead>
      <tbody>
        <Index each={props.table.rows.slice(0, ROWS)} fallback={<tr><td class="dim" colSpan={props.table.columns.length}>none now</td></tr>}>
          {(row) => <WorkRow own={props.own} row={row()} figures={figures()} picked={props.picked} pick={props.pick} chosen={props.chosen} choose={props.choose} />}
        </Index>
        <Show when={props.table.rows.length > ROWS}>
          <tr><td class="dim" colSpan={props.table.columns.length}>and {props.table.rows.length - ROWS} more</td></tr>
        </Show>
      </tbody>
    </table>
  );
}

function WorkRow(props: { own: boolean; row: WorldRow; figures: readonly boolean[] } & Picking): JSX.Element {
  const text = (): string => props.row.cells.find((cell) => cell !== "") ?? "";
  const canPick = (): boolean => props.row.agent !== "" || props.row.place !== undefined;
  const isChosen = (): boolean =>
    (props.row.agent !== "" && props.row.agent === props.chosen) ||
    (props.row.place !== undefined && props.picked?.part === props.row.part && props.picked.text === text() && samePlace(props.picked.place, props.row.place));
  const pick = (): void => {
    const { agent, place, part } = props.row;
    const off = isChosen();
    if (agent !== "") props.choose(off ? "" : agent);
    props.pick(off || place === undefined ? undefined : { part, place, text: text() });
  };
  const colour = (): string | undefined => {
    const name = TONES[props.own ? props.row.tone : exchanged(props.row.tone)];
    return name === undefined ? undefined : `var(${name})`;
  };
  return (
    <tr data-pick={canPick() ? "" : undefined} data-chosen={isChosen() ? "" : undefined} style={{ "--tone": colour() }} onClick={() => { if (canPick()) pick(); }}>
      <For each={props.row.cells}>
        {(cell, at) => (
          <td class={props.figures[at()] === true ? "number" : ""} title={cell}>
            <Show when={at() === 0 && canPick()} fallback={shortIds(cell)}>
              <button type="button" class="as-link" aria-pressed={isChosen()} onClick={(event) => { event.stopPropagation(); pick(); }}>
                {cell === "" ? props.row.agent || "show" : shortIds(cell)}
              </button>
            </Show>
          </td>
        )}
      </For>
    </tr>
  );
}

/** A rival's own colour is the page's other one. */
function exchanged(tone: WorldTone): WorldTone {
  if (tone === WorldTone.OURS) return WorldTone.THEIRS;
  return tone === WorldTone.THEIRS ? WorldTone.OURS : tone;
}

/** Whether the cells of a column are numbers, which are easier to compare one below the other. */
function isFigure({ unit }: WorldColumn, at: number, rows: readonly WorldRow[]): boolean {
  const cells = rows.map(({ cells }) => cells[at] ?? "").filter((cell) => cell !== "");
  return cells.length > 0 ? cells.every((cell) => /^[-−+]?[\d.,]+( ?%)?$/.test(cell)) : unit !== "";
}

function samePlace(a: WorldPlace, b: WorldPlace): boolean {
  const [one, other] = [a.place, b.place];
  if (one.case === "node" || other.case === "node") return one.case === other.case && one.value === other.value;
  return one.case === other.case && one.value?.x === other.value?.x && one.value?.y === other.value?.y;
}
