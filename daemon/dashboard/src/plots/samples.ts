/** Numbers over the turns of a match, in bounded form. */
import type { Moment } from "../match/history";

/** A number and the turn in which it was read. */
export interface Sample extends Moment {
  readonly value: number;
}

/** What is known of a series besides its numbers. */
export interface About {
  /** `ms`, `answers a second`; empty: none, or not known. */
  readonly unit: string;
  readonly doc: string;
}

/** Points of a series, and series, that are kept. */
export const KEEP = { points: 2_000, series: 400 } as const;

/** Series by their names. */
export class Samples {
  private readonly series = new Map<string, { about: About; points: Sample[] }>();

  /** Adds a number; a second one of the same turn replaces the first one. */
  take(name: string, about: About, sample: Sample): void {
    let known = this.series.get(name);
    if (known === undefined) {
      if (this.series.size >= KEEP.series) return;
      known = { about, points: [] };
      this.series.set(name, known);
    }
    const { points } = known;
    const last = points.at(-1);
    if (last?.round === sample.round && last.step === sample.step) points[points.length - 1] = sample;
    else points.push(sample);
    if (points.length > KEEP.points) points.shift();
  }

  clear(): void {
    this.series.clear();
  }

  of(name: string): readonly Sample[] {
    return this.series.get(name)?.points ?? [];
  }

  about(name: string): About | undefined {
    return this.series.get(name)?.about;
  }

  /** The names that begin with this text, without it, in alphabetical order. */
  names(prefix: string): string[] {
    return [...this.series.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)).sort();
  }
}

/** Series on one axis: x counts turns, and goes on where a new round begins. */
export interface Plotted {
  readonly xs: readonly number[];
  /** For each series one value for each x; undefined: not read then. */
  readonly values: readonly (readonly (number | undefined)[])[];
  /** The turn at an x as text: the step, with its round where there are several. */
  readonly text: (x: number) => string;
}

/** Puts series on one axis. */
export function plotted(series: readonly (readonly Sample[])[]): Plotted {
  const last = new Map<number, number>();
  for (const { round, step } of series.flat()) last.set(round, Math.max(last.get(round) ?? 0, step));
  const rounds = [...last.keys()].sort((a, b) => a - b);
  const starts = new Map<number, number>();
  let next = 0;
  for (const round of rounds) {
    starts.set(round, next);
    next += (last.get(round) ?? 0) + 1;
  }
  const at = ({ round, step }: Moment): number => (starts.get(round) ?? 0) + step;
  const xs = [...new Set(series.flat().map(at))].sort((a, b) => a - b);
  return {
    xs,
    values: series.map((some) => {
      const found = new Map(some.map((sample) => [at(sample), sample.value]));
      return xs.map((x) => found.get(x));
    }),
    text: (x) => {
      const round = rounds.findLast((known) => (starts.get(known) ?? 0) <= x) ?? 0;
      const step = x - (starts.get(round) ?? 0);
      return rounds.length > 1 ? `${round}:${step}` : `${step}`;
    },
  };
}
