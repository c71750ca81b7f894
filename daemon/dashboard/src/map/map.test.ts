import { create } from "@bufbuild/protobuf";
import { zoomIdentity } from "d3-zoom";
import { expect, test } from "vitest";
import { WorldPartSchema, WorldSchema, WorldSide, WorldTone, type World, type WorldPart } from "../gen/phalanx/v1/worlds_pb";
import { cameraOf, fit, toMap, toPixel } from "./camera";
import { cellInk, covers, kindOf, lookOf, signOf } from "./look";
import { markShape } from "./marks";
import { ground, middle } from "./place";
import { Reel } from "./reel";
import { merge, valueAt } from "./scene";
import { layoutGraph } from "./graph-layout";
import { glide, Motion } from "./motion";
import { signsOf, titleOf } from "./names";
import { bodiesOf, ownerOf } from "./owner";
import { borders } from "./outline";
import { stageOf } from "./stage";
import { copiesOf, isJump } from "./torus";
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
  expect(here?.body?.name).toBe("a1");
  expect(under(part, flat, [], { x: -0.5, y: -5.5 }, 9)?.lines).toEqual(["ground: unknown"]);
});

test("on a torus the echo of a cell is the cell", () => {
  const part = grid();
  const flat = ground(part);
  expect(under(part, flat, [], { x: 10.2, y: -4.9 }, 9)?.body?.name).toBe("a1");
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

test("pieces of a graph without a way between them are beside each other, and join when a road is found", () => {
  const square = (from: number) => [0, 1, 2, 3].map((at) => [from + at, from + ((at + 1) % 4)] as const);
  const apart = layoutGraph(8, [...square(0), ...square(4)], 3);
  const box = (points: typeof apart) => [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))] as const;
  expect(box(apart.slice(4))[0]).toBeGreaterThan(box(apart.slice(0, 4))[1]);
  const far = apart.map((point, at) => (at < 4 ? point : { x: point.x + 100, y: point.y }));
  const joined = layoutGraph(8, [...square(0), ...square(4), [0, 4]], 3, far);
  expect(Math.hypot((joined[0]?.x ?? 0) - (joined[4]?.x ?? 99), (joined[0]?.y ?? 0) - (joined[4]?.y ?? 99))).toBeLessThan(12);
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

test("numbers shine through, unknown cells are clear", () => {
  expect(covers(0)).toBe(0);
  expect(covers(255)).toBeCloseTo(0.85);
  expect(covers(128)).toBeCloseTo(0.425);
});

test("every sign that a kind names is there, in both themes", () => {
  for (const name of ["bomb", "dispenser", "wood", "food"]) expect(signOf(kindOf(name).sign ?? "").length).toBeGreaterThan(0);
  expect(kindOf("constructor")).toEqual({});
  expect(cellInk(lookOf(true), WorldTone.OURS, 3)).toEqual(lookOf(true).colors.ours);
  expect(cellInk(lookOf(false), WorldTone.OBSTACLE, 1)).not.toEqual(cellInk(lookOf(false), WorldTone.OBSTACLE, 0));
});

test("bodies show the numbers of their names or short names, else the roster's number or letters", () => {
  const body = (name: string, side: WorldSide, agent?: number) => create(WorldPartSchema, { bodies: [{ name, side, ...(agent === undefined ? {} : { agent }) }] }).bodies[0] ?? raise();
  const bodies = [body("agentA12", WorldSide.OURS, 3), body("c", WorldSide.OURS, 0), body("scout", WorldSide.OURS, 6), body("rival", WorldSide.THEIRS), body("other", WorldSide.THEIRS), body("", WorldSide.THEIRS)];
  // One name of a side without a number, and the numbers of the others would mislead.
  expect(signsOf(bodies)).toEqual(["4", "1", "7", "a", "b", ""]);
  expect(signsOf(bodies.slice(0, 2))).toEqual(["12", "c"]);
});

test("units that the referee names itself belong to the agent with their index", () => {
  const unit = (name: string, agent?: number) => create(WorldPartSchema, { bodies: [{ name, side: WorldSide.OURS, ...(agent === undefined ? {} : { agent }) }] }).bodies[0] ?? raise();
  const agents = ["agentA1", "agentA2"];
  expect(ownerOf(unit("e", 1), agents)).toBe("agentA2");
  expect(ownerOf(unit("agentA2", 0), agents)).toBe("agentA2");
  expect(ownerOf(unit("f"), agents)).toBe("");
  // Where the team is not known, the body's name is the best guess.
  expect(ownerOf(unit("e", 1), [])).toBe("e");
  const part = create(WorldPartSchema, { bodies: [unit("c", 0), unit("e", 1)] });
  expect([...bodiesOf([part], agents)].map(([name, { body, sign }]) => [name, body.name, sign])).toEqual([["agentA1", "c", "c"], ["agentA2", "e", "e"]]);
  const several = create(WorldPartSchema, { bodies: [unit("CFJtaP", 0), unit("9iJTNK", 0)] });
  expect(bodiesOf([several], ["A"]).get("A")?.sign).toBe(undefined);
});

test("where a part's name has no room, its title has the numbers of the agents on it", () => {
  const part = create(WorldPartSchema, {
    name: "map of agentA10, agentA2",
    bodies: [{ name: "agentA10", side: WorldSide.OURS, agent: 9 }, { name: "agentA2", side: WorldSide.OURS, agent: 1 }, { name: "agentB7", side: WorldSide.THEIRS }],
  });
  const width = (text: string): number => text.length;
  expect(titleOf(part, width, 30)).toBe("map of agentA10, agentA2");
  expect(titleOf(part, width, 10)).toBe("2, 10");
  expect(titleOf(part, width, 4)).toBe("2, …");
  expect(titleOf(create(WorldPartSchema, { name: "wide lands" }), width, 5)).toBe("wide…");
});

test("a map leaves room for what is above it", () => {
  const size = { width: 100, height: 144 };
  const shot = fit({ x: 0, y: 0, width: 10, height: 50 }, size, 0, 44);
  expect(toPixel(shot, size, { x: 0, y: 0 }).y).toBeGreaterThanOrEqual(44);
  expect(toPixel(shot, size, { x: 0, y: 50 }).y).toBeLessThanOrEqual(144);
});

test("several units of one agent have numbers of their own", () => {
  const unit = (name: string) => create(WorldPartSchema, { bodies: [{ name, side: WorldSide.OURS, agent: 0 }] }).bodies[0] ?? raise();
  expect(signsOf([unit("CFJtaP"), unit("9iJTNK"), unit("CFJtaP")])).toEqual(["1", "2", "1"]);
});

test("adjacent cells have one border, holes have their own, and corners that only touch stay apart", () => {
  const of = (rows: string[]): number[] => {
    const runs = borders(rows[0]?.length ?? 0, rows.length, (x, y) => rows[y]?.[x] === "#");
    return runs.map((run) => run.length).sort((a, b) => a - b);
  };
  expect(of(["##.", "##."])).toEqual([4]);
  expect(of(["#..", "##."])).toEqual([6]);
  expect(of(["###", "#.#", "###"])).toEqual([4, 4]);
  expect(of(["#.", ".#"])).toEqual([4, 4]);
  expect(of(["..", ".."])).toEqual([]);
});

test("maps that are not joined are side by side and do not overlap; a single one stays where it is", () => {
  const parts = ["one", "two", "three"].map((name) => ({ ...grid(), name }));
  const place = (only: string) => stageOf({ ...world(grid(), 1n), parts }, (part) => ground(part), only);
  const { settings, titled } = place("");
  expect(titled).toBe(true);
  expect(settings).toHaveLength(3);
  for (const a of settings) {
    for (const b of settings) {
      const apart = a === b || a.box.x >= b.box.x + b.box.width || b.box.x >= a.box.x + a.box.width || a.box.y >= b.box.y + b.box.height || b.box.y >= a.box.y + a.box.height;
      expect(apart).toBe(true);
    }
  }
  expect(place("two").settings.map(({ part, shift }) => [part.name, shift])).toEqual([["two", { x: 0, y: 0 }]]);
});

test("bodies glide to where they are, over the rim the short way, and jump where the way is too long", () => {
  const at = (x: number): WorldPart => ({ ...grid(), bodies: create(WorldPartSchema, { bodies: [{ name: "a1", agent: 0, alive: true, side: WorldSide.OURS, place: { place: { case: "cell", value: { x, y: 5 } } } }] }).bodies });
  const shown = (x: number) => stageOf(world(at(x), 1n), (part) => ground(part), "");
  const motion = new Motion();
  const here = (now: number): number => {
    const [figure] = motion.of("map");
    return figure === undefined ? NaN : motion.at(figure, ground(at(0)), now).x;
  };
  motion.take(shown(8), 0, 0);
  motion.take(shown(9), 1000, 200);
  expect([here(1000), here(1100), here(1200)]).toEqual([8.5, 9, 9.5]);
  expect([motion.moves(1199), motion.moves(1200)]).toEqual([true, false]);
  motion.take(shown(0), 2000, 200);
  expect(here(2100)).toBeCloseTo(0);
  expect(glide(5_000, false)).toBe(700);
  expect(glide(250, true)).toBe(0);
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
