import { create } from "@bufbuild/protobuf";
import { zoomIdentity } from "d3-zoom";
import { expect, test } from "vitest";
import { WorldPartSchema, WorldSchema, WorldSide, WorldTone, type World, type WorldPart } from "../gen/phalanx/v1/worlds_pb";
import { cameraOf, fit, toMap, toPixel } from "./camera";
import { inkOf, lookOf } from "./look";
import { markShape } from "./marks";
import { copiesOf, isJump } from "./paint";
import { ground, middle } from "./place";
import { Reel } from "./reel";
import { merge, valueAt } from "./scene";
import { layoutGraph } from "./graph-layout";
import { under } from "./under";

function grid(unchanged: string[] = [], cells = new Uint8Array([1, 2, 0, 3])): WorldPart {
  const legend = [
    { value: 1, name: "free", glyph: ".", tone: WorldTone.GROUND },
    { value: 2, name: "goal", glyph: "G", tone: WorldTone.GOAL },
    { value: 3, name: "rock", glyph: "#", tone: WorldTone.OBSTACLE },
  ];
  const layer = { name: "ground", x: -1, y: 5, width: 2, height: 2, cells, legend, seen: [8, 4, 0, 1] };
  return create(WorldPartSchema, {
    name: "map",
    shape: { case: "grid", value: { yUp: true, width: 10, height: 12 } },
    layers: unchanged.includes("ground") ? [] : [layer],
    bodies: [{ name: "a1", side: WorldSide.OURS, agent: 0, role: "scout", alive: true, place: { place: { case: "cell", value: { x: 0, y: 5 } } } }],
    unchanged,
  });
}

function world(part: WorldPart, tick: bigint): World {
  return create(WorldSchema, { team: "teams/A", game: "assemble", tick, turn: { round: 0, step: Number(tick) }, parts: [part] });
}

test("what a message leaves out as unchanged comes from the one before", () => {
  const whole = merge(world(grid(), 1n), world(grid(["ground"]), 2n));
  expect(whole.parts[0]?.layers.map((layer) => layer.name)).toEqual(["ground"]);
  expect(merge(undefined, world(grid(["ground"]), 2n)).parts[0]?.layers).toEqual([]);
});

test("a reel is made whole and bounded, and begins anew with a new match", () => {
  const reel = new Reel();
  reel.take(world(grid(), 1n));
  for (let tick = 2n; tick < 400n; tick += 1n) reel.take(world(grid(["ground"]), tick));
  expect(reel.worlds).toHaveLength(240);
  expect(reel.worlds.at(-1)?.parts[0]?.layers).toHaveLength(1);
  reel.take(world(grid(), 1n));
  expect(reel.worlds).toHaveLength(1);
});

test("hovering shows what is there and when it was seen", () => {
  const part = grid();
  const flat = ground(part);
  const here = under(part, flat, [], { x: 0.2, y: -4.9 }, 9);
  expect(here?.place).toBe("0, 5");
  expect(here?.lines).toEqual(["ground: goal", "seen in step 3, 6 steps ago", "a1 · scout · ours"]);
  expect(here?.agent).toBe("a1");
  expect(under(part, flat, [], { x: -0.5, y: -5.5 }, 9)?.lines).toEqual(["ground: unknown"]);
});

test("on a torus the echo of a cell is the cell", () => {
  const part = grid();
  const flat = ground(part);
  expect(under(part, flat, [], { x: 10.2, y: -4.9 }, 9)?.agent).toBe("a1");
  expect(copiesOf(flat, { x: 0, y: 0, zoom: 10 }, { width: 300, height: 300 }).length).toBeGreaterThan(4);
});

test("rows that grow to the north are drawn upwards", () => {
  const part = grid();
  const flat = ground(part);
  expect(flat.box).toEqual({ x: -1, y: -6, width: 2, height: 2 });
  expect(middle(flat, part.bodies[0]?.place)).toEqual({ x: 0.5, y: -4.5 });
  expect(valueAt(part.layers[0] ?? raise(), 0, 6)).toBe(3);
});

test("the camera shows what d3's transform shows, and pixels lead back to the map", () => {
  const size = { width: 400, height: 200 };
  const shot = fit({ x: 0, y: 0, width: 40, height: 10 }, size);
  expect([shot.x, shot.y]).toEqual([20, 5]);
  const at = { x: 30, y: 170 };
  const transform = zoomIdentity.translate(-35, 12).scale(17);
  const near = cameraOf(transform, size);
  expect(toPixel(near, size, toMap(near, size, at)).x).toBeCloseTo(at.x);
  const [x, y] = transform.invert([at.x, at.y]);
  expect(toMap(near, size, at).x).toBeCloseTo(x);
  expect(toMap(near, size, at).y).toBeCloseTo(y);
});

