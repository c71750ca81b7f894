/** The chosen place on the map, and how keys move it. */
import type { Point } from "./geometry";
import type { Setting } from "./stage";

/** Directions of arrow keys. */
export const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** A node further away than this from a point is not meant, in map units. */
const NEAR = 1.5;

/** The middle of what is at a point of the stage: a cell, the nearest node, or the point itself. */
export function snapped({ ground, shift }: Setting, at: Point): Point | undefined {
  switch (ground.kind) {
    case "grid":
      return { x: Math.floor(at.x - shift.x) + 0.5 + shift.x, y: Math.floor(at.y - shift.y) + 0.5 + shift.y };
    case "graph": {
      const found = nearest(ground.nodes, { x: at.x - shift.x, y: at.y - shift.y }, () => true);
      if (found === undefined || Math.hypot(found.x + shift.x - at.x, found.y + shift.y - at.y) > NEAR) return undefined;
      return { x: found.x + shift.x, y: found.y + shift.y };
    }
    default:
      return at;
  }
}

/** Where the next place is in a direction; the same one if there is none. */
export function stepped({ ground, shift }: Setting, from: Point, way: Point): Point {
  if (ground.kind !== "graph") return { x: from.x + way.x, y: from.y + way.y };
  const here = { x: from.x - shift.x, y: from.y - shift.y };
  const ahead = ({ x, y }: Point): boolean => {
    const [dx, dy] = [x - here.x, y - here.y];
    const forward = dx * way.x + dy * way.y;
    return forward > 0.1 && forward >= Math.hypot(dx, dy) * 0.6;
  };
  const found = nearest(ground.nodes, here, ahead);
  return found === undefined ? from : { x: found.x + shift.x, y: found.y + shift.y };
}

function nearest(points: readonly Point[], to: Point, fits: (point: Point) => boolean): Point | undefined {
  let best: { point: Point; far: number } | undefined;
  for (const point of points) {
    if (!fits(point)) continue;
    const far = Math.hypot(point.x - to.x, point.y - to.y);
    if (far < (best?.far ?? Infinity)) best = { point, far };
  }
  return best?.point;
}
