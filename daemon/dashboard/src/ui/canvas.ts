/** Canvases that are as sharp as the screen and are painted at most once a frame. */
import { onCleanup } from "solid-js";
import type { Size } from "../map/camera";

/** A canvas that is painted when something asks for it. */
export interface Surface {
  readonly size: () => Size;
  /** Requests a paint in the next frame. */
  ask(): void;
}

/** Watches the canvas' size; `paint` gets a pen in CSS pixels. */
export function surface(
  canvas: HTMLCanvasElement,
  paint: (pen: CanvasRenderingContext2D, size: Size, density: number) => void,
): Surface {
  const pen = canvas.getContext("2d");
  let size: Size = { width: 1, height: 1 };
  let frame = 0;
  const draw = (): void => {
    frame = 0;
    if (pen === null) return;
    const density = devicePixelRatio;
    const [width, height] = [Math.round(size.width * density), Math.round(size.height * density)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.clearRect(0, 0, size.width, size.height);
    paint(pen, size, density);
  };
  const ask = (): void => {
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const watch = new ResizeObserver(() => {
    size = { width: Math.max(1, canvas.clientWidth), height: Math.max(1, canvas.clientHeight) };
    ask();
  });
  watch.observe(canvas);
  onCleanup(() => {
    watch.disconnect();
    cancelAnimationFrame(frame);
  });
  return { size: () => size, ask };
}
