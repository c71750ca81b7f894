/** Agents × turns: the outcome of each decision. Red marks late and fallback answers. */
import { createEffect, createSignal, For, Show, type JSX } from "solid-js";
import { isBad, OUTCOMES, type Outcome } from "../match/history";
import { spotAt, spotText, stripOf, stripText, type Spot, type Strip } from "../match/strip";
import { useCockpit } from "../state/cockpit";
import { useTheme } from "../state/theme";
import { surface, type Surface } from "./canvas";

/** A cell in CSS pixels. */
const CELL = { width: 8, height: 13 } as const;
const NAMES = 86;

const DARK: Readonly<Record<Outcome, string>> = {
  decided: "#2f5d62",
  ordered: "#7d6bd0",
  held: "#5b6570",
  fallback: "#e0962b",
  late: "#f0392f",
};
const LIGHT: Readonly<Record<Outcome, string>> = {
  decided: "#9cc5bf",
  ordered: "#7b68cf",
  held: "#a3abb3",
  fallback: "#d98000",
  late: "#d3160b",
};

/** The strip with its legend; arrow keys move, Enter opens the turn. */
export function HeatStrip(): JSX.Element {
  const cockpit = useCockpit();
  const theme = useTheme();
  const [spot, setSpot] = createSignal<Spot>();
  const [strip, setStrip] = createSignal<Strip>({ agents: [], turns: [] });
  const colours = (): Readonly<Record<Outcome, string>> => (theme.dark() ? DARK : LIGHT);
  let shown: Surface | undefined;

  const bind = (canvas: HTMLCanvasElement): void => {
    const made = surface(canvas, (pen, size) => {
      const now = stripOf(cockpit.history, Math.floor((size.width - NAMES) / CELL.width));
      setStrip(now);
      paint(pen, now, colours(), theme.dark(), spot());
    });
    shown = made;
    createEffect(() => {
      cockpit.version();
      spot();
      theme.dark();
      made.ask();
    });
  };
  const height = (): string => `${Math.max(1, strip().agents.length) * CELL.height + 2}px`;
  const hit = (event: MouseEvent & { currentTarget: HTMLCanvasElement }): Spot | undefined => {
    const box = event.currentTarget.getBoundingClientRect();
    return spotAt(strip(), event.clientX - box.left - NAMES, event.clientY - box.top, CELL);
  };
  const open = (): void => {
    const at = spot();
    const [agent, turn] = at === undefined ? [] : [strip().agents[at.row], strip().turns[at.column]];
    if (agent !== undefined && turn !== undefined) {
      cockpit.go({ view: "agents", agent, turn: { round: turn.round, step: turn.step } });
    }
  };
  const key = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (event.key === "Enter") open();
    else if (step !== undefined) {
      event.preventDefault();
      const at = spot() ?? { row: 0, column: strip().turns.length - 1 };
      setSpot({
        row: clamp(at.row + (step[0] ?? 0), strip().agents.length),
        column: clamp(at.column + (step[1] ?? 0), strip().turns.length),
      });
    }
  };
  return (
    <div class="heat">
      <canvas
        ref={bind}
        class="heat-strip"
        style={{ height: height() }}
        tabIndex={0}
        role="img"
        aria-label={stripText(strip())}
        onMouseMove={(event) => setSpot(hit(event))}
        onMouseLeave={() => { setSpot(undefined); }}
        onClick={open}
        onKeyDown={key}
        onBlur={() => {
          setSpot(undefined);
          shown?.ask();
        }}
      />
      <p class="heat-foot">
        <span class="legend" aria-label="Colours">
          <For each={OUTCOMES}>
            {(outcome) => (
              <span class="legend-entry">
                <span class="swatch" data-outcome={outcome} aria-hidden="true" /> {outcome}
              </span>
            )}
          </For>
        </span>
        <span class="heat-spot" aria-live="polite">
          <Show when={spot()}>{(at) => spotText(strip(), at())}</Show>
        </span>
      </p>
    </div>
  );
}

function clamp(value: number, count: number): number {
  return Math.min(Math.max(0, value), Math.max(0, count - 1));
}

function paint(
  pen: CanvasRenderingContext2D,
  strip: Strip,
  colours: Readonly<Record<Outcome, string>>,
  dark: boolean,
  spot: Spot | undefined,
): void {
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  for (const [row, agent] of strip.agents.entries()) {
    pen.fillStyle = dark ? "#aab4bc" : "#4a545c";
    pen.fillText(short(agent), 0, row * CELL.height + CELL.height / 2 + 0.5, NAMES - 6);
    for (const [column, turn] of strip.turns.entries()) {
      const part = turn.parts.get(agent);
      if (part === undefined) continue;
      pen.fillStyle = colours[part.outcome];
      // Bad outcomes are larger too, so that colour is not the only difference.
      const rim = isBad(part) ? 0 : 1;
      pen.fillRect(NAMES + column * CELL.width + rim / 2, row * CELL.height + rim, CELL.width - rim, CELL.height - 2 * rim);
    }
  }
  if (spot !== undefined) {
    pen.strokeStyle = dark ? "#fff" : "#000";
    pen.lineWidth = 1.5;
    pen.strokeRect(NAMES + spot.column * CELL.width, spot.row * CELL.height, CELL.width, CELL.height);
  }
}

function short(name: string): string {
  return name.length <= 13 ? name : `${name.slice(0, 12)}…`;
}
