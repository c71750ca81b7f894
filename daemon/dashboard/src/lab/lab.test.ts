import { expect, test } from "vitest";
import { choiceText, parseChoice } from "./choice";
import { curves } from "./curves";
import { lean, matrix, share } from "./matrix";
import { Pace, timeLeft } from "./pace";
import { steps } from "./steps";

test.each(["ladder:club", "tune:a:b", "league:night 2"])("%s is a choice", (text) => {
  const choice = parseChoice(text);
  expect(choice === undefined ? "" : choiceText(choice)).toBe(text);
});

test.each(["", "ladder", "ladder:", "match:x", ":x"])("%j is no choice", (text) => {
  expect(parseChoice(text)).toBeUndefined();
});

test("a pair is in the matrix twice, once from each side", () => {
  const cells = matrix(3, [{ row: 0, against: 2, wins: 5n, draws: 1n, losses: 2n }, { row: 7, against: 1, wins: 1n, draws: 0n, losses: 0n }]);
  expect(cells[0]?.[2]).toEqual({ won: 5, drawn: 1, lost: 2 });
  expect(cells[2]?.[0]).toEqual({ won: 2, drawn: 1, lost: 5 });
  expect(cells[0]?.[1]).toBeUndefined();
  expect(cells).toHaveLength(3);
});

test("few games colour a cell less than many", () => {
  expect(share({ won: 1, drawn: 2, lost: 1 })).toBe(0.5);
  expect(share({ won: 0, drawn: 0, lost: 0 })).toBe(0.5);
  expect(lean({ won: 1, drawn: 0, lost: 0 })).toBeCloseTo(0.2);
  expect(lean({ won: 40, drawn: 0, lost: 0 })).toBeGreaterThan(0.9);
  expect(lean({ won: 0, drawn: 0, lost: 40 })).toBeLessThan(-0.9);
});

test("a strategy that came late has no rating before, and the chosen one keeps its colour", () => {
  const all = [
    { name: "a@1", points: [{ played: 2n, elo: 1 }, { played: 4n, elo: 2 }] },
    { name: "b@1", points: [{ played: 4n, elo: -2 }] },
  ];
  const { xs, plots } = curves(all, "b@1");
  expect(xs).toEqual([2, 4]);
  expect(plots.map(({ values }) => values)).toEqual([[1, 2], [undefined, -2]]);
  expect(plots.map(({ colour }) => colour)).toEqual(["--rim", "--line-2"]);
  expect(curves(all, "").plots.map(({ colour }) => colour)).toEqual(["--line-1", "--line-2"]);
});

test("the pace is that of the last two minutes, and starts anew with a run", () => {
  const pace = new Pace();
  pace.note(0, 0);
  expect(pace.perMinute()).toBeUndefined();
  for (let at = 10_000; at <= 300_000; at += 10_000) pace.note(at, at / 1_000);
  expect(pace.perMinute()).toBeCloseTo(60);
  pace.note(310_000, 5);
  expect(pace.perMinute()).toBeUndefined();
  expect(timeLeft(30, 60)).toBe("less than a minute left");
  expect(timeLeft(300, 60)).toBe("about 5 min left");
  expect(timeLeft(60 * 60 * 5, 60)).toBe("about 5 h left");
  expect(timeLeft(0, 60)).toBe("");
  expect(timeLeft(5, 0)).toBe("");
});

test("the best so far is a line of steps until now", () => {
  const { xs, lead, low, high } = steps([{ played: 10n, lead: 1 }, { played: 30n, lead: 4, error: 2 }], 50);
  expect(xs).toEqual([10, 29, 30, 50]);
  expect(lead).toEqual([1, 1, 4, 4]);
  expect(low).toEqual([undefined, undefined, 2, 2]);
  expect(high).toEqual([undefined, undefined, 6, 6]);
  expect(steps([], 9).xs).toEqual([]);
  expect(steps([{ played: 10n, lead: 1 }, { played: 11n, lead: 2 }], 11).lead).toEqual([1, 2]);
});
