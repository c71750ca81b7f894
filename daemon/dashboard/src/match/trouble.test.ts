import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { AlertKind, SeatState, TeamSchema, TeamState } from "../gen/phalanx/v1/team_pb";
import { LIVE } from "../live/follow";
import type { Outcome, TurnRecord } from "./history";
import { headline, punctualityText, sinceText, troublesOf } from "./trouble";

/** A turn with these outcomes, agent by agent. */
function turn(step: number, outcomes: readonly Outcome[], errors = 0): TurnRecord {
  const parts = new Map(outcomes.map((outcome, at) => [`a${at + 1}`, { outcome, spent: 1, action: "", reason: outcome === "late" ? "the deadline passed" : "" }]));
  return { round: 0, step, parts, score: undefined, spent: 1, generation: 1, errors };
}

test("while all is well there is nothing to say but that", () => {
  const turns = [turn(1, ["decided", "ordered"]), turn(2, ["decided", "held"])];
  expect(troublesOf(LIVE, undefined, turns, [])).toEqual([]);
  expect(punctualityText(turns)).toBe("All 4 answers of the last 2 turns were in time");
  expect(punctualityText([])).toBe("No answer yet");
});

test("late answers, fallbacks and errors are counted, and the newest of each is named", () => {
  const turns = [turn(1, ["late", "decided"]), turn(2, ["decided", "late"]), turn(3, ["fallback", "decided"], 1)];
  expect(punctualityText(turns)).toBe("2 late, 1 fallback, 1 script error among 6 answers in the last 3 turns");
  const line = { id: 1, agent: "", round: 0, step: 3, level: "warning" as const, topic: "trouble" as const, text: "script error in plan: no such key" };
  const found = troublesOf(LIVE, undefined, turns, [line]);
  expect(found.map(({ kind, agent, text }) => [kind, agent, text])).toEqual([
    ["late", "a2", "the deadline passed"],
    ["fallback", "a1", "the harmless action was sent"],
    ["script error", "", "in plan: no such key"],
  ]);
  expect(found.map(sinceText)).toEqual(["in 0:2", "in 0:3", "in 0:3"]);
});

test("a lost connection, a missing seat and an alert are named", () => {
  const team = create(TeamSchema, {
    state: TeamState.PLAYING,
    agents: [{ name: "a1", seatState: SeatState.CONNECTING, seatReason: "refused" }, { name: "a2", seatState: SeatState.SEATED }],
    alerts: [{ kind: AlertKind.STUCK_AGENT, agent: "a2", text: "move(n) came to nothing", since: { round: 0, step: 7 } }],
  });
  const found = troublesOf({ kind: "lost", text: "The daemon does not answer" }, team, [], []);
  expect(found.map(({ kind, agent, text }) => [kind, agent, text])).toEqual([
    ["connection", "", "Connection lost: The daemon does not answer. The page keeps trying."],
    ["seat", "a1", "is connecting: refused"],
    ["alert", "a2", "stuck agent: move(n) came to nothing"],
  ]);
  expect(found.map(sinceText)).toEqual(["", "", "since 0:7"]);
  expect(headline(team, [turn(1, ["decided"])])).toBe("1 of 2 agents is not at the referee");
  const over = create(TeamSchema, { ...team, state: TeamState.OVER });
  expect(headline(over, [turn(1, ["decided"])])).toBe("The answer of the last turn was in time");
  expect(troublesOf(LIVE, over, [], []).map(({ kind }) => kind)).toEqual(["alert"]);
});

test("what keeps many agents away is one line, and not also an alert for each", () => {
  const names = ["a1", "a2", "a3"];
  const team = create(TeamSchema, {
    state: TeamState.PLAYING,
    agents: names.map((name) => ({ name, seatState: SeatState.CONNECTING, seatReason: "connection refused" })),
    alerts: names.map((agent) => ({ kind: AlertKind.SILENT_AGENT, agent, text: "its seat has been away for 5s", since: { round: 0, step: 7 } })),
  });
  expect(troublesOf(LIVE, team, [], [])).toEqual([{ kind: "seat", agent: "", text: "3 of 3 agents are connecting: connection refused", at: undefined }]);
  expect(headline(team, [])).toBe("3 of 3 agents are not at the referee");
  // Before the match, agents that have not failed are on their way.
  expect(headline(create(TeamSchema, { ...team, state: TeamState.WAITING }), [])).toBe("3 of 3 agents are not at the referee");
  const waiting = create(TeamSchema, { state: TeamState.WAITING, agents: [{ name: "a1", seatState: SeatState.CONNECTING }] });
  expect(troublesOf(LIVE, waiting, [], [])).toEqual([]);
});
