/** The legend on the map: a box that can be closed and stays as it was left. */
import { createEffect, createSignal, For, onCleanup, type JSX } from "solid-js";
import { SIGN, type LegendLine } from "../map/legend";
import type { Look } from "../map/look";

/** Where the browser keeps whether it is open. */
const KEY = "phalanx.legend";
/** A map of this size has room for the legend, in CSS pixels. */
const ROOMY = { width: 600, height: 380 } as const;
/** Width and height of a sign in CSS pixels. */
const SIDE = SIGN * 2 + 6;

/** What colours and signs mean. */
export function MapLegend(props: { lines: readonly LegendLine[]; look: Look; onMap: boolean; resized?: (width: number) => void }): JSX.Element {
  const kept = localStorage.getItem(KEY);
  const roomy = matchMedia("(min-width: 901px)").matches;
  const [open, setOpen] = createSignal(kept === null ? roomy : kept === "open");
  let own = false;
  const bind = (box: HTMLElement): void => {
    if (props.resized === undefined) return;
    const around = box.parentElement ?? box;
    const watch = new ResizeObserver(() => {
      const { clientWidth, clientHeight } = around;
      // A small map is closed at first: its legend would cover it.
      if (!own && clientWidth > 1) setOpen(kept !== "closed" && roomy && clientWidth >= ROOMY.width && clientHeight >= ROOMY.height);
      props.resized?.(open() && clientWidth >= ROOMY.width ? box.offsetWidth : 0);
    });
    watch.observe(box);
    watch.observe(around);
    onCleanup(() => { watch.disconnect(); });
  };
  return (
    <details
      class={props.onMap ? "map-legend map-over" : "map-legend"}
      ref={bind}
      open={open()}
      onToggle={(event) => {
        const now = event.currentTarget.open;
        if (now === open()) return;
        own = true;
        setOpen(now);
        localStorage.setItem(KEY, now ? "open" : "closed");
      }}
    >
      <summary>Legend</summary>
      <ul class="plain">
        <For each={props.lines}>
          {(line) => (
            <li>
              <Sign line={line} look={props.look} />
              {line.text}
            </li>
          )}
        </For>
      </ul>
    </details>
  );
}

/** The sign, by the same code that draws it on the map. */
function Sign(props: { line: LegendLine; look: Look }): JSX.Element {
  const bind = (canvas: HTMLCanvasElement): void => {
    createEffect(() => {
      const pen = canvas.getContext("2d");
      const density = devicePixelRatio;
      canvas.width = canvas.height = Math.round(SIDE * density);
      pen?.setTransform(density, 0, 0, density, 0, 0);
      if (pen !== null) props.line.draw(pen, { x: SIDE / 2, y: SIDE / 2 }, props.look);
    });
  };
  return <canvas ref={bind} class="map-sign" aria-hidden="true" />;
}
