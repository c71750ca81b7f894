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
/** Heights of columns that are tried, by the highest part. */
const HEIGHTS = [1, 1.2, 1.5, 2, 2.6, 3.5] as const;
/** Cells between two parts: the name of the lower one is there. */
const GAP = 3;
/** A stage is about so much wider than high. */
const ASPECT = 1.4;

/** The parts in columns, those with most agents first. */
export function stageOf(world: World, groundOf: (part: WorldPart) => Ground, only: string): Stage {
  const one = world.parts.filter((part) => part.name === only);
  const parts = one.length > 0 ? one : [...world.parts].sort(byBodies).slice(0, PARTS_MAX);
  const grounds = parts.map(groundOf);
  const { places, width, height } = packed(grounds.map(({ box }) => box));
  const settings = parts.flatMap((part, index): Setting[] => {
    const [ground, at] = [grounds[index], places[index]];
    if (ground === undefined || at === undefined) return [];
    return [{ part, ground, shift: { x: at.x - ground.box.x, y: at.y - ground.box.y }, box: { ...ground.box, x: at.x, y: at.y } }];
  });
  const [alone] = settings;
  // A single part stays where it is, however it grows.
  if (alone !== undefined && settings.length === 1) {
    const { box } = alone.ground;
    return { settings: [{ ...alone, shift: { x: 0, y: 0 }, box }], box, titled: false };
  }
  return { settings, box: { x: -0.5, y: -1.5, width: width + 1, height: height + 2 }, titled: true };
}

/** Boxes in columns, as large on a stage as they can be. */
function packed(boxes: readonly Box[]): { places: Point[]; width: number; height: number } {
  const highest = boxes.reduce((most, { height }) => Math.max(most, height), 1);
  const tries = HEIGHTS.map((share) => columns(boxes, highest * share));
  return tries.reduce((best, next) => (span(next) < span(best) ? next : best));
}

function span({ width, height }: { width: number; height: number }): number {
  return Math.max(width / ASPECT, height);
}

function columns(boxes: readonly Box[], room: number): { places: Point[]; width: number; height: number } {
  let [x, y, wide, high] = [0, 0, 0, 0];
  const places = boxes.map((box): Point => {
    if (y > 0 && y + box.height > room) [x, y, wide] = [x + wide + GAP, 0, 0];
    const at = { x, y };
    [y, wide, high] = [y + box.height + GAP, Math.max(wide, box.width), Math.max(high, y + box.height)];
    return at;
  });
  return { places, width: Math.max(1, x + wide), height: Math.max(1, high) };
}

function byBodies(a: WorldPart, b: WorldPart): number {
  return b.bodies.length - a.bodies.length || (a.name < b.name ? -1 : 1);
}

/** The part below a point of the stage: the one that has it, else the only one. */
export function settingAt(stage: Stage, at: Point): Setting | undefined {
  const inside = ({ box }: Setting): boolean => at.x >= box.x && at.y >= box.y && at.x < box.x + box.width && at.y < box.y + box.height;
  return stage.settings.find(inside) ?? (stage.settings.length === 1 ? stage.settings[0] : undefined);
}
