import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { RecordingSchema, type Recording } from "../gen/phalanx/v1/recordings_pb";
import { rivalsOf, teamOfName } from "./replay";

const recording = (name: string, team: string, seconds: number, more: object = {}): Recording =>
  create(RecordingSchema, { name: `recordings/${name}`, team, game: "toy", server: "s:1", beginTime: { seconds: BigInt(seconds) }, ...more });

test("rivals of a recording are other teams of the same game and server that began at the same time", () => {
  const own = recording("A-1", "A", 1_000);
  const all = [
    own,
    recording("A-2", "A", 1_002),
    recording("B-early", "B", 985),
    recording("B-1", "B", 1_001),
    recording("B-late", "B", 2_000),
    recording("C-elsewhere", "C", 1_000, { server: "s:2" }),
    recording("C-other", "C", 1_000, { game: "other" }),
  ];
  expect(rivalsOf(all, own).map(({ name }) => name)).toEqual(["recordings/B-1"]);
  expect(rivalsOf(all, undefined)).toEqual([]);
});

test("the name of a recording begins with its team", () => {
  expect(teamOfName("recordings/A-toy-20261122T013000Z")).toBe("A");
  expect(teamOfName("recordings/club.match-7.B-toy-20261122T013000Z")).toBe("B");
});

test("two matches of a ladder on one seed are not rivals, although they began at the same time", () => {
  const own = recording("club.match-6.A-1", "A", 1_000);
  const all = [own, recording("club.match-6.B-1", "B", 1_000), recording("club.match-7.B-1", "B", 1_000), recording("B-1", "B", 1_000)];
  expect(rivalsOf(all, own).map(({ name }) => name)).toEqual(["recordings/club.match-6.B-1"]);
});
