/** Which piece of the map is shown, and how large. */
import type { Box } from "./place";
import type { Point } from "./spread";

/** A look at the map. */
export interface Camera {
  /** The middle of the canvas in map units. */
  readonly x: number;
  readonly y: number;
  /** Pixels of a map unit. */
  readonly zoom: number;
}

/** The size of the canvas in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Smallest and largest zoom, in pixels of a map unit. */
export const ZOOM = { least: 1.5, most: 120 } as const;

/** Shows all of the box with a rim. */
export function fit(box: Box, size: Size): Camera {
  const rim = 0.94;
  const zoom = Math.min((size.width * rim) / Math.max(box.width, 1), (size.height * rim) / Math.max(box.height, 1));
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, zoom: clamp(zoom) };
}

/** Zooms by a factor; what is at this pixel stays there. */
export function zoomAt(camera: Camera, size: Size, at: Point, factor: number): Camera {
  const fixed = toMap(camera, size, at);
  const zoom = clamp(camera.zoom * factor);
  return {
    x: fixed.x - (at.x - size.width / 2) / zoom,
    y: fixed.y - (at.y - size.height / 2) / zoom,
    zoom,
  };
}

/** Moves the map by so many pixels. */
export function pan(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom };
}

/** The place below a pixel. */
export function toMap(camera: Camera, size: Size, at: Point): Point {
  return {
    x: camera.x + (at.x - size.width / 2) / camera.zoom,
    y: camera.y + (at.y - size.height / 2) / camera.zoom,
  };
}

/** The pixel of a place. */
export function toPixel(camera: Camera, size: Size, at: Point): Point {
  return {
    x: (at.x - camera.x) * camera.zoom + size.width / 2,
    y: (at.y - camera.y) * camera.zoom + size.height / 2,
  };
}

function clamp(zoom: number): number {
  return Math.min(ZOOM.most, Math.max(ZOOM.least, zoom));
}
