/** Where things of a part are, in one flat system: a cell is one unit, x to the right, y down. */
import type { WorldLayer, WorldPart, WorldPlace } from "../gen/phalanx/v1/worlds_pb";
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
  /** How large a cell is, or what is drawn like one, in map units. */
  readonly unit: number;
}

/** The longer side of a plane, in sizes of a body; and a body on a graph, whose nodes are far apart. */
const PLANE_UNITS = 28;
const GRAPH_UNIT = 1.7;
/** Unseen cells that are shown around the seen ones. */
const AROUND = 1;
/** Units between two neighbouring nodes of a graph. */
export const NODE_GAP = 3;

/** Lays a part out; the nodes of a graph stay where they were, as far as there are any. */
export function ground(part: WorldPart, before?: Ground): Ground {
  const none = { x: 0, y: 0 };
  switch (part.shape.case) {
    case "grid": {
      const { width, height, yUp } = part.shape.value;
      const around = { x: width ?? 0, y: height ?? 0 };
      return { kind: "grid", up: yUp, around, nodes: [], names: [], box: gridBox(part, yUp), unit: 1 };
    }
    case "plane": {
      const { width, height } = part.shape.value;
      return { kind: "plane", up: false, around: none, nodes: [], names: [], box: { x: 0, y: 0, width, height }, unit: Math.max(width, height, 1) / PLANE_UNITS };
    }
    case "graph": {
      const names = part.nodes.map((node) => node.name);
      const old = new Map(before?.names.map((name, at) => [name, before.nodes[at]]));
      const kept = names.map((name) => old.get(name));
      const whole = kept.filter((point) => point !== undefined);
      const edges = part.edges.map(({ a, b }) => [a, b] as const);
      const nodes = whole.length === names.length ? whole : layoutGraph(names.length, edges, NODE_GAP, kept);
      return { kind: "graph", up: false, around: none, nodes, names, box: pointsBox(nodes), unit: GRAPH_UNIT };
    }
    case undefined:
      return { kind: "none", up: false, around: none, nodes: [], names: [], box: { x: 0, y: 0, width: 1, height: 1 }, unit: 1 };
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

/** What was seen, and a little around it; a whole layer where all of it was seen. Numbers may reach further. */
function gridBox(part: WorldPart, up: boolean): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const take = (x: number, y: number, far: number): void => {
    [left, top] = [Math.min(left, x - far), Math.min(top, y - far)];
    [right, bottom] = [Math.max(right, x + far + 1), Math.max(bottom, y + far + 1)];
  };
  const flat = (y: number): number => (up ? -y : y);
  for (const layer of part.layers) {
    if (layer.width === 0 || layer.height === 0 || layer.scale !== undefined) continue;
    const [columns, rows] = seen(layer);
    if (columns[1] < columns[0]) continue;
    const far = columns[0] === 0 && rows[0] === 0 && columns[1] === layer.width - 1 && rows[1] === layer.height - 1 ? 0 : AROUND;
    take(layer.x + columns[0], flat(layer.y + rows[0]), far);
    take(layer.x + columns[1], flat(layer.y + rows[1]), far);
  }
  for (const { place } of [...part.bodies, ...part.spots]) {
    if (place?.place.case === "cell") take(place.place.value.x, flat(place.place.value.y), 0);
  }
  if (left === Infinity) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** First and last column and row with a cell that was seen. */
function seen({ cells, width, height }: WorldLayer): [[number, number], [number, number]] {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (const [at, value] of cells.entries()) {
    if (value === 0) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  return [[left, right], [top, bottom]];
}

function pointsBox(points: readonly Point[]): Box {
  if (points.length === 0) return { x: 0, y: 0, width: 1, height: 1 };
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const [x, y] = [Math.min(...xs) - 1, Math.min(...ys) - 1];
  return { x, y, width: Math.max(...xs) + 1 - x, height: Math.max(...ys) + 1 - y };
}
