/** Where a team's belief and the truth differ. What a team does not know is no difference. */
import { create } from "@bufbuild/protobuf";
import { WorldPlaceSchema, WorldSide, WorldSpotSchema, WorldTone, type World, type WorldBody, type WorldLayer, type WorldPart, type WorldPlace, type WorldSpot } from "../gen/phalanx/v1/worlds_pb";
import { valueAt } from "../map/scene";

/** The kind of the spots that outline differences. */
export const DIFFERS = "differs";
/** Differences that are outlined; the others are counted. */
const OUTLINED = 400;
/** Points of a plane that are so near are the same place. */
const NEAR = 1;

/** One place where they differ. */
export interface Difference {
  /** The part of the belief. */
  readonly part: string;
  /** Where in the belief, and where in the truth. */
  readonly believed: WorldPlace | undefined;
  readonly truly: WorldPlace | undefined;
  readonly text: string;
}

/** Columns and rows from a place of the belief to the same place of the truth. */
interface Shift {
  readonly x: number;
  readonly y: number;
}

/** All differences; `same` says that both are of the same turn, so that bodies can be compared. */
export function differencesOf(belief: World, truth: World, same: boolean): Difference[] {
  const real = truth.parts[0];
  if (real === undefined) return [];
  return belief.parts.flatMap((part) => {
    const shift = shiftOf(part, real);
    if (shift === undefined) return [];
    return [...cells(part, real, shift), ...nodes(part, real), ...(same ? bodies(part, real, shift) : [])];
  });
}

/** How far the origins are apart: what most bodies that both know say. Undefined: no body says anything. */
function shiftOf(part: WorldPart, real: WorldPart): Shift | undefined {
  if (part.shape.case !== "grid") return { x: 0, y: 0 };
  const votes = new Map<string, { shift: Shift; count: number }>();
  const there = byName(real.bodies);
  for (const body of part.bodies) {
    if (body.agent === undefined) continue;
    const [here, other] = [cellOf(body.place), cellOf(there.get(body.name)?.place)];
    if (here === undefined || other === undefined) continue;
    const shift = folded({ x: other.x - here.x, y: other.y - here.y }, real);
    const key = `${shift.x},${shift.y}`;
    votes.set(key, { shift, count: (votes.get(key)?.count ?? 0) + 1 });
  }
  return [...votes.values()].sort((a, b) => b.count - a.count)[0]?.shift;
}

function byName(bodies: readonly WorldBody[]): Map<string, WorldBody> {
  return new Map(bodies.filter(({ name }) => name !== "").map((body) => [body.name, body]));
}

function cellOf(place: WorldPlace | undefined): Shift | undefined {
  return place?.place.case === "cell" ? place.place.value : undefined;
}

/** The same cell of a torus, counted from 0. */
function folded({ x, y }: Shift, { shape }: WorldPart): Shift {
  if (shape.case !== "grid") return { x, y };
  const fold = (value: number, size: number | undefined): number => (size === undefined || size === 0 ? value : ((value % size) + size) % size);
  return { x: fold(x, shape.value.width), y: fold(y, shape.value.height) };
}

function at(x: number, y: number): WorldPlace {
  return create(WorldPlaceSchema, { place: { case: "cell", value: { x, y } } });
}

/** Cells whose kind is known to both layers, and is another one. */
function cells(part: WorldPart, real: WorldPart, shift: Shift): Difference[] {
  const found: Difference[] = [];
  for (const layer of part.layers) {
    const other = real.layers.find(({ name }) => name === layer.name);
    if (other === undefined || layer.scale !== undefined || other.scale !== undefined) continue;
    const [ours, theirs] = [kinds(layer), kinds(other)];
    const [known, possible] = [new Set(ours.values()), new Set(theirs.values())];
    for (let row = 0; row < layer.height; row += 1) {
      for (let column = 0; column < layer.width; column += 1) {
        const believed = ours.get(layer.cells[row * layer.width + column] ?? 0);
        if (believed === undefined || !possible.has(believed)) continue;
        const [x, y] = [layer.x + column, layer.y + row];
        const there = folded({ x: x + shift.x, y: y + shift.y }, real);
        const truly = theirs.get(valueAt(other, there.x, there.y));
        if (truly === undefined || truly === believed || !known.has(truly)) continue;
        found.push({ part: part.name, believed: at(x, y), truly: at(there.x, there.y), text: `believed ${believed}, is ${truly}` });
      }
    }
  }
  return found;
}

