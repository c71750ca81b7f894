import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ArenaSchema, ArenaVerdictSchema, type ArenaVerdict } from "../gen/phalanx/v1/arenas_pb";
import { entrants, progress, stepText, Verdicts } from "./contest";
import type { Moment } from "./history";

function verdict(step: number, score: number): ArenaVerdict {
  return create(ArenaVerdictSchema, { round: 1, step, scores: [{ team: "A", rounds: [BigInt(score)] }] });
}

/** The line of team A, whose daemon keeps these turns, after these verdicts of the referee. */
function line(kept: readonly [step: number, score: number][], reported: readonly [step: number, score: number][]): string {
  const verdicts = new Verdicts();
  for (const [step, score] of reported) verdicts.take(verdict(step, score));
  const arena = create(ArenaSchema, { sides: [{ team: "A", agents: ["a1"] }], verdict: verdict(9, 9) });
  const turns = kept.map(([step, score]) => ({ round: 0, step, score }));
  const [team] = entrants([{ name: "A", agents: ["a1"], turns, looked: undefined, roundScores: [] }], arena, verdicts);
  return team?.turns.map(({ step, score }) => `${step}:${score ?? "?"}`).join(" ") ?? "";
}

test.each<[string, [number, number][], [number, number][], string]>([
  ["the referee's steps come before the first turn that the daemon keeps", [[3, 30], [4, 40]], [[1, 10], [2, 20], [3, 31], [4, 41]], "1:10 2:20 3:30 4:40"],
  ["a whole match that the daemon keeps needs no referee", [[1, 10], [2, 20]], [[1, 11]], "1:10 2:20"],
  ["a page that was just opened shows what the referee reported", [[2, 20]], [[1, 10], [2, 21]], "1:10 2:21"],
  ["without a referee there are only the daemon's turns", [[3, 30], [4, 40]], [], "3:30 4:40"],
])("%s", (_, kept, reported, expected) => {
  expect(line(kept, reported)).toBe(expected);
});

test.each<[Moment | undefined, string]>([
  [{ round: 0, step: 27 }, "Step 27"],
  [{ round: 2, step: 1_027 }, "Round 2, step 1,027"],
  [undefined, "Before the match"],
])("a turn is a place in the match: %o", (turn, text) => {
  expect(stepText(turn)).toBe(text);
});

test.each<[string, { turn?: Moment; score?: bigint } | undefined, [number, number | undefined][], string]>([
  ["turns that arrived after the last look", { turn: { round: 0, step: 8 }, score: 5n }, [[8, 5], [9, 6]], "9 with 6"],
  ["a turn that is not over has no score yet", { turn: { round: 0, step: 8 }, score: 5n }, [[9, 6], [10, undefined]], "9 with 6"],
  ["a look after the last turn has the final score", { turn: { round: 0, step: 9 }, score: 7n }, [[8, 5], [9, 6]], "9 with 7"],
  ["turns of the round before say nothing about this one", { turn: { round: 1, step: 0 }, score: 0n }, [[9, 6]], "0 with 0"],
  ["a game without scores", { turn: { round: 0, step: 8 } }, [[9, undefined]], "8 with ?"],
  ["nothing is known", undefined, [], "? with ?"],
])("how far a team is: %s", (_, looked, steps, expected) => {
  const { turn, score } = progress({ looked, turns: steps.map(([step, points]) => ({ round: 0, step, score: points })) });
  expect(`${turn?.step ?? "?"} with ${score ?? "?"}`).toBe(expected);
});
