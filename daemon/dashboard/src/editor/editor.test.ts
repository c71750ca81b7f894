import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { StrategyFile } from "../gen/phalanx/v1/strategies_pb";
import { changes, rebase } from "./changes";
import { namesOf } from "./signatures";

const file = (path: string, source: string): StrategyFile => ({ $typeName: "phalanx.v1.StrategyFile", path, source });

test("only what differs is a change", () => {
  const found = changes([file("a", "1"), file("b", "1"), file("c", "1")], [file("a", "1"), file("b", "2"), file("d", "1")]);
  expect(found.map(({ path, kind }) => `${path} ${kind}`)).toEqual(["b changed", "c removed", "d added"]);
});

test("edits are applied to another generation's files, and conflicts are reported", () => {
  const edited = new Map([["a", "mine"], ["b", "mine"], ["c", "theirs"], ["new", "mine"]]);
  const found = rebase([file("a", "1"), file("b", "1"), file("c", "1")], [file("a", "1"), file("b", "theirs"), file("c", "theirs")], edited);
  expect([...found.edited.keys()]).toEqual(["a", "b", "new"]);
  expect(found.both).toEqual(["b"]);
});

test.each(["assemble", "mars", "bomberland", "asimulator", "colosseum"])("the signatures of %s are read", (game) => {
  const names = namesOf(readFileSync(new URL(`../../../../scripts/types/${game}.d.luau`, import.meta.url), "utf8"));
  expect(names.get("")?.map((name) => name.label)).toEqual(expect.arrayContaining(["act", "board", "draw", "world"]));
  expect(names.get("board")?.map((name) => name.label)).toEqual(expect.arrayContaining(["get", "set"]));
  expect(names.get("act")?.length).toBeGreaterThan(3);
  expect(names.get("draw")?.find((name) => name.label === "cell")?.info).toBe("Marks a cell on the map of this turn.");
});
