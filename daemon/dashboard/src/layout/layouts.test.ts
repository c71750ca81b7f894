import { describe, expect, test } from "vitest";
import { dropAt, dropped } from "./drop";
import { checked, freshId, kindOf, KINDS, layoutText, NARROW, readLayout, SHIPPED, titleOf, type Layout } from "./layouts";
import { panels, placed } from "./tree";

const LAYOUT: Layout = { letters: 1.2, tree: { axis: "x", parts: [{ share: 2, tree: "map" }, { share: 1, tree: "plot-1" }] }, plots: { "plot-1": [{ from: "metric", name: "free ore", side: 1 }] } };

test.each(Object.entries(SHIPPED))("the layout %s is one, and every plot in it has lines", (name, layout) => {
  expect(readLayout(layoutText(name, layout))).toEqual({ name, layout });
  const plots = panels(layout.tree ?? "").filter((id) => kindOf(id) === "plot");
  expect(Object.keys(layout.plots)).toEqual(plots);
});

test("the narrow layout shows the same panels as the wide one", () => {
  expect(panels(NARROW).sort()).toEqual(panels(SHIPPED["Coach"]?.tree ?? "").sort());
});

test("a layout that is exported and imported is the same", () => {
  expect(readLayout(layoutText("mine", LAYOUT))).toEqual({ name: "mine", layout: LAYOUT });
  expect(checked({ letters: 1 })).toEqual({ letters: 1, plots: {}, tree: undefined });
});

describe("what is not a layout is refused with the reason", () => {
  const deep = (depth: number): unknown => (depth === 0 ? "map" : { axis: "x", parts: [{ share: 1, tree: deep(depth - 1) }] });
  const with_ = (tree: unknown): string => JSON.stringify({ phalanxLayout: 1, name: "x", tree });
  test.each([
    ["<script>", "not JSON"],
    ["[]", "not a layout"],
    [JSON.stringify({ phalanxLayout: 1, tree: "map" }), "name is a text"],
    [with_("password"), "no panel “password”"],
    [with_({ axis: "z", parts: [] }), "axis, x or y"],
    [with_({ axis: "x", parts: [{ share: -1, tree: "map" }] }), "share above 0"],
    [with_({ axis: "x", parts: [{ share: 1, tree: "map" }, { share: 1, tree: "map" }] }), "twice"],
    [with_(deep(50)), "nested too deeply"],
    [JSON.stringify({ phalanxLayout: 1, name: "x", tree: "plot-1", plots: { "plot-1": [{ from: "disk", name: "a" }] } }), "comes from turn, metric"],
    ["x".repeat(200_000), "too large"],
  ])("%s", (text, reason) => {
    expect(() => readLayout(text)).toThrow(reason);
  });
});

test("each panel has a name, and only plots can be there twice", () => {
  for (const kind of KINDS.filter((known) => known !== "plot")) expect(titleOf(kind)).not.toBe("");
  expect(freshId(LAYOUT, "map")).toBe(undefined);
  expect(freshId(LAYOUT, "race")).toBe("race");
  expect(freshId(LAYOUT, "plot")).toBe("plot-2");
  expect(titleOf("plot-2")).toBe("Plot 2");
  expect(kindOf("plot")).toBe(undefined);
});

describe("a dragged panel", () => {
  const tree = SHIPPED["Projector"]?.tree ?? "map";
  const { tiles } = placed(tree, new Set());
  test.each([
    ["in the middle of another one changes places with it", 85, 27, "race", undefined],
    ["near a side goes to that side", 85, 50, "race", "down"],
    ["near the other side goes there", 72, 70, "changes", "left"],
    ["at the edge of the area goes to that edge", 50, 99, "", "down"],
  ] as const)("%s", (_, x, y, target, way) => {
    const drop = dropAt(tiles, "map", x, y);
    expect([drop?.target, drop?.way]).toEqual([target, way]);
    if (drop !== undefined) expect(panels(dropped(tree, "map", drop)).sort()).toEqual(["changes", "map", "race"]);
  });

  test("over itself or outside goes nowhere", () => {
    expect(dropAt(tiles, "map", 30, 50)).toBe(undefined);
    expect(dropAt(tiles, "map", -30, 50)).toBe(undefined);
  });
});
