import { expect, test } from "vitest";
import { resultOf, type Finalist } from "./result";

const team = (name: string, score: bigint | undefined, ...roundScores: bigint[]): Finalist => ({ name, score, roundScores });

test.each<[string, readonly Finalist[], string, string]>([
  ["the higher score wins", [team("A", 3n), team("B", 1200n)], "B wins", "A 3 : B 1,200"],
  ["equal scores are a draw", [team("A", 3n), team("B", 3n)], "Draw", "A 3 : B 3"],
  ["all rounds count", [team("A", 0n, 5n, 0n), team("B", 4n, 0n, 4n)], "A wins", "A 5 : B 4"],
  ["a team that plays alone does not win", [team("A", 7n, 2n, 7n)], "The match is over", "A 9"],
  ["without scores there is no winner", [team("A", undefined), team("B", 1n)], "The match is over", ""],
])("%s", (_, teams, title, scores) => {
  expect(resultOf(teams)).toEqual({ title, scores });
});
