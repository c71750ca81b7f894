import { describe, expect, test } from "vitest";
import { added, docked, exchanged, LEAST, neighbour, panels, placed, resized, without, type Tree, type Way } from "./tree";

/** `a | (b over c)`. */
const TREE: Tree = { axis: "x", parts: [{ share: 1, tree: "a" }, { share: 3, tree: { axis: "y", parts: [{ share: 1, tree: "b" }, { share: 1, tree: "c" }] } }] };
const NONE: ReadonlySet<string> = new Set();
const WAYS: readonly Way[] = ["left", "right", "up", "down"];

/** The names with their places, rounded. */
function plan(tree: Tree | undefined, hidden = NONE): string[] {
  if (tree === undefined) return [];
  return placed(tree, hidden).tiles.map(({ id, left, top, width, height }) => `${id} ${[left, top, width, height].map(Math.round).join(" ")}`);
}

test("panels get their shares of the area", () => {
  expect(plan(TREE)).toEqual(["a 0 0 25 100", "b 25 0 75 50", "c 25 50 75 50"]);
  expect(placed(TREE, NONE).borders.map(({ axis, share, between }) => `${axis} ${share} ${between.join()}`)).toEqual(["x 0.25 a,b", "y 0.5 b,c"]);
});

test("hidden panels take no room, and neither do branches of hidden panels", () => {
  expect(plan(TREE, new Set(["b"]))).toEqual(["a 0 0 25 100", "c 25 0 75 100"]);
  expect(plan(TREE, new Set(["b", "c"]))).toEqual(["a 0 0 100 100"]);
  expect(plan(TREE, new Set(["a", "b", "c"]))).toEqual([]);
});

test("a moved border changes its two parts only, and keeps the least share", () => {
  const [outer, inner] = placed(TREE, NONE).borders;
  if (outer === undefined || inner === undefined) throw new Error("no borders");
  expect(plan(resized(TREE, outer, 0.5))).toEqual(["a 0 0 50 100", "b 50 0 50 50", "c 50 50 50 50"]);
  expect(plan(resized(TREE, inner, 0.8))).toEqual(["a 0 0 25 100", "b 25 0 75 80", "c 25 80 75 20"]);
  expect(plan(resized(TREE, inner, -1))[1]).toBe(`b 25 0 75 ${LEAST * 100}`);
});

describe("a panel is docked", () => {
  test.each([
    ["at a side of another one", "a", "c", "right", ["b 0 0 100 50", "c 0 50 50 50", "a 50 50 50 50"]],
    ["between the parts of a branch of that direction", "a", "c", "up", ["b 0 0 100 50", "a 0 50 100 25", "c 0 75 100 25"]],
    ["at an edge of the area", "c", "", "left", ["c 0 0 28 100", "a 28 0 18 100", "b 46 0 54 100"]],
    ["new, beside another one", "d", "a", "down", ["a 0 0 25 50", "d 0 50 25 50", "b 25 0 75 50", "c 25 50 75 50"]],
    ["not beside itself", "a", "a", "down", ["a 0 0 25 100", "b 25 0 75 50", "c 25 50 75 50"]],
  ] as const)("%s", (_, id, target, way, expected) => {
    expect(plan(docked(TREE, id, target, way))).toEqual(expected);
  });

  test("whatever is docked wherever, no panel is lost, none is twice, and the area is full", () => {
    for (const id of ["a", "b", "c", "new"]) {
      for (const target of ["a", "b", "c", ""]) {
        for (const way of WAYS) {
          const tree = docked(TREE, id, target, way);
          expect(panels(tree).sort()).toEqual(id === "new" && target !== id ? ["a", "b", "c", "new"] : ["a", "b", "c"]);
          const area = placed(tree, NONE).tiles.reduce((sum, { width, height }) => sum + width * height, 0);
          expect(area).toBeCloseTo(10_000);
        }
      }
    }
  });
});

test("a removed panel leaves its room to the others, and the last one leaves nothing", () => {
  expect(plan(without(TREE, "a"))).toEqual(["b 0 0 100 50", "c 0 50 100 50"]);
  expect(plan(without(TREE, "b"))).toEqual(["a 0 0 25 100", "c 25 0 75 100"]);
  expect(without("a", "a")).toBe(undefined);
  expect(without(TREE, "x")).toEqual(TREE);
});

test("two panels change places", () => {
  expect(plan(exchanged(TREE, "a", "c"))).toEqual(["c 0 0 25 100", "b 25 0 75 50", "a 25 50 75 50"]);
});

test("a new panel goes where there is most room", () => {
  expect(plan(added(TREE, "d", 1.6)).slice(1)).toEqual(["b 25 0 38 50", "d 63 0 38 50", "c 25 50 75 50"]);
  expect(added(undefined, "d", 1)).toBe("d");
});

test("the neighbour has the longest common border", () => {
  expect(WAYS.map((way) => neighbour(TREE, NONE, "c", way))).toEqual(["a", undefined, "b", undefined]);
  expect(neighbour(TREE, NONE, "a", "right")).toBe("b");
  expect(neighbour(TREE, new Set(["b"]), "a", "right")).toBe("c");
  expect(neighbour(TREE, NONE, "x", "right")).toBe(undefined);
});
