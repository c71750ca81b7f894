import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { MatchEventSchema } from "../gen/phalanx/v1/matches_pb";
import { ReplayRecordingResponseSchema, type ReplayRecordingResponse } from "../gen/phalanx/v1/recordings_pb";
import { WorldSchema } from "../gen/phalanx/v1/worlds_pb";
import { differences, figuresOf, Film, lengthText, sizeText } from "./film";

function decided(step: number, agent: string, action: string): ReplayRecordingResponse {
  const kind = { case: "decided", value: { action, role: "worker" } } as const;
  const data = toBinary(MatchEventSchema, create(MatchEventSchema, { turn: { round: 0, step }, agent, kind }));
  return create(ReplayRecordingResponseSchema, { channel: "/journal", messageType: MatchEventSchema.typeName, data });
}

function drawn(step: number): ReplayRecordingResponse {
  const data = toBinary(WorldSchema, create(WorldSchema, { team: "teams/A", turn: { round: 0, step } }));
  return create(ReplayRecordingResponseSchema, { channel: "/world", messageType: WorldSchema.typeName, data });
}

function film(...messages: ReplayRecordingResponse[]): Film {
  const made = new Film();
  for (const message of messages) made.take(message);
  return made;
}

test("a turn is shown with the world that was drawn last before it", () => {
  const shown = film(drawn(0), decided(0, "a1", "skip()"), decided(9, "a1", "skip()"), drawn(10), decided(12, "a1", "skip()"));
  expect(shown.worldAt({ round: 0, step: 9 })).toBe(0);
  expect(shown.worldAt({ round: 0, step: 10 })).toBe(1);
  expect(shown.worldAt({ round: 3, step: 0 })).toBe(1);
});

test("a turn that was not recorded leads to the one before it", () => {
  const shown = film(decided(0, "a1", "skip()"), decided(4, "a1", "skip()"));
  expect([0, 3, 4, 9].map((step) => shown.turnAt({ round: 0, step }))).toEqual([0, 0, 1, 1]);
});

test("damage is reported, and unknown messages are skipped", () => {
  const shown = film(
    create(ReplayRecordingResponseSchema, { damage: "a chunk is cut" }),
    create(ReplayRecordingResponseSchema, { messageType: "phalanx.v1.Team", data: new Uint8Array([1]) }),
  );
  expect(shown.damage).toEqual(["a chunk is cut"]);
  expect(shown.history.turns).toEqual([]);
});

test("two matches part where the same agent did something else in the same turn", () => {
  const one = film(decided(0, "a1", "move(n)"), decided(0, "a2", "skip()"), decided(1, "a1", "move(n)"));
  const other = film(decided(0, "a1", "move(n)"), decided(0, "a2", "move(s)"), decided(2, "a1", "move(n)"));
  const found = differences(one.history.turns, other.history.turns, 10);
  expect([found.compared, found.different]).toEqual([2, 1]);
  expect(found.first.map(({ step, agent, other: part }) => [step, agent, part.action])).toEqual([[0, "a2", "move(s)"]]);
  expect(figuresOf(one.history.turns)).toMatchObject({ turns: 2, outcomes: { decided: 3, late: 0 } });
});

test.each([
  [999n, "999 B"],
  [12_400n, "12 kB"],
  [2_400_000n, "2.4 MB"],
  [3_210_000_000n, "3.21 GB"],
])("%i bytes are %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test("lengths have hours only where there are some", () => {
  expect([lengthText(123_000), lengthText(3_723_000)]).toEqual(["2:03", "1:02:03"]);
});
