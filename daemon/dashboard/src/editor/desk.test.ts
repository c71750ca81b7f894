import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { create } from "@bufbuild/protobuf";
import { MatchEventSchema } from "../gen/phalanx/v1/matches_pb";
import { FaultSeverity, FaultSchema, type Fault } from "../gen/phalanx/v1/strategies_pb";
import { History } from "../match/history";
import { byConcern, faultText, firstFile, inOrder } from "./faults";
import { lineMap } from "./lines";
import { decisionsAt, notesAt, placeIn } from "./notes";
import { placedNotes } from "./placing";
import { isType, referenceOf, searched, signatureText, type Group } from "./reference";

test("a line is found where it is after the text changed, and a removed one is not", () => {
  const map = lineMap("one\ntwo\nthree\nfour", "-- new\none\nthree\nfour, longer");
  expect([1, 2, 3, 4, 5].map(map)).toEqual([2, undefined, 3, 4, undefined]);
  expect(lineMap("same\ntext", "same\ntext")(2)).toBe(2);
  expect(lineMap("same", "same")(2)).toBeUndefined();
});

/** A match in which agents decide; `a` fails in the third turn. */
function match(): History {
  const history = new History();
  const say = (step: number, agent: string, kind: object): void => {
    history.apply(create(MatchEventSchema, { turn: { round: 0, step }, agent, generation: 1, ...kind }));
  };
  const decided = (line: number, reason: string): object => ({ kind: { case: "decided", value: { action: "move(n)", reason, grounds: { file: "lib/walk.luau", line: 9, reasonFile: "worker.luau", reasonLine: line } } } });
  for (const step of [0, 1]) {
    say(step, "a", decided(3, "north"));
    say(step, "b", decided(step === 0 ? 3 : 5, "home"));
  }
  say(2, "a", { kind: { case: "fallback", value: { reason: "worker.luau:7: no such field", grounds: { file: "worker.luau", line: 7 } } } });
  say(2, "", { topic: 1, severity: 3, text: "plan failed: team.luau:2: nothing to do", kind: { case: "scriptError", value: { call: "plan", reason: "" } } });
  return history;
}

test("a line has the reasons of the agents that decided there last, and older ones until they are stale", () => {
  const { lines, turns } = match();
  const note = (at: number, line: number): unknown => {
    const found = notesAt(turns, lines, at).find((known) => known.line === line);
    return found === undefined ? undefined : [found.fresh, found.failed, found.times, ...found.voices.map((voice) => `${voice.agent} ${voice.turn.step} ${voice.text}`)];
  };
  expect(note(0, 3)).toEqual([true, false, 2, "a 0 north", "b 0 home"]);
  expect(note(1, 3)).toEqual([true, false, 3, "a 1 north"]);
  expect(note(1, 5)).toEqual([true, false, 1, "b 1 home"]);
  expect(note(2, 3)).toEqual([false, false, 3, "a 1 north"]);
});

test("errors are at their lines, those of the whole team too", () => {
  const { lines, turns } = match();
  const failed = notesAt(turns, lines, 2).filter((note) => note.failed);
  expect(failed.map(({ file, line, voices: [voice] }) => `${file}:${line} ${voice?.agent ?? ""}`)).toEqual(["worker.luau:7 a", "team.luau:2 "]);
  expect(notesAt(turns, lines, 1).some((note) => note.failed)).toBe(false);
});

test("where the reason and the action come from different lines, each line has its own", () => {
  const { lines, turns } = match();
  const made = notesAt(turns, lines, 0).find(({ file }) => file === "lib/walk.luau");
  expect(made?.voices.map(({ action, agent, text }) => `${agent} ${action} ${text}`)).toEqual(["a move(n) ", "b move(n) "]);
  const same = new History();
  const grounds = { file: "worker.luau", line: 4, reasonFile: "worker.luau", reasonLine: 4 };
  same.apply(create(MatchEventSchema, { turn: { round: 0, step: 0 }, agent: "a", kind: { case: "decided", value: { action: "skip()", reason: "tired", grounds } } }));
  expect(notesAt(same.turns, [], 0).map(({ file, line, voices }) => `${file}:${line} ${voices.length}`)).toEqual(["worker.luau:4 1"]);
});

test("the newest decision of each agent is listed at a turn", () => {
  const { turns } = match();
  expect(decisionsAt(turns, 2).map(({ agent, part, turn }) => `${agent} ${part.outcome} ${turn.step}`)).toEqual(["a fallback 2", "b decided 1"]);
  expect(decisionsAt([], -1)).toEqual([]);
});

