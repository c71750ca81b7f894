/** Figures that each turn of a team's history has; plots of them reach back to its first turn. */
import { isBad, type Outcome, type TurnRecord } from "../match/history";
import type { About, Sample } from "./samples";

interface TurnFigure extends About {
  readonly name: string;
  readonly of: (turn: TurnRecord) => number | undefined;
}

const count = (turn: TurnRecord, outcome: Outcome): number => [...turn.parts.values()].filter((part) => part.outcome === outcome).length;

/** All of them. */
export const TURN_FIGURES: readonly TurnFigure[] = [
  { name: "score", unit: "points", doc: "The team's score after the turn.", of: ({ score }) => score },
  { name: "script time", unit: "ms", doc: "Time of all scripts in the turn.", of: ({ spent }) => spent },
  { name: "slowest agent", unit: "ms", doc: "The longest time that a script took for one agent.", of: (turn) => longest(turn) },
  { name: "decided answers", unit: "answers", doc: "Answers that scripts decided.", of: (turn) => count(turn, "decided") },
  { name: "ordered answers", unit: "answers", doc: "Answers that operators ordered.", of: (turn) => count(turn, "ordered") },
  { name: "fallbacks", unit: "answers", doc: "Answers for which no script decided in time.", of: (turn) => count(turn, "fallback") },
  { name: "late answers", unit: "answers", doc: "Answers that came after their deadline.", of: (turn) => count(turn, "late") },
  { name: "answers in time", unit: "%", doc: "Share of the answers that were neither late nor a fallback.", of: (turn) => (turn.parts.size === 0 ? undefined : ([...turn.parts.values()].filter((part) => !isBad(part)).length / turn.parts.size) * 100) },
  { name: "script errors", unit: "errors", doc: "Errors of the scripts.", of: ({ errors }) => errors },
];

function longest(turn: TurnRecord): number | undefined {
  const times = [...turn.parts.values()].flatMap(({ spent }) => (spent === undefined ? [] : [spent]));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** One figure of all turns. */
export function turnSeries(turns: readonly TurnRecord[], name: string): Sample[] {
  const figure = TURN_FIGURES.find((known) => known.name === name);
  return turns.flatMap((turn) => {
    const value = figure?.of(turn);
    return value === undefined ? [] : [{ round: turn.round, step: turn.step, value }];
  });
}
