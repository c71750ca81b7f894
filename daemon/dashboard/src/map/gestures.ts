/** Mouse and fingers on a map. */
import type { Point } from "./spread";

/** What they do. */
export interface Moves {
  pan(dx: number, dy: number): void;
  pinch(factor: number, at: Point): void;
  point(at: Point | undefined): void;
  tap(): void;
}

/** Handlers of a canvas' events. */
export interface Gestures {
  readonly down: (event: PointerEvent & { currentTarget: HTMLCanvasElement }) => void;
  readonly hover: (event: PointerEvent & { currentTarget: HTMLCanvasElement }) => void;
  readonly up: (event: PointerEvent) => void;
}

/** Mouse and fingers: one moves, two zoom. */
export function gestures(to: Moves): Gestures {
  const held = new Map<number, Point>();
  let moved = 0;
  return {
    down(event) {
      event.currentTarget.setPointerCapture(event.pointerId);
      held.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      moved = 0;
    },
    hover(event) {
      const at = { x: event.offsetX, y: event.offsetY };
      const before = held.get(event.pointerId);
      if (before === undefined) {
        to.point(at);
        return;
      }
      moved += Math.abs(at.x - before.x) + Math.abs(at.y - before.y);
      const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
      if (other === undefined) to.pan(at.x - before.x, at.y - before.y);
      else {
        const far = (point: Point): number => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
        to.pinch(far(at) / far(before), { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 });
      }
      held.set(event.pointerId, at);
    },
    up(event) {
      held.delete(event.pointerId);
      if (moved < 4) {
        to.point({ x: event.offsetX, y: event.offsetY });
        to.tap();
      }
    },
  };
}
