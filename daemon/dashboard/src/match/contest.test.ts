import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ArenaSchema, ArenaVerdictSchema, type ArenaVerdict } from "../gen/phalanx/v1/arenas_pb";
import { entrants, stepText, Verdicts } from "./contest";
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
  const [team] = entrants([{ name: "A", agents: ["a1"], turns, score: undefined, roundScores: [] }], arena, verdicts);
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
