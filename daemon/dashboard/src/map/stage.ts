/** Parts of a world side by side: their places to each other are not known. */
import type { World, WorldPart } from "../gen/phalanx/v1/worlds_pb";
import type { Box, Point } from "./geometry";
import type { Ground } from "./place";

/** A part with its place on the stage. */
export interface Setting {
  readonly part: WorldPart;
  readonly ground: Ground;
  /** What is added to a place of the part. */
  readonly shift: Point;
  /** What it covers on the stage. */
  readonly box: Box;
}

/** All parts that are shown. */
export interface Stage {
  readonly settings: readonly Setting[];
  readonly box: Box;
  /** Each has its name above it. */
  readonly titled: boolean;
}

/** Most parts that are shown at the same time. */
export const PARTS_MAX = 12;
/** Cells between two parts: the name of the lower one is there. */
const GAP = 3;
/** A stage is about so much wider than high. */
const ASPECT = 1.5;

/** The parts in rows, those with most agents first. */
export function stageOf(world: World, groundOf: (part: WorldPart) => Ground, only: string): Stage {
  const one = world.parts.filter((part) => part.name === only);
  const parts = one.length > 0 ? one : [...world.parts].sort(byBodies).slice(0, PARTS_MAX);
  const grounds = parts.map(groundOf);
  const area = grounds.reduce((sum, { box }) => sum + (box.width + GAP) * (box.height + GAP), 0);
  const widest = grounds.reduce((most, { box }) => Math.max(most, box.width), 1);
  const room = Math.max(widest, Math.sqrt(area * ASPECT));
  const settings: Setting[] = [];
  let [x, y, high, wide] = [0, 0, 0, 0];
  for (const [index, part] of parts.entries()) {
    const ground = grounds[index];
    if (ground === undefined) continue;
    const { box } = ground;
    if (x > 0 && x + box.width > room) [x, y, high] = [0, y + high + GAP, 0];
    settings.push({ part, ground, shift: { x: x - box.x, y: y - box.y }, box: { ...box, x, y } });
    [x, high] = [x + box.width + GAP, Math.max(high, box.height)];
    wide = Math.max(wide, x - GAP);
  }
  const [alone] = settings;
  // A single part stays where it is, however it grows.
  if (alone !== undefined && settings.length === 1) {
    const { box } = alone.ground;
    return { settings: [{ ...alone, shift: { x: 0, y: 0 }, box }], box, titled: false };
  }
  return { settings, box: { x: 0, y: -1, width: Math.max(1, wide), height: Math.max(1, y + high + 1) }, titled: true };
}

function byBodies(a: WorldPart, b: WorldPart): number {
  return b.bodies.length - a.bodies.length || (a.name < b.name ? -1 : 1);
}

/** The part below a point of the stage: the one that has it, else the only one. */
export function settingAt(stage: Stage, at: Point): Setting | undefined {
  const inside = ({ box }: Setting): boolean => at.x >= box.x && at.y >= box.y && at.x < box.x + box.width && at.y < box.y + box.height;
  return stage.settings.find(inside) ?? (stage.settings.length === 1 ? stage.settings[0] : undefined);
}
