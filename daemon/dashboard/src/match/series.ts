/** Scores as the series of a chart. */
import type { Plot } from "../ui/chart";
import type { Change, ScoreAt } from "./changes";
import { isAfter, type Moment } from "./history";

/** A team's turns, and how its line looks. */
export interface Contestant {
  readonly name: string;
  readonly colour: string;
  readonly dashed?: boolean;
  readonly turns: readonly ScoreAt[];
}

/** Lines over the same turns. */
export interface Race {
  readonly turns: readonly Moment[];
  readonly plots: readonly Plot[];
}

/** The scores of all contestants over the turns of which at least one score is known, in order. */
export function race(contestants: readonly Contestant[]): Race {
  const key = ({ round, step }: Moment): string => `${round}:${step}`;
  const known = contestants.map(({ turns }) => turns.filter((turn) => turn.score !== undefined));
  const all = new Map(known.flat().map((turn) => [key(turn), { round: turn.round, step: turn.step }]));
  const turns = [...all.values()].sort((a, b) => (isAfter(a, b) ? 1 : -1));
  const plots = contestants.map(({ name, colour, dashed = false }, at) => {
    const scores = new Map(known[at]?.map((turn) => [key(turn), turn.score]));
    return { name, colour, dashed, values: turns.map((turn) => scores.get(key(turn))) };
  });
  return { turns, plots };
}

/** The sums over the rounds that are over, one x for each round. */
export function roundRace(contestants: readonly { name: string; colour: string; dashed?: boolean; rounds: readonly number[] }[]): Race {
  const most = Math.max(0, ...contestants.map(({ rounds }) => rounds.length));
  const turns = Array.from({ length: most }, (_, round) => ({ round, step: 0 }));
  const plots = contestants.map(({ name, colour, dashed = false, rounds }) => {
    let sum = 0;
    return { name, colour, dashed, values: turns.map((_, round) => (rounds[round] === undefined ? undefined : (sum += rounds[round]))) };
  });
  return { turns, plots };
}

/** Where the changes that decide a match are on the race: leads, strategies, alerts. */
export function raceMarks({ turns }: Race, changes: readonly Change[], kinds: (change: Change) => string | undefined): { x: number; colour: string; text: string }[] {
  const steps = new Map(turns.map((turn, at) => [momentText(turn), at]));
  return changes.flatMap((change) => {
    const [x, colour] = [steps.get(momentText(change)), kinds(change)];
    return x === undefined || colour === undefined ? [] : [{ x, colour, text: [change.agent || change.team, change.text].filter((text) => text !== "").join(" ") }];
  });
}

/** The race in one sentence, for screen readers. */
export function raceText({ turns, plots }: Race, what = "turns"): string {
  const ends = plots.map(({ name, values }) => `${name} from ${values.find((value) => value !== undefined) ?? "unknown"} to ${values.findLast((value) => value !== undefined) ?? "unknown"}`);
  return `Score over ${turns.length} ${what}: ${ends.join(", ")}`;
}

/** `3:120`: round and step. */
export function momentText(moment: Moment | undefined): string {
  return moment === undefined ? "–" : `${moment.round}:${moment.step}`;
}
