import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { WorldSchema, WorldSide, WorldTone, type World, type WorldPartSchema } from "../gen/phalanx/v1/worlds_pb";
import { DIFFERS, differencesOf, outlined } from "./differences";
import { mirrored } from "./mirror";

type Part = MessageInitShape<typeof WorldPartSchema>;
const LEGEND = [{ value: 1, name: "free" }, { value: 2, name: "wall" }];

/** A body on a cell. */
const on = (name: string, x: number, y: number, more: object = {}): object => ({ name, side: WorldSide.OURS, agent: 0, alive: true, place: { place: { case: "cell", value: { x, y } } }, ...more });
/** A grid of three columns and one row from (x, 0). */
function row(name: string, x: number, cells: readonly number[], bodies: readonly object[], width?: number): World {
  const shape: Part["shape"] = { case: "grid", value: width === undefined ? {} : { width, height: 1 } };
  const part: Part = { name, shape, bodies: [...bodies], layers: [{ name: "ground", x, width: cells.length, height: 1, cells: Uint8Array.from(cells), legend: LEGEND }] };
  return create(WorldSchema, { parts: [part] });
}
const texts = (belief: World, truth: World, same = true): string[] => differencesOf(belief, truth, same).map(({ text }) => text);

test("cells are compared by their names, from the origin that the bodies tell, around a torus", () => {
  // The team counts from the referee's column 2; column 3 of the referee is its column 1.
  const belief = row("A", 0, [1, 2, 0], [on("a1", 0, 0)]);
  const truth = row("truth", 0, [1, 1, 1, 1], [on("a1", 2, 0)], 4);
  const found = differencesOf(belief, truth, true);
  expect(found.map(({ text }) => text)).toEqual(["believed wall, is free"]);
  expect(found[0]?.believed?.place.value).toMatchObject({ x: 1, y: 0 });
  expect(found[0]?.truly?.place.value).toMatchObject({ x: 3, y: 0 });
});

test("what a team does not know is no difference, and without a common body nothing is compared", () => {
  expect(texts(row("A", 0, [1, 0, 0], [on("a1", 0, 0)]), row("truth", 0, [1, 2, 2], [on("a1", 0, 0), on("b1", 1, 0)]))).toEqual([]);
  expect(texts(row("A", 0, [2], [on("a1", 0, 0)]), row("truth", 0, [1], []))).toEqual([]);
});

test("a body elsewhere or in another state differs, but only in the same turn", () => {
  const belief = row("A", 0, [1, 1, 1], [on("a1", 0, 0), on("a2", 1, 0), on("a3", 2, 0), on("b1", 0, 0, { agent: undefined, side: WorldSide.THEIRS })]);
  const truth = row("truth", 0, [1, 1, 1], [on("a1", 0, 0), on("a2", 1, 0), on("a3", 2, 0, { alive: false }), on("b1", 2, 0)]);
  expect(texts(belief, truth)).toEqual(["a3 is out of action", "b1 is elsewhere"]);
  expect(texts(belief, truth, false)).toEqual([]);
});

test("nodes are compared by their names", () => {
  const nodes = (...some: object[]): World => create(WorldSchema, { parts: [{ name: "map", shape: { case: "graph", value: {} }, nodes: some }] });
  const belief = nodes({ name: "v1", value: 3, owner: WorldSide.OURS }, { name: "v2" });
  const truth = nodes({ name: "v2", value: 9, owner: WorldSide.THEIRS }, { name: "v1", value: 5, owner: WorldSide.THEIRS });
  expect(texts(belief, truth)).toEqual(["believed worth 3, is 5", "the owner is another one"]);
});

test("differences are outlined at the place of the world that is shown", () => {
  const belief = row("A", 0, [1, 2], [on("a1", 0, 0)]);
  const truth = row("truth", 0, [1, 1, 1, 1], [on("a1", 2, 0)], 4);
  const found = differencesOf(belief, truth, true);
  expect(outlined(belief, found, "believed").parts[0]?.spots).toMatchObject([{ kind: DIFFERS, tone: WorldTone.DANGER, place: { place: { value: { x: 1 } } } }]);
  expect(outlined(truth, found, "truly").parts[0]?.spots).toMatchObject([{ place: { place: { value: { x: 3 } } } }]);
  expect(outlined(truth, [], "truly")).toBe(truth);
});

test("a mirrored world has its sides exchanged, twice the same one again", () => {
  const world = row("A", 0, [1], [on("a1", 0, 0), on("b1", 0, 0, { side: WorldSide.THEIRS })]);
  expect(mirrored(world).parts[0]?.bodies.map(({ side }) => side)).toEqual([WorldSide.THEIRS, WorldSide.OURS]);
  expect(mirrored(mirrored(world)).parts[0]?.bodies).toEqual(world.parts[0]?.bodies);
});