test("a graph has a place for each node, neighbours near, the same each time", () => {
  const edges = Array.from({ length: 29 }, (_, at) => [at, at + 1] as const);
  const [one, two] = [layoutGraph(30, edges, 3), layoutGraph(30, edges, 3)];
  expect(one).toEqual(two);
  const far = (a: number, b: number): number => Math.hypot((one[a]?.x ?? 0) - (one[b]?.x ?? 0), (one[a]?.y ?? 0) - (one[b]?.y ?? 0));
  const mean = edges.reduce((sum, [a, b]) => sum + far(a, b), 0) / edges.length;
  expect(mean).toBeGreaterThan(1);
  expect(mean).toBeLessThan(8);
});

test("a graph that grows keeps its look", () => {
  const node = (name: string): { name: string } => ({ name });
  const part = (names: string[], edges: { a: number; b: number }[]): WorldPart =>
    create(WorldPartSchema, { name: "map", shape: { case: "graph", value: {} }, nodes: names.map(node), edges });
  const before = ground(part(["v1", "v3"], [{ a: 0, b: 1 }]));
  const same = ground(part(["v1", "v3"], [{ a: 0, b: 1 }]), before);
  expect(same.nodes).toEqual(before.nodes);
  // A new name in between moves the indices, not the places.
  const grown = ground(part(["v1", "v2", "v3"], [{ a: 0, b: 2 }, { a: 1, b: 2 }]), before);
  expect(Math.hypot((grown.nodes[2]?.x ?? 99) - (before.nodes[1]?.x ?? 0), (grown.nodes[2]?.y ?? 99) - (before.nodes[1]?.y ?? 0))).toBeLessThan(6);
});

test("a look back at less of a graph moves nothing", () => {
  const part = (count: number): WorldPart =>
    create(WorldPartSchema, {
      name: "map", shape: { case: "graph", value: {} }, nodes: Array.from({ length: count }, (_, at) => ({ name: `v${at}` })),
      edges: Array.from({ length: count - 1 }, (_, at) => ({ a: at, b: at + 1 })),
    });
  const [early, now] = [world(part(3), 1n), world(part(8), 2n)];
  const reel = new Reel();
  reel.take(early);
  reel.take(now);
  const before = reel.groundOf(now, "map");
  expect(reel.groundOf(early, "map")?.nodes).toEqual(before?.nodes.slice(0, 3));
  expect(reel.groundOf(now, "map")?.nodes).toEqual(before?.nodes);
});

test("a torus fills the canvas wherever it is moved", () => {
  const flat = { ...ground(grid()), around: { x: 10, y: 10 }, box: { x: 0, y: 0, width: 10, height: 10 } };
  const size = { width: 100, height: 100 };
  for (const camera of [{ x: 5, y: 5, zoom: 10 }, { x: 22, y: -31, zoom: 10 }]) {
    const copies = copiesOf(flat, camera, size);
    for (const [dx, dy] of [[-4.5, -4.5], [4.5, -4.5], [-4.5, 4.5], [4.5, 4.5]] as const) {
      const inside = copies.filter(({ x, y }) => Math.floor((camera.x + dx - x) / 10) === 0 && Math.floor((camera.y + dy - y) / 10) === 0);
      expect(inside).toHaveLength(1);
    }
  }
  expect(copiesOf(flat, { x: 0, y: 0, zoom: 0.1 }, size).length).toBeLessThanOrEqual(37);
});

test("a step over the rim is a jump, whatever the size of the map", () => {
  expect([isJump(9, 10), isJump(4, 10), isJump(30, 100), isJump(21, 0)]).toEqual([true, false, false, true]);
});

test("probabilities shine through, unknown cells are clear", () => {
  const look = lookOf("asimulator", true);
  const layer = { ...(grid().layers[0] ?? raise()), legend: [], scale: { $typeName: "phalanx.v1.WorldScale" as const, from: 0, to: 1, unit: "probability", tone: WorldTone.DANGER } };
  expect(inkOf(look, layer, 0)[3]).toBe(0);
  expect(inkOf(look, layer, 255)[3]).toBeCloseTo(0.8);
  expect(inkOf(look, layer, 128)[3]).toBeCloseTo(0.4, 1);
});

test("scripts may draw nonsense", () => {
  const flat = ground(grid());
  const text = { kind: { case: "stringValue" as const, value: "<img src=x onerror=alert(1)>" } };
  const mark = create(WorldSchema, { marks: [{ agent: "a1", shape: "cell", args: [text] }, { agent: "a1", shape: "spiral", args: [] }] }).marks;
  expect(mark.map((each) => markShape(each, flat))).toEqual([undefined, undefined]);
});

function raise(): never {
  throw new Error("the part has no layer");
}
