/** What is known about a place on the map, as text. */
import type { ScriptMark, WorldBody, WorldPart } from "../gen/phalanx/v1/worlds_pb";
import { WorldSide } from "../gen/phalanx/v1/worlds_pb";
import { counted, shortIds } from "../match/names";
import { word } from "../match/words";
import { markShape } from "./marks";
import { middle, rowAt, type Ground } from "./place";
import { meaning, seenAt, valueAt } from "./scene";
import type { Point } from "./geometry";

/** What is under the pointer. */
export interface Under {
  /** Position in the server's coordinates. */
  readonly place: string;
  readonly lines: readonly string[];
  /** A unit of one of our agents; undefined: there is none. */
  readonly body: WorldBody | undefined;
}

/** Everything at this point of the map; undefined: there is nothing. */
export function under(part: WorldPart, ground: Ground, marks: readonly ScriptMark[], at: Point, step: number): Under | undefined {
  switch (ground.kind) {
    case "grid":
      return cell(part, ground, marks, at, step);
    case "plane":
      return near(part, ground, at, `${at.x.toFixed(1)}, ${at.y.toFixed(1)}`, 1.2, []);
    case "graph":
      return node(part, ground, at);
    case "none":
      return undefined;
  }
}

function cell(part: WorldPart, ground: Ground, marks: readonly ScriptMark[], at: Point, step: number): Under {
  const [x, y] = wrapped(ground, at);
  const lines: string[] = [];
  let seen: number | undefined;
  for (const layer of part.layers) {
    const value = valueAt(layer, x, y);
    seen ??= seenAt(layer, x, y);
    if (value === 0 && layer.scale !== undefined) continue;
    lines.push(`${layer.name}: ${meaning(layer, value)}`);
  }
  if (seen !== undefined) lines.push(seen >= step ? "seen now" : `seen in step ${seen}, ${counted(step - seen, "step")} ago`);
  for (const mark of marks) {
    const shape = markShape(mark, ground);
    const hit = shape?.points.some((point) => Math.floor(point.x) === Math.floor(at.x) && Math.floor(point.y) === Math.floor(at.y));
    if (hit === true) lines.push(`drawn by ${mark.agent || "the plan"}${shape?.text ? `: ${shape.text}` : ""}`);
  }
  const middleOf = { x: x + 0.5, y: (ground.up ? -y : y) + 0.5 };
  return near(part, ground, middleOf, `${x}, ${y}`, 0.4, lines);
}

/** The referee's cell; on a torus of known size counted from 0. */
function wrapped(ground: Ground, at: Point): [number, number] {
  const fold = (value: number, size: number): number => (size === 0 ? value : ((value % size) + size) % size);
  const [x, y] = [Math.floor(at.x), rowAt(ground, at.y)];
  return [fold(x, ground.around.x), fold(y, ground.around.y)];
}

function node(part: WorldPart, ground: Ground, at: Point): Under | undefined {
  let best: { index: number; far: number } | undefined;
  for (const [index, place] of ground.nodes.entries()) {
    const far = Math.hypot(place.x - at.x, place.y - at.y);
    if (far < 1.5 && far < (best?.far ?? Infinity)) best = { index, far };
  }
  const known = best === undefined ? undefined : part.nodes[best.index];
  const place = best === undefined ? undefined : ground.nodes[best.index];
  if (known === undefined || place === undefined) return undefined;
  const lines = [
    known.value === undefined ? "not probed" : `worth ${known.value}`,
    `owner: ${word(WorldSide, known.owner)}`,
    `zone: ${word(WorldSide, known.zone)}`,
  ];
  return near(part, ground, place, known.name, 0.1, lines);
}

function near(part: WorldPart, ground: Ground, at: Point, place: string, reach: number, lines: string[]): Under {
  const close = (thing: { place?: WorldBody["place"] }): boolean => {
    const there = middle(ground, thing.place);
    return there !== undefined && Math.hypot(there.x - at.x, there.y - at.y) <= reach;
  };
  let found: WorldBody | undefined;
  for (const body of part.bodies.filter(close)) {
    lines.push(bodyText(body));
    if (body.agent !== undefined) found = body;
  }
  for (const spot of part.spots.filter(close)) {
    const value = spot.value === undefined ? "" : ` ${Number(spot.value.toFixed(1))}`;
    lines.push(`${spot.kind} ${spot.label}${value}`.replace("  ", " "));
  }
  return { place, lines, body: found };
}

/** A unit as text. */
export function bodyText(body: WorldBody): string {
  const whose = body.side === WorldSide.OURS ? "ours" : body.side === WorldSide.THEIRS ? "theirs" : "";
  const what = [body.name || "unknown", body.role || body.kind, whose, shortIds(body.detail), body.alive ? "" : "out of action"];
  const carried = body.carried.length === 0 ? "" : `carries ${body.carried.map((thing) => thing.what).join(", ")}`;
  return [...what, carried].filter((text) => text !== "").join(" · ");
}
