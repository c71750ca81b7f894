import { expect, test } from "vitest";
import { newestChanges, scoreChanges, type ScoreAt } from "./changes";
import type { Entry } from "./history";

/** Scores turn by turn. */
const turns = (...scores: (number | undefined)[]): ScoreAt[] => scores.map((score, step) => ({ round: 0, step, score }));
const line = (id: number, step: number, text: string, more: Partial<Entry> = {}): Entry => ({ id, agent: "", round: 0, step, level: "info", topic: "match", text, ...more });
const said = (changes: readonly { step: number; team: string; text: string }[]): string[] => changes.map(({ step, team, text }) => `${step} ${team} ${text}`);

test("a score that moves rarely is reported step by step", () => {
  expect(said(scoreChanges([{ name: "A", turns: turns(0, 0, 4, 4, 4, 4, 1, 1) }]))).toEqual(["2 A scores 4, has 4", "6 A loses 3, has 1"]);
});

test("of a score that moves all the time, the round numbers are reported", () => {
  const always = Array.from({ length: 40 }, (_, step) => step * 7);
  expect(said(scoreChanges([{ name: "A", turns: turns(...always) }]))).toEqual(["2 A reaches 10", "3 A reaches 20", "5 A reaches 30", "6 A reaches 40", "8 A reaches 50", "9 A reaches 60", "10 A reaches 70", "12 A reaches 80", "13 A reaches 90", "15 A reaches 100", "29 A reaches 200"]);
});

test("a new round begins without a step of the score", () => {
  const both = [...turns(5, 5), { round: 1, step: 0, score: 0 }];
  expect(scoreChanges([{ name: "A", turns: both }])).toEqual([]);
});

test("a lead is news when it changes hands, and a draw is no change", () => {
  const found = scoreChanges([{ name: "A", turns: turns(0, 2, 2, 2) }, { name: "B", turns: turns(0, 0, 2, 3) }]);
  expect(said(found.filter(({ kind }) => kind === "lead"))).toEqual(["3 B takes the lead"]);
});

test("the list has the newest first, scores between events, and repetitions as one line", () => {
  const scores = scoreChanges([{ name: "A", turns: turns(0, 0, 1, 1, 1, 1) }]);
  const lines = [line(1, 1, "begun"), line(2, 3, "seat lost", { agent: "a1" }), line(3, 4, "seat lost", { agent: "a2" }), line(4, 4, "hidden", { level: "debug" }), line(5, 4, "written", { topic: "board" })];
  const found = newestChanges(scores, lines, "A", 10);
  expect(said(found)).toEqual(["4 A seat lost", "2 A scores 1, has 1", "1 A begun"]);
  expect(found[0]?.times).toBe(2);
  expect(newestChanges(scores, lines, "A", 1)).toHaveLength(1);
});

test("marks of the daemon's log are left out", () => {
  const lines = [line(1, 1, "info: task1 begun", { topic: "script" }), line(2, 2, "alert stuck_agent is over", { topic: "alert" }), line(3, 3, 'alert stuck agent: move(n) came to "failed_path" 5 times in a row', { topic: "alert" })];
  expect(said(newestChanges([], lines, "A", 10))).toEqual(['3 A alert stuck agent: move(n) came to "failed_path" 5 times in a row', "2 A alert stuck agent is over", "1 A task1 begun"]);
});
