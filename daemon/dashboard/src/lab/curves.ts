/** Ratings over the matches, as lines of a chart. */
import type { Plot } from "../ui/chart";

/** A rating at a time. */
interface Point {
  readonly played: bigint;
  readonly elo: number;
}

/** The ratings of a strategy. */
export interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
}

/** Colours that are told apart, of the style sheet. */
const COLOURS = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6", "--line-7", "--line-8"] as const;
/** Lines in a chart; more cannot be told apart. */
export const CURVES_MAX = COLOURS.length;

/** The chart of these curves. `chosen`: the one that stands out; empty: none does. */
export function curves(shown: readonly Curve[], chosen: string): { xs: number[]; plots: Plot[] } {
  const xs = [...new Set(shown.flatMap(({ points }) => points.map(({ played }) => Number(played))))].sort((a, b) => a - b);
  const at = new Map(xs.map((x, index) => [x, index]));
  const plots = shown.slice(0, CURVES_MAX).map(({ name, points }, index): Plot => {
    const values = new Array<number | undefined>(xs.length).fill(undefined);
    for (const { played, elo } of points) values[at.get(Number(played)) ?? -1] = elo;
    const faint = chosen !== "" && chosen !== name;
    return { name, colour: faint ? "--rim" : (COLOURS[index] ?? "--dim"), values };
  });
  return { xs, plots };
}