/** The kinds of a layer by their values. */
function kinds(layer: WorldLayer): Map<number, string> {
  return new Map(layer.legend.filter(({ value }) => value !== 0).map(({ value, name }) => [value, name]));
}

/** Nodes whose value or owner is known to both, and is another one. */
function nodes(part: WorldPart, real: WorldPart): Difference[] {
  const indices = new Map(real.nodes.map((node, index) => [node.name, index]));
  return part.nodes.flatMap((node, index) => {
    const there = indices.get(node.name);
    const other = there === undefined ? undefined : real.nodes[there];
    if (there === undefined || other === undefined) return [];
    const texts: string[] = [];
    if (node.value !== undefined && other.value !== undefined && node.value !== other.value) texts.push(`believed worth ${node.value}, is ${other.value}`);
    if (isKnown(node.owner) && isKnown(other.owner) && node.owner !== other.owner) texts.push("the owner is another one");
    return texts.map((text) => ({ part: part.name, believed: onNode(index), truly: onNode(there), text }));
  });
}

function isKnown(side: WorldSide): boolean {
  return side === WorldSide.OURS || side === WorldSide.THEIRS;
}

function onNode(index: number): WorldPlace {
  return create(WorldPlaceSchema, { place: { case: "node", value: index } });
}

/** Bodies of which both know the name, at another place or in another state. */
function bodies(part: WorldPart, real: WorldPart, shift: Shift): Difference[] {
  const there = byName(real.bodies);
  return part.bodies.flatMap((body) => {
    const other = there.get(body.name);
    if (other?.place === undefined || body.place === undefined) return [];
    const texts: string[] = [];
    if (apart(body.place, other.place, part, real, shift)) texts.push(`${body.name} is elsewhere`);
    if (body.alive !== other.alive) texts.push(`${body.name} is ${other.alive ? "in" : "out of"} action`);
    return texts.map((text) => ({ part: part.name, believed: body.place, truly: other.place, text }));
  });
}

function apart(here: WorldPlace, there: WorldPlace, part: WorldPart, real: WorldPart, shift: Shift): boolean {
  const [one, other] = [here.place, there.place];
  if (one.case === "cell" && other.case === "cell") {
    const moved = folded({ x: one.value.x + shift.x, y: one.value.y + shift.y }, real);
    const true_ = folded(other.value, real);
    return moved.x !== true_.x || moved.y !== true_.y;
  }
  if (one.case === "point" && other.case === "point") return Math.hypot(one.value.x - other.value.x, one.value.y - other.value.y) > NEAR;
  if (one.case === "node" && other.case === "node") return part.nodes[one.value]?.name !== real.nodes[other.value]?.name;
  return false;
}

/** The world with its differences outlined: `believed` in a belief, `truly` in the truth. */
export function outlined(world: World, differences: readonly Difference[], where: "believed" | "truly"): World {
  if (differences.length === 0) return world;
  const first = world.parts[0]?.name ?? "";
  const spots = new Map<string, WorldSpot[]>();
  for (const difference of differences.slice(0, OUTLINED)) {
    const place = difference[where];
    if (place === undefined) continue;
    const part = where === "believed" ? difference.part : first;
    spots.set(part, [...(spots.get(part) ?? []), spotAt(place, DIFFERS, difference.text, WorldTone.DANGER)]);
  }
  return { ...world, parts: world.parts.map((part) => ({ ...part, spots: [...part.spots, ...(spots.get(part.name) ?? [])] })) };
}

function spotAt(place: WorldPlace, kind: string, label: string, tone: WorldTone): WorldSpot {
  return create(WorldSpotSchema, { place, kind, label, tone });
}
