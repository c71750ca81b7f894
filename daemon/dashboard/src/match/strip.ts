/** The heat strip: agents × turns, as a picture and as words. */
import { counts, OUTCOMES, type History, type TurnRecord } from "./history";
import { millis } from "./names";

/** One cell: which agent, which turn. */
export interface Spot {
  readonly row: number;
  readonly column: number;
}

/** What the strip shows. */
export interface Strip {
  readonly agents: readonly string[];
  readonly turns: readonly TurnRecord[];
}

/** The last turns that fit. */
export function stripOf(history: History, columns: number): Strip {
  return { agents: [...history.agents].sort(byNumber), turns: history.turns.slice(-Math.max(1, columns)) };
}

/** `a2` before `a10`. */
export const byNumber = new Intl.Collator("en", { numeric: true }).compare;

/** The cell below a pixel; undefined beside the strip. */
export function spotAt(strip: Strip, x: number, y: number, cell: { width: number; height: number }): Spot | undefined {
  const [row, column] = [Math.floor(y / cell.height), Math.floor(x / cell.width)];
  const inside = row >= 0 && column >= 0 && row < strip.agents.length && column < strip.turns.length;
  return inside ? { row, column } : undefined;
}

/** The strip in one sentence, for screen readers. */
export function stripText(strip: Strip): string {
  const found = counts(strip.turns);
  const parts = OUTCOMES.filter((outcome) => found[outcome] > 0).map((outcome) => `${found[outcome]} ${outcome}`);
  const what = parts.length === 0 ? "nothing yet" : parts.join(", ");
  return `Last ${strip.turns.length} turns of ${strip.agents.length} agents: ${what}`;
}

/** One cell in words. */
export function spotText(strip: Strip, spot: Spot): string {
  const [agent, turn] = [strip.agents[spot.row], strip.turns[spot.column]];
  if (agent === undefined || turn === undefined) return "";
  const part = turn.parts.get(agent);
  const where = `${agent}, turn ${turn.round}:${turn.step}`;
  if (part === undefined) return `${where}: not asked`;
  const spent = part.spent === undefined ? "" : ` in ${millis(part.spent)}`;
  return [`${where}: ${part.outcome}${spent}`, part.action, part.reason].filter((text) => text !== "").join(" · ");
}
