/** A world with its sides exchanged: a rival's view in the page's colours. */
import { WorldSide, WorldTone, type World, type WorldLayer, type WorldPart } from "../gen/phalanx/v1/worlds_pb";

/** Layers that are exchanged already, so that what is kept for a layer is kept for its image too. */
const layers = new WeakMap<WorldLayer, WorldLayer>();

/** The same world with ours and theirs exchanged. */
export function mirrored(world: World): World {
  return {
    ...world,
    parts: world.parts.map(part),
    tables: world.tables.map((table) => ({ ...table, rows: table.rows.map((row) => ({ ...row, tone: tone(row.tone) })) })),
  };
}

function part(known: WorldPart): WorldPart {
  return {
    ...known,
    layers: known.layers.map(layer),
    spots: known.spots.map((spot) => ({ ...spot, tone: tone(spot.tone) })),
    nodes: known.nodes.map((node) => ({ ...node, owner: side(node.owner), zone: side(node.zone) })),
    bodies: known.bodies.map((body) => ({ ...body, side: side(body.side) })),
  };
}

function layer(known: WorldLayer): WorldLayer {
  const before = layers.get(known);
  if (before !== undefined) return before;
  const made: WorldLayer = { ...known, legend: known.legend.map((entry) => ({ ...entry, tone: tone(entry.tone) })) };
  if (known.scale !== undefined) made.scale = { ...known.scale, tone: tone(known.scale.tone) };
  layers.set(known, made);
  return made;
}

function side(known: WorldSide): WorldSide {
  if (known === WorldSide.OURS) return WorldSide.THEIRS;
  return known === WorldSide.THEIRS ? WorldSide.OURS : known;
}

function tone(known: WorldTone): WorldTone {
  if (known === WorldTone.OURS) return WorldTone.THEIRS;
  return known === WorldTone.THEIRS ? WorldTone.OURS : known;
}
