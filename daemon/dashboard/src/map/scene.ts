/** Merges the stream's messages into whole worlds. */
import type { World, WorldLayer, WorldPart } from "../gen/phalanx/v1/worlds_pb";

/** The world after this message; parts marked as unchanged come from the world before. */
export function merge(before: World | undefined, message: World): World {
  const parts = message.parts.map((part) => {
    if (part.unchanged.length === 0) return part;
    const old = before?.parts.find((known) => known.name === part.name);
    return old === undefined ? part : filled(part, old);
  });
  return { ...message, parts };
}

function filled(part: WorldPart, old: WorldPart): WorldPart {
  const same = new Set(part.unchanged);
  return {
    ...part,
    layers: layers(part.layers, old.layers, same),
    nodes: same.has("nodes") ? old.nodes : part.nodes,
    edges: same.has("edges") ? old.edges : part.edges,
    spots: same.has("spots") ? old.spots : part.spots,
    bodies: same.has("bodies") ? old.bodies : part.bodies,
  };
}

/** The layers in their old order, since the ground is drawn first; new ones come last. */
function layers(fresh: readonly WorldLayer[], old: readonly WorldLayer[], same: ReadonlySet<string>): WorldLayer[] {
  const byName = new Map(fresh.map((layer) => [layer.name, layer]));
  const known = old.flatMap((layer) => {
    const now = byName.get(layer.name);
    byName.delete(layer.name);
    if (now !== undefined) return [now];
    return same.has(layer.name) ? [layer] : [];
  });
  return [...known, ...byName.values()];
}

/** The value of a layer at a cell; 0: never seen. */
export function valueAt(layer: WorldLayer, x: number, y: number): number {
  const at = indexOf(layer, x, y);
  return at === undefined ? 0 : (layer.cells[at] ?? 0);
}

/** The step in which a cell was last seen; undefined: never, or not recorded. */
export function seenAt(layer: WorldLayer, x: number, y: number): number | undefined {
  const at = indexOf(layer, x, y);
  const seen = at === undefined ? 0 : (layer.seen[at] ?? 0);
  return seen === 0 ? undefined : seen - 1;
}

function indexOf(layer: WorldLayer, x: number, y: number): number | undefined {
  const [column, row] = [x - layer.x, y - layer.y];
  const inside = column >= 0 && row >= 0 && column < layer.width && row < layer.height;
  return inside ? row * layer.width + column : undefined;
}

/** The value of a cell as text. */
export function meaning(layer: WorldLayer, value: number): string {
  if (value === 0) return "unknown";
  const { scale } = layer;
  if (scale !== undefined) {
    const number = scale.from + ((scale.to - scale.from) * (value - 1)) / 254;
    return scale.unit === "probability" ? `${Math.round(number * 100)} %` : `${Math.round(number)} ${scale.unit}`;
  }
  return layer.legend.find((entry) => entry.value === value)?.name ?? `${value}`;
}
