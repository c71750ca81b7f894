/** Numbers against turns, as lines in a box. */
import type { History } from "./history";

/** A line: a place for each turn that has a number. */
export interface Series {
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly least: number;
  readonly most: number;
}

/** The score after each turn that is kept; x counts turns. */
export function scores(history: History): Series {
  return seriesOf(history.turns.map((turn) => turn.score));
}

/** A line through what is known. */
export function seriesOf(values: readonly (number | undefined)[]): Series {
  const points = values.flatMap((value, at) => (value === undefined ? [] : [[at, value] as const]));
  const ys = points.map(([, y]) => y);
  return { points, least: ys.length === 0 ? 0 : Math.min(...ys), most: ys.length === 0 ? 0 : Math.max(...ys) };
}

/** The `d` of an SVG path in a box of this size; a flat line lies in the middle. */
export function pathOf(series: Series, width: number, height: number): string {
  const last = series.points.at(-1)?.[0] ?? 0;
  const first = series.points[0]?.[0] ?? 0;
  const wide = Math.max(1, last - first);
  const high = series.most - series.least;
  return series.points
    .map(([x, y], at) => {
      const px = ((x - first) / wide) * width;
      const py = high === 0 ? height / 2 : height - ((y - series.least) / high) * height;
      return `${at === 0 ? "M" : "L"}${round(px)} ${round(py)}`;
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
