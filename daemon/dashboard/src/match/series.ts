/** Scores as the series of a chart. */
import type { Plot } from "../ui/chart";
import { isAfter, type Moment, type TurnRecord } from "./history";

/** A team's turns, and how its line looks. */
export interface Contestant {
  readonly name: string;
  readonly colour: string;
  readonly dashed?: boolean;
  readonly turns: readonly TurnRecord[];
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

/** The race in one sentence, for screen readers. */
export function raceText({ turns, plots }: Race): string {
  const ends = plots.map(({ name, values }) => `${name} from ${values.find((value) => value !== undefined) ?? "unknown"} to ${values.findLast((value) => value !== undefined) ?? "unknown"}`);
  return `Score over ${turns.length} turns: ${ends.join(", ")}`;
}

/** `3:120`: round and step. */
export function momentText(moment: Moment | undefined): string {
  return moment === undefined ? "–" : `${moment.round}:${moment.step}`;
}
