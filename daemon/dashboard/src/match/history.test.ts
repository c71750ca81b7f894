import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { MatchEventSchema, DefaultCause, type MatchEvent } from "../gen/phalanx/v1/matches_pb";
import { counts, History, KEEP } from "./history";
import { race, raceText } from "./series";
import { spotAt, spotText, stripOf, stripText } from "./strip";
import { outliers, slowest, waterfall } from "./waterfall";

type Kind = MatchEvent["kind"];

function event(step: number, agent: string, kind: Kind): MatchEvent {
  return create(MatchEventSchema, { cursor: `e.${step}`, turn: { round: 0, step }, agent, kind });
}

function decided(step: number, agent: string, ms: number): MatchEvent {
  return event(step, agent, {
    case: "decided",
    value: { $typeName: "phalanx.v1.Decided", action: "move(n)", role: "worker", generation: 1, reason: "home", spent: { $typeName: "google.protobuf.Duration", seconds: 0n, nanos: ms * 1e6 } },
  });
}

function late(step: number, agent: string): MatchEvent {
  return event(step, agent, { case: "late", value: { $typeName: "phalanx.v1.Late" } });
}

function done(step: number, score: bigint | undefined, ms: number): MatchEvent {
  return event(step, "", {
    case: "turnDone",
    value: {
      $typeName: "phalanx.v1.TurnDone", asked: 2, decided: 2, fallback: 0, ordered: 0, held: 0,
      ...(score === undefined ? {} : { score }),
      spent: { $typeName: "google.protobuf.Duration", seconds: 0n, nanos: ms * 1e6 },
    },
  });
}

function played(): History {
  const history = new History();
  for (const agent of ["a10", "a2"]) history.apply(decided(1, agent, 2));
  history.apply(done(1, 5n, 6));
  history.apply(decided(2, "a2", 3));
  history.apply(late(2, "a2"));
  history.apply(done(2, 9n, 4));
  return history;
}

test("the worst of a turn is what is shown", () => {
  const strip = stripOf(played(), 50);
  expect(strip.agents).toEqual(["a2", "a10"]);
  expect(counts(strip.turns)).toEqual({ decided: 2, ordered: 0, held: 0, fallback: 0, late: 1 });
  expect(stripText(strip)).toBe("Last 2 turns of 2 agents: 2 decided, 1 late");
  expect(spotText(strip, { row: 0, column: 1 })).toContain("a2, turn 0:2: late in 3.0 ms");
  expect(spotText(strip, { row: 1, column: 1 })).toBe("a10, turn 0:2: not asked");
});

test("only the turns that fit are in the strip, and a pixel finds its cell", () => {
  const strip = stripOf(played(), 1);
  expect(strip.turns.map((turn) => turn.step)).toEqual([2]);
  expect(spotAt(strip, 3, 14, { width: 8, height: 13 })).toEqual({ row: 1, column: 0 });
  expect(spotAt(strip, 9, 14, { width: 8, height: 13 })).toBeUndefined();
});

test("an answer that is late by a turn counts for its own turn", () => {
  const history = played();
  history.apply(late(1, "a10"));
  expect(history.turns[0]?.parts.get("a10")?.outcome).toBe("late");
  expect(history.turns).toHaveLength(2);
});

test("a second answer that no script decided is late, not decided", () => {
  const history = new History();
  const cause = DefaultCause.SUPERSEDED;
  history.apply(event(1, "a1", { case: "defaulted", value: { $typeName: "phalanx.v1.Defaulted", cause } }));
  history.apply(decided(1, "a1", 1));
  expect(history.turns[0]?.parts.get("a1")?.outcome).toBe("late");
});

test("turns and lines are bounded", () => {
  const history = new History();
  for (let step = 0; step < KEEP.turns + 20; step += 1) history.apply(decided(step, "a", 1));
  for (let step = 0; step < KEEP.lines + 20; step += 1) history.apply(late(KEEP.turns, "a"));
  expect(history.turns).toHaveLength(KEEP.turns);
  expect(history.lines).toHaveLength(KEEP.lines);
  expect(history.turns[0]?.step).toBe(20);
});

test("the scores of a match share their turns; turns without a score are left out", () => {
  const shown = race([
    { name: "A", colour: "--accent", turns: played().turns },
    { name: "B", colour: "--warn", turns: played().turns.slice(1) },
  ]);
  expect(shown.plots.map(({ name, values }) => [name, values])).toEqual([["A", [5, 9]], ["B", [undefined, 9]]]);
  expect(raceText(shown)).toBe("Score over 2 turns: A from 5 to 9, B from 9 to 9");
});

test("what agents do not use of a turn is the plan's", () => {
  const [first] = played().turns;
  if (first === undefined) throw new Error("no turn");
  const { bars, rest, whole } = waterfall(first);
  expect(bars.map(({ agent, from, spent }) => [agent, from, spent])).toEqual([["a10", 0, 2], ["a2", 2, 2]]);
  expect([rest, whole]).toEqual([2, 6]);
});

test("the slowest turns and agents come first", () => {
  const { turns } = played();
  expect(outliers(turns, 1).map((turn) => turn.step)).toEqual([1]);
  expect(slowest(turns).map(({ agent, longest }) => [agent, longest])).toEqual([["a2", 3], ["a10", 2]]);
});

test("a turn that arrives late is one turn, and so is the one after it", () => {
  const history = new History();
  for (const step of [1, 5, 3, 5, 3, 6]) history.apply(decided(step, "a1", 1));
  expect(history.turns.map(({ step }) => step)).toEqual([1, 5, 3, 6]);
  history.clear();
  history.apply(decided(2, "a1", 1));
  expect(history.turns.map(({ step }) => step)).toEqual([2]);
});