test("notes are placed by the text in which they were made, and say who, what and when", () => {
  const { lines, turns } = match();
  const before = Array.from({ length: 9 }, (_, at) => `line ${at + 1}`).join("\n");
  const shown = placedNotes(notesAt(turns, lines, 2), { path: "worker.luau", text: `-- mine\n${before}` }, (generation) => (generation === 1 ? before : undefined), "a");
  expect(shown.map(({ line, failed, who, text, turn, chosen }) => ({ line, failed, who, text, turn, chosen }))).toEqual([
    { line: 8, failed: true, who: "a", text: "no such field", turn: "0:2", chosen: true },
    { line: 4, failed: false, who: "a", text: "north", turn: "0:1", chosen: false },
    { line: 6, failed: false, who: "b", text: "home", turn: "0:1", chosen: false },
  ]);
  expect(placedNotes(notesAt(turns, lines, 2), { path: "worker.luau", text: before }, () => undefined, "")).toEqual([]);
});

test("a place is found in the text of an error", () => {
  expect(placeIn("start: lib/walk.luau:12: no")).toEqual({ file: "lib/walk.luau", line: 12 });
  expect(placeIn("no time left")).toBeUndefined();
});

test("the first message is an error in what the user changed; specs and warnings come last", () => {
  const fault = (file: string, severity = FaultSeverity.ERROR): Fault => create(FaultSchema, { file, line: 1, message: "wrong", severity });
  const faults = [fault("worker.luau", FaultSeverity.WARNING), fault("lib/a.luau"), fault("spec/worker_spec.luau"), fault("worker.luau")];
  expect(byConcern(faults, new Set(["worker.luau"]), "lib/a.luau").map(faultText)).toEqual(["worker.luau:1: wrong", "lib/a.luau:1: wrong", "spec/worker_spec.luau:1: wrong", "worker.luau:1: wrong"]);
});

test("the desk begins with the team's plan, or with the role of most agents", () => {
  expect(firstFile(["worker.luau", "team.luau"], ["worker"])).toBe("team.luau");
  expect(firstFile(["lib/a.luau", "scout.luau", "worker.luau"], ["scout", "worker", "worker"])).toBe("worker.luau");
  expect(firstFile(["spec/a_spec.luau", "lib/a.luau"], [])).toBe("lib/a.luau");
  expect(inOrder(["spec/a.luau", "lib/a.luau", "worker.luau", "team.luau", "scout.luau"])).toEqual(["team.luau", "scout.luau", "worker.luau", "lib/a.luau", "spec/a.luau"]);
});

test.each(["assemble", "mars", "bomberland", "asimulator", "colosseum"])("the reference of %s has every name of the declaration, with its description", (game) => {
  const text = readFileSync(new URL(`../../../../scripts/types/${game}.d.luau`, import.meta.url), "utf8");
  const groups = referenceOf(text);
  const names = groups.map(({ name }) => name);
  expect(names.slice(0, 2)).toEqual(["me", "me.percept"]);
  expect(names).toEqual(expect.arrayContaining(["act", "world", "board", "team", "log", "draw", "rng", "functions", "specs"]));
  expect(names.findIndex((name) => /^[A-Z]/.test(name))).toBeGreaterThan(names.indexOf("specs"));
  const fields = text.split("\n").filter((line) => /^ {4}\w+: /.test(line) || line.startsWith("declare function ")).length;
  const entries = groups.filter(({ name }) => name !== "specs").flatMap(({ entries: some }) => some);
  expect(entries.length).toBe(fields);
  expect(entry(groups, "world.of").doc).toBe("The same queries for another agent of the team; also in `plan`, where no agent is deciding.");
  expect(entries.filter(({ doc, group }) => doc === "" && !/^[A-Z]/.test(group))).toEqual([]);
  expect(searched(groups, "explain")[0]?.name).toBe("explain");
});

test("an entry is inserted with the arguments that it needs", () => {
  const text = readFileSync(new URL("../../../../scripts/types/mars.d.luau", import.meta.url), "utf8");
  const groups = referenceOf(text);
  expect(entry(groups, "world.path").template).toBe("world.path(${to})");
  expect(entry(groups, "act.skip").template).toBe("act.skip()");
  expect(entry(groups, "act.buy").template).toBe("act.buy(${item})");
  expect(entry(groups, "explain").template).toBe("explain(${text}, ${data})");
  expect(entry(groups, "me.percept.energy").template).toBe("me.percept.energy");
  expect(entry(groups, "WorldPath.next").template).toBe("next");
  expect(signatureText(entry(groups, "WorldSim.role"))).toMatch(/^WorldSim\.role: \(/);
  expect(signatureText(entry(groups, "act.skip"))).toBe("act.skip() -> Action");
});

test("a search finds names before descriptions, and needs all of its words", () => {
  const text = readFileSync(new URL("../../../../scripts/types/mars.d.luau", import.meta.url), "utf8");
  const groups = referenceOf(text);
  expect(searched(groups, "path")[0]?.name).toBe("world.path");
  expect(searched(groups, "blackboard")).toEqual([]);
  expect(searched(groups, "claim gives")[0]?.name).toBe("board.release");
  expect(searched(groups, "nothing has this word")).toEqual([]);
  expect(groups.filter(isType).map(({ name }) => name)).toContain("WorldPath");
});

function entry(groups: readonly Group[], name: string): Group["entries"][number] {
  const found = groups.flatMap(({ entries }) => entries).find((known) => known.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}
