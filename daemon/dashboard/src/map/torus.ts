/** Worlds that begin again after some columns and rows. */
import type { Camera, Size } from "./camera";
import type { Point } from "./geometry";
import type { Ground } from "./place";

/** Copies of a torus beside each other. */
const COPIES = 5;
/** A longer step than this, in map units, is a jump if the map's size is unknown. */
const JUMP = 20;

/** Whether a step of this length crosses the edge of a torus of size `around`, or is too long for a step. */
export function isJump(distance: number, around: number): boolean {
  return Math.abs(distance) > (around > 0 ? around / 2 : JUMP);
}

/** How the world is shifted to fill the canvas: the map itself first. */
export function copiesOf({ around, box }: Ground, camera: Camera, size: Size): Point[] {
  const copies: Point[] = [{ x: 0, y: 0 }];
  if (around.x === 0 || around.y === 0) return copies;
  const [wide, high] = [size.width / camera.zoom, size.height / camera.zoom];
  // Those that lie on the canvas, wherever it was moved, and not more than some.
  const shifts = (from: number, length: number, all: number, middle: number, shown: number): number[] => {
    const first = Math.floor((middle - shown / 2 - from - length) / all) + 1;
    const last = Math.ceil((middle + shown / 2 - from) / all) - 1;
    const skipped = Math.max(0, Math.ceil((last - first + 1 - COPIES) / 2));
    return Array.from({ length: Math.max(0, last - first + 1 - 2 * skipped) }, (_, at) => (first + skipped + at) * all);
  };
  const across = shifts(box.x, box.width, around.x, camera.x, wide);
  const down = shifts(box.y, box.height, around.y, camera.y, high);
  for (const x of across) for (const y of down) if (x !== 0 || y !== 0) copies.push({ x, y });
  return copies;
}
