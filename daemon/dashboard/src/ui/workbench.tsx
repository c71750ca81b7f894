/** Panels that fill an area; borders move with pointer and keys, panels too while they are arranged. */
import { createMemo, createSignal, For, Index, Show, type JSX } from "solid-js";
import { dropAt, dropped, type Drop } from "../layout/drop";
import { docked, exchanged, neighbour, placed, resized, without, type Border, type Box, type Tile, type Tree, type Way } from "../layout/tree";
import "./workbench.css";

/** How far a key moves a border, as a share of both panels. */
const STEP = 0.03;
const WAYS: Readonly<Record<string, Way>> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

/** The area. */
export function Workbench(props: {
  tree: Tree;
  change: (tree: Tree | undefined) => void;
  /** Panels with nothing to show; they appear while panels are arranged. */
  hidden: ReadonlySet<string>;
  arranging: boolean;
  title: (id: string) => string;
  children: (id: string) => JSX.Element;
}): JSX.Element {
  let area: HTMLDivElement | undefined;
  const [drop, setDrop] = createSignal<Drop>();
  const hidden = (): ReadonlySet<string> => (props.arranging ? new Set() : props.hidden);
  const all = createMemo(() => placed(props.tree, hidden()));
  const ids = createMemo(() => all().tiles.map(({ id }) => id), [], { equals: (a, b) => a.join("\n") === b.join("\n") });
  const tile = (id: string): Tile | undefined => all().tiles.find((known) => known.id === id);
  /** The pointer in percent of the area. */
  const at = (event: PointerEvent): { x: number; y: number } => {
    const box = area?.getBoundingClientRect() ?? new DOMRect();
    return { x: ((event.clientX - box.left) / box.width) * 100, y: ((event.clientY - box.top) / box.height) * 100 };
  };
  const drag = (id: string, event: PointerEvent): void => {
    const { x, y } = at(event);
    setDrop(dropAt(all().tiles, id, x, y));
  };
  const release = (id: string): void => {
    const target = drop();
    setDrop(undefined);
    if (target !== undefined) props.change(dropped(props.tree, id, target));
  };
  const key = (id: string, event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const way = WAYS[event.key];
    if (event.key === "Escape") setDrop(undefined);
    if (way === undefined) return;
    event.preventDefault();
    const grip = event.currentTarget;
    const other = neighbour(props.tree, hidden(), id, way);
    if (event.shiftKey) props.change(docked(props.tree, id, "", way));
    else if (other !== undefined) props.change(exchanged(props.tree, id, other));
    // The panel may have another place in the document, which takes the focus away.
    queueMicrotask(() => { grip.focus(); });
  };
  return (
    <div class="bench" ref={(it) => { area = it; }} data-arranging={props.arranging ? "" : undefined}>
      <For each={ids()}>
        {(id) => (
          <div class="tile" data-panel={id} style={style(tile(id))}>
            <Show when={props.arranging}>
              <div class="tile-bar">
                <button
                  type="button"
                  class="tile-grip"
                  aria-label={`Move ${props.title(id)}: drag it; arrow keys exchange it with its neighbour, with shift they put it at an edge`}
                  onPointerDown={(event) => {
                    event.preventDefault();
                    event.currentTarget.focus();
                    event.currentTarget.setPointerCapture(event.pointerId);
                  }}
                  onPointerMove={(event) => { if (event.currentTarget.hasPointerCapture(event.pointerId)) drag(id, event); }}
                  onPointerUp={() => { release(id); }}
                  onPointerCancel={() => { setDrop(undefined); }}
                  onKeyDown={(event) => { key(id, event); }}
                >
                  <span aria-hidden="true">⠿</span> {props.title(id)}
                </button>
                <button type="button" class="tile-close" aria-label={`Remove ${props.title(id)}`} onClick={() => { props.change(without(props.tree, id)); }}>
                  ×
                </button>
              </div>
            </Show>
            <div class="tile-body">{props.children(id)}</div>
          </div>
        )}
      </For>
      <Index each={all().borders}>
        {(border) => (
          <BorderHandle border={border()} at={at} title={props.title} move={(share) => { props.change(resized(props.tree, border(), share)); }} />
        )}
      </Index>
      <Show when={drop()}>{(now) => <div class="tile-drop" data-way={now().way ?? "exchange"} style={style(now().preview)} />}</Show>
    </div>
  );
}

function BorderHandle(props: { border: Border; at: (event: PointerEvent) => { x: number; y: number }; title: (id: string) => string; move: (share: number) => void }): JSX.Element {
  const flat = (): boolean => props.border.axis === "x";
  const place = (): Box => {
    const { pair, share } = props.border;
    return flat() ? { ...pair, left: pair.left + pair.width * share, width: 0 } : { ...pair, top: pair.top + pair.height * share, height: 0 };
  };
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { pair } = props.border;
    const { x, y } = props.at(event);
    props.move(flat() ? (x - pair.left) / pair.width : (y - pair.top) / pair.height);
  };
  const press = (event: KeyboardEvent): void => {
    const by: Readonly<Record<string, number>> = flat() ? { ArrowLeft: -STEP, ArrowRight: STEP, Home: -1, End: 1 } : { ArrowUp: -STEP, ArrowDown: STEP, Home: -1, End: 1 };
    const step = by[event.key];
    if (step === undefined) return;
    event.preventDefault();
    props.move(props.border.share + step);
  };
  return (
    <div
      class="tile-border"
      data-axis={props.border.axis}
      role="separator"
      tabIndex={0}
      aria-label={`Border between ${props.title(props.border.between[0])} and ${props.title(props.border.between[1])}`}
      aria-orientation={flat() ? "vertical" : "horizontal"}
      aria-valuenow={Math.round(props.border.share * 100)}
      aria-valuemin={10}
      aria-valuemax={90}
      style={style(place())}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onKeyDown={press}
    />
  );
}

function style(box: Box | undefined): JSX.CSSProperties {
  return box === undefined ? {} : { left: `${box.left}%`, top: `${box.top}%`, width: `${box.width}%`, height: `${box.height}%` };
}
