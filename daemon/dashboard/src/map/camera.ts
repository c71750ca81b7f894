/** Which part of the map is visible, and how large. */
import { select } from "d3-selection";
import { zoom, zoomIdentity, zoomTransform, type D3ZoomEvent, type ZoomTransform } from "d3-zoom";
import type { Box, Point } from "./geometry";

export interface Camera {
  /** The centre of the canvas in map units. */
  readonly x: number;
  readonly y: number;
  /** Pixels per map unit. */
  readonly zoom: number;
}

/** The size of the canvas in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Smallest and largest zoom, in pixels per map unit. */
export const ZOOM = { least: 1.5, most: 120 } as const;
/** A mouse that moves less than this between press and release has clicked, in pixels. */
const CLICK = 4;

/** Shows the whole box with a margin; `left` pixels at the left and `top` pixels above are taken by something else. */
export function fit(box: Box, size: Size, left = 0, top = 0): Camera {
  const margin = 0.96;
  const across = ((size.width - left) * margin) / Math.max(box.width, 1);
  const wanted = Math.min(across, ((size.height - top) * margin) / Math.max(box.height, 1));
  const zoom = Math.min(ZOOM.most, Math.max(ZOOM.least, wanted));
  // It moves aside only as far as it must.
  const spare = (size.width - box.width * zoom) / 2;
  const aside = Math.max(0, Math.min(left, left - spare + size.width * ((1 - margin) / 2)));
  return { x: box.x + box.width / 2 - aside / zoom, y: box.y + box.height / 2 - top / 2 / zoom, zoom };
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

/** The camera of a canvas. */
export interface PanZoom {
  show(camera: Camera): void;
  panBy(dx: number, dy: number): void;
  zoomBy(factor: number): void;
}

/** Lets mouse, wheel and fingers pan and zoom; `moved` gets each new camera, and whether a person caused it. */
export function panZoom(canvas: HTMLCanvasElement, size: () => Size, moved: (camera: Camera, byHand: boolean) => void): PanZoom {
  const behaviour = zoom<HTMLCanvasElement, unknown>()
    .scaleExtent([ZOOM.least, ZOOM.most])
    .extent((): [[number, number], [number, number]] => [[0, 0], [size().width, size().height]])
    .clickDistance(CLICK)
    .duration(matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200)
    .on("zoom", ({ transform, sourceEvent }: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
      moved(cameraOf(transform, size()), sourceEvent !== null && sourceEvent !== undefined);
    });
  const selection = select(canvas).call(behaviour);
  return {
    show({ x, y, zoom: scale }) {
      const { width, height } = size();
      behaviour.transform(selection, zoomIdentity.translate(width / 2, height / 2).scale(scale).translate(-x, -y));
    },
    panBy(dx, dy) {
      const { k } = zoomTransform(canvas);
      behaviour.translateBy(selection, dx / k, dy / k);
    },
    zoomBy(factor) {
      behaviour.scaleBy(selection, factor);
    },
  };
}

/** The camera that shows the same as d3's transform. */
export function cameraOf({ x, y, k }: ZoomTransform, { width, height }: Size): Camera {
  return { x: (width / 2 - x) / k, y: (height / 2 - y) / k, zoom: k };
}
