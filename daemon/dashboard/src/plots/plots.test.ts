import { create, fromJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { BoardEntrySchema } from "../gen/phalanx/v1/boards_pb";
import type { Part, TurnRecord } from "../match/history";
import { readings, readMetrics } from "./daemon";
import { KEEP, plotted, Samples } from "./samples";
import { turnSeries } from "./turns";
import { numbersOf } from "./values";

const ABOUT = { unit: "", doc: "" };

test("a series keeps one number for each turn, and the newest turns", () => {
  const samples = new Samples();
  for (let step = 0; step < KEEP.points + 5; step += 1) samples.take("a/x", ABOUT, { round: 0, step, value: step });
  samples.take("a/x", ABOUT, { round: 0, step: KEEP.points + 4, value: -1 });
  expect(samples.of("a/x")).toHaveLength(KEEP.points);
  expect(samples.of("a/x")[0]?.step).toBe(5);
  expect(samples.of("a/x").at(-1)?.value).toBe(-1);
  samples.take("a/b", ABOUT, { round: 0, step: 0, value: 0 });
  expect(samples.names("a/")).toEqual(["b", "x"]);
  for (let at = 0; at < KEEP.series * 2; at += 1) samples.take(`s${at}`, ABOUT, { round: 0, step: 0, value: 0 });
  expect(samples.names("")).toHaveLength(KEEP.series);
});

test("series share an axis on which the next round follows the last step", () => {
  const { xs, values, text } = plotted([
    [{ round: 0, step: 0, value: 1 }, { round: 0, step: 4, value: 2 }, { round: 1, step: 1, value: 3 }],
    [{ round: 0, step: 2, value: 7 }],
  ]);
  expect(xs).toEqual([0, 2, 4, 6]);
  expect(values).toEqual([[1, undefined, 2, 3], [undefined, 7, undefined, undefined]]);
  expect(xs.map(text)).toEqual(["0:0", "0:2", "0:4", "1:1"]);
  expect(plotted([[{ round: 2, step: 30, value: 1 }]]).xs.map(plotted([[{ round: 2, step: 30, value: 1 }]]).text)).toEqual(["30"]);
});

describe("the daemon's metrics", () => {
  const text = (actions: number, sum: number, answers: number): string => `# HELP phalanx_actions_total Answers.
# TYPE phalanx_actions_total counter
phalanx_actions_total{team="A",outcome="late"} ${actions}
phalanx_actions_total{team="B",outcome="late"} 99
# TYPE phalanx_answer_seconds histogram
phalanx_answer_seconds_bucket{team="A",le="0.1"} 3
phalanx_answer_seconds_sum{team="A"} ${sum}
phalanx_answer_seconds_count{team="A"} ${answers}
# HELP phalanx_checkpoint_bytes Size.
# TYPE phalanx_checkpoint_bytes gauge
phalanx_checkpoint_bytes{team="A"} 2048
phalanx_script_value{team="A",name="a\\"} 1"} NaN
`;
  const before = readMetrics(text(4, 1, 10));

  test("counters are rates, histograms means, gauges what they are, and other teams are left out", () => {
    const found = readings(before, readMetrics(text(10, 1.5, 20)), 2, "A").map(({ name, unit, value }) => `${name}: ${value} ${unit}`);
    expect(found).toEqual(["actions (outcome late): 3 a second", "answer, mean: 50 ms", "checkpoint: 2048 bytes"]);
  });

  test("what was reset or did not happen has no number", () => {
    expect(readings(before, readMetrics(text(1, 1, 10)), 2, "A").map(({ name }) => name)).toEqual(["checkpoint"]);
    expect(readings(new Map(), before, 2, "A").map(({ name }) => name)).toEqual(["checkpoint"]);
  });
});

test.each([
  [3, ["k: 3"]],
  [true, ["k: 1"]],
  [{ ore: 2, who: "a", deep: { iron: 5 } }, ["k.ore: 2", "k.deep.iron: 5"]],
  [["a", "b"], ["k, count: 2"]],
  ["text", []],
])("the numbers of the board's value %j", (value, expected) => {
  const entry = create(BoardEntrySchema, { key: "k", value: fromJson(ValueSchema, value) });
  expect(numbersOf(entry).map(({ name, value: number }) => `${name}: ${number}`)).toEqual(expected);
});

test("figures of turns are counted from their answers", () => {
  const part = (outcome: Part["outcome"], spent: number): Part => ({ outcome, spent, action: "", reason: "" });
  const turn: TurnRecord = { round: 0, step: 3, parts: new Map([["a", part("decided", 2)], ["b", part("late", 5)]]), score: 8, spent: 7, generation: 1, errors: 2 };
  const value = (name: string): number | undefined => turnSeries([turn], name)[0]?.value;
  expect(["score", "script time", "slowest agent", "decided answers", "late answers", "answers in time", "script errors"].map(value)).toEqual([8, 7, 5, 1, 1, 50, 2]);
  expect(turnSeries([turn], "no such figure")).toEqual([]);
  expect(turnSeries([{ ...turn, score: undefined }], "score")).toEqual([]);
});
