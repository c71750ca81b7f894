/** Where things of a part are, in one flat system: a cell is one unit, x to the right, y down. */
import type { WorldPart, WorldPlace } from "../gen/phalanx/v1/worlds_pb";
import type { Box, Point } from "./geometry";
import { layoutGraph } from "./graph-layout";

/** A part, laid out. */
export interface Ground {
  readonly kind: "grid" | "plane" | "graph" | "none";
  /** y of the referee grows upwards. */
  readonly up: boolean;
  /** Columns and rows after which a torus begins again; 0: it does not. */
  readonly around: { readonly x: number; readonly y: number };
  /** Places of the nodes of a graph. */
  readonly nodes: readonly Point[];
  /** Their names, in the same order. */
  readonly names: readonly string[];
  /** All that is known. */
  readonly box: Box;
}

/** Units between two neighbouring nodes of a graph. */
export const NODE_GAP = 3;

/** Lays a part out; the nodes of a graph stay where they were, as far as there are any. */
export function ground(part: WorldPart, before?: Ground): Ground {
  const none = { x: 0, y: 0 };
  switch (part.shape.case) {
    case "grid": {
      const { width, height, yUp } = part.shape.value;
      const around = { x: width ?? 0, y: height ?? 0 };
      return { kind: "grid", up: yUp, around, nodes: [], names: [], box: gridBox(part, yUp) };
    }
    case "plane": {
      const { width, height } = part.shape.value;
      return { kind: "plane", up: false, around: none, nodes: [], names: [], box: { x: 0, y: 0, width, height } };
    }
    case "graph": {
      const names = part.nodes.map((node) => node.name);
      const old = new Map(before?.names.map((name, at) => [name, before.nodes[at]]));
      const kept = names.map((name) => old.get(name));
      const whole = kept.filter((point) => point !== undefined);
      const edges = part.edges.map(({ a, b }) => [a, b] as const);
      const nodes = whole.length === names.length ? whole : layoutGraph(names.length, edges, NODE_GAP, kept);
      return { kind: "graph", up: false, around: none, nodes, names, box: pointsBox(nodes) };
    }
    case undefined:
      return { kind: "none", up: false, around: none, nodes: [], names: [], box: { x: 0, y: 0, width: 1, height: 1 } };
  }
}

/** The middle of a place in map units; undefined where it has none. */
export function middle(ground: Ground, place: WorldPlace | undefined): Point | undefined {
  const at = place?.place;
  switch (at?.case) {
    case "cell":
      return { x: at.value.x + 0.5, y: (ground.up ? -at.value.y : at.value.y) + 0.5 };
    case "point":
      return { x: at.value.x, y: at.value.y };
    case "node":
      return ground.nodes[at.value];
    case undefined:
      return undefined;
  }
}

/** The row of the referee at this height of the map. */
export function rowAt(ground: Ground, y: number): number {
  const row = Math.floor(y);
  return ground.up ? -row : row;
}

function gridBox(part: WorldPart, up: boolean): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const take = (x: number, y: number): void => {
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + 1), Math.max(bottom, y + 1)];
  };
  const flat = (y: number): number => (up ? -y : y);
  for (const layer of part.layers) {
    if (layer.width === 0 || layer.height === 0) continue;
    take(layer.x, flat(layer.y));
    take(layer.x + layer.width - 1, flat(layer.y + layer.height - 1));
  }
  for (const { place } of [...part.bodies, ...part.spots]) {
    if (place?.place.case === "cell") take(place.place.value.x, flat(place.place.value.y));
  }
  if (left === Infinity) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function pointsBox(points: readonly Point[]): Box {
  if (points.length === 0) return { x: 0, y: 0, width: 1, height: 1 };
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const [x, y] = [Math.min(...xs) - 1, Math.min(...ys) - 1];
  return { x, y, width: Math.max(...xs) + 1 - x, height: Math.max(...ys) + 1 - y };
}
