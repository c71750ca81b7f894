/** A world on a canvas, with layers, legend, inspector, tooltip and the same content as text. */
import { createEffect, createMemo, createSignal, For, on, Show, untrack, type JSX } from "solid-js";
import { WorldSide, type World, type WorldBody, type WorldPart, type WorldPlace } from "../gen/phalanx/v1/worlds_pb";
import { fit, panZoom, toMap, toPixel, type Camera, type PanZoom, type Size } from "../map/camera";
import { ARROWS, snapped, stepped } from "../map/cursor";
import { targetOf } from "../map/going";
import { legendOf } from "../map/legend";
import { lookOf } from "../map/look";
import { glide, Motion } from "../map/motion";
import { ownerOf } from "../map/owner";
import { Painter, type Focus, type Picture } from "../map/paint";
import { ground, middle, rowAt } from "../map/place";
import type { Reel } from "../map/reel";
import type { Point } from "../map/geometry";
import { settingAt, stageOf, type Setting, type Stage } from "../map/stage";
import { bodyText, under, type Under } from "../map/under";
import { byNumber } from "../match/strip";
import { useTheme } from "../state/theme";
import { surface, type Surface } from "../ui/canvas";
import { MapInspector, type Inspected } from "./map-inspector";
import { MapLegend } from "./map-legend";
import type { Errands } from "./map-orders";
import { MapSide } from "./map-side";
import "../map/map.css";

/** Pixels that an arrow key pans with shift, and the factor by which + and − zoom. */
const KEY_STEP = 48;
const KEY_ZOOM = 1.3;
/** A map that is less wide has its buttons above, as in the style sheet; they are this high. */
const [NARROW, BUTTONS] = [600, 44];
/** The names of parts are this high, in pixels. */
const NAMES = 14;

/** The map with its controls; the children are shown below it. */
export function MapPane(props: {
  /** The team's name, for screen readers. */
  title: string;
  reel: Reel;
  /** Index of the world that is shown. */
  index: number;
  /** Grows whenever the reel does. */
  version: number;
  /** Text while there is no world. */
  waiting: string;
  /** The highlighted agent; empty: none. */
  chosen: string;
  choose: (agent: string) => void;
  /** Names of the team's agents, by their index. */
  agents: readonly string[];
  /** Puts the layers into a box on the map that opens on demand, instead of beside it. */
  compact?: boolean;
  /** The agents that were sent somewhere; the world is that of a running match. */
  errands?: Errands;
  /** Adds to a world before it is shown; another function shows it anew. */
  decorate?: ((world: World) => World) | undefined;
  /** A place to which something beside the map leads. */
  picked?: { readonly part: string; readonly place: WorldPlace } | undefined;
  children: JSX.Element;
}): JSX.Element {
  const theme = useTheme();
  const motion = new Motion();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const [only, setOnly] = createSignal("");
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>(new Set());
  const [followed, setFollowed] = createSignal(false);
  const [camera, setCamera] = createSignal<Camera>();
  const [pointer, setPointer] = createSignal<Point>();
  /** The chosen place on the stage. */
  const [cell, setCell] = createSignal<Point>();
  const [inspecting, setInspecting] = createSignal(false);
  let shown: Surface | undefined;
  let touched = false;
  let painter: Painter | undefined;
  let fittedTo: Size | undefined;
  let view: PanZoom | undefined;
  let canvasOf: HTMLCanvasElement | undefined;
  /** Pixels at the left that the legend takes. */
  let left = 0;
  /** Pixels above the parts for their names, or for the buttons that a narrow map has there. */
  const above = ({ width }: Size): number => {
    if (stage()?.titled !== true) return 0;
    return props.compact === true && width < NARROW ? BUTTONS : NAMES;
  };
  const world = createMemo(
    on([() => props.version, () => props.index, () => props.reel, () => props.decorate], (): World | undefined => {
      const plain = props.reel.worlds[props.index];
      return plain === undefined ? undefined : (props.decorate?.(plain) ?? plain);
    }),
  );
  const stage = createMemo((): Stage | undefined => {
    const now = world();
    if (now === undefined || now.parts.length === 0) return undefined;
    return stageOf(now, (part) => props.reel.groundOf(now, part.name) ?? ground(part), only());
  });
  const look = createMemo(() => lookOf(theme.dark()));
  // Of several layers of numbers only the first is shown, once: later worlds must not undo what a person chose.
  const numbers = createMemo(() => (world()?.parts[0]?.layers ?? []).filter(({ scale }) => scale !== undefined).slice(1).map(({ name }) => name).join("\n"));
  createEffect(on(numbers, (names) => { setHidden(new Set(names === "" ? [] : names.split("\n"))); }));
  const picture = createMemo((): Picture | undefined => {
    const [now, shown] = [world(), stage()];
    if (now === undefined || shown === undefined) return undefined;
    const trails = new Map(shown.settings.map(({ part, ground }) => [part.name, props.reel.trails(props.index, part.name, ground)] as const));
    return { stage: shown, marks: now.marks, look: look(), hidden: hidden(), step: now.turn?.step ?? 0, trails };
  });

  const setting = (at: Point): Setting | undefined => {
    const shown = stage();
    return shown === undefined ? undefined : settingAt(shown, at);
  };
  const known = (at: Point | undefined): (Under & { readonly agent: string }) | undefined => {
    const [here, now] = [at === undefined ? undefined : setting(at), world()];
    if (at === undefined || here === undefined || now === undefined) return undefined;
    const found = under(here.part, here.ground, now.marks, { x: at.x - here.shift.x, y: at.y - here.shift.y }, now.turn?.step ?? 0);
    const body = found?.body;
    return found === undefined ? undefined : { ...found, agent: body === undefined ? "" : ownerOf(body, props.agents) };
  };
  const pointed = (): Point | undefined => {
    const [at, shot, size] = [pointer(), camera(), shown?.size()];
    return at === undefined || shot === undefined || size === undefined ? undefined : toMap(shot, size, at);
  };
  const hover = createMemo(() => known(pointed()));
  const snap = (at: Point | undefined): Point | undefined => {
    const here = at === undefined ? undefined : setting(at);
    return at === undefined || here === undefined ? undefined : snapped(here, at);
  };
  const targets = createMemo((): readonly Point[] =>
    [...(props.errands?.all().values() ?? [])].flatMap(({ at, part }) => {
      const shift = stage()?.settings.find((it) => it.part.name === part)?.shift;
      return shift === undefined ? [] : [{ x: at.x + shift.x, y: at.y + shift.y }];
    }),
  );
  const isChosen = (body: WorldBody): boolean => props.chosen !== "" && ownerOf(body, props.agents) === props.chosen;
  /** Names of the bodies that belong to the chosen agent. */
  const chosen = createMemo(() => new Set((world()?.parts ?? []).flatMap((part) => part.bodies.filter(isChosen)).map(({ name }) => name)));
  const focus = createMemo((): Focus => ({ chosen: chosen(), cell: cell(), hover: snap(pointed()), targets: targets() }));

  const bind = (canvas: HTMLCanvasElement): void => {
    canvasOf = canvas;
    const made = surface(canvas, (pen, size, density) => {
      const now = picture();
      if (now === undefined) return;
      painter ??= new Painter(pen);
      if (camera() === undefined || (!touched && fittedTo !== size)) {
        fittedTo = size;
        view?.show(fit(now.stage.box, size, left, above(size)));
      }
      const shot = camera();
      if (shot === undefined) return;
      const began = performance.now();
      painter.paint(now, focus(), motion, shot, size, density, began);
      canvas.dataset["paintMs"] = (performance.now() - began).toFixed(2);
      canvas.dataset["moving"] = motion.moves(began) ? "yes" : "no";
      if (motion.moves(began)) made.ask();
    });
    shown = made;
    view = panZoom(canvas, made.size, (next, byHand) => {
      if (byHand) leave();
      setCamera(next);
    });
    createEffect(() => {
      picture();
      camera();
      focus();
      made.ask();
    });
  };
  // Bodies glide as long as the time between the last two worlds; a jump to another turn is no movement.
  let [came, before] = [0, -1];
  let last: Stage | undefined;
  createEffect(
    on([stage, () => props.index], ([next, index]) => {
      if (next === undefined || next === last) return;
      last = next;
      const now = performance.now();
      const gap = now - came;
      const near = Math.abs(index - before) <= 1;
      motion.take(next, now, near ? glide(gap, calm.matches) : 0);
      [came, before] = [now, index];
    }),
  );
  const all = (): void => {
    const [now, size] = [picture(), shown?.size()];
    touched = false;
    if (now !== undefined && size !== undefined && size.width > 1) view?.show(fit(now.stage.box, size, left, above(size)));
  };
  /** The map moves out of the legend's way where there is room for both. */
  const inset = (width: number): void => {
    left = width === 0 || (shown?.size().width ?? 0) < width * 3 ? 0 : width + 16;
    if (!touched) all();
  };
  /** The person decides what is visible from here on. */
  const leave = (): void => {
    touched = true;
    setFollowed(false);
  };
  const zoom = (factor: number): void => {
    touched = true;
    view?.zoomBy(factor);
  };
  /** Where a body is on the stage. */
  const placeOf = (agent: string): Point | undefined => {
    for (const { part, ground, shift } of agent === "" ? [] : (stage()?.settings ?? [])) {
      const at = middle(ground, part.bodies.find((body) => ownerOf(body, props.agents) === agent)?.place);
      if (at !== undefined) return { x: at.x + shift.x, y: at.y + shift.y };
    }
    return undefined;
  };
  createEffect(() => {
    const at = followed() ? placeOf(props.chosen) : undefined;
    if (at === undefined) return;
    touched = true;
    const shot = untrack(camera);
    if (shot !== undefined) view?.show({ ...shot, x: at.x, y: at.y });
  });
  // Until a person pans or zooms, the whole of a growing map stays visible.
  createEffect(
    on(stage, () => {
      if (!touched) all();
    }),
  );
  const moved = (way: Point): void => {
    leave();
    view?.panBy(-way.x * KEY_STEP, -way.y * KEY_STEP);
  };
  const point = (event: PointerEvent): void => {
    setPointer(event.buttons === 0 || event.pointerType === "touch" ? { x: event.offsetX, y: event.offsetY } : undefined);
  };
  const tap = (event: MouseEvent): void => {
    setPointer({ x: event.offsetX, y: event.offsetY });
    const at = pointed();
    const agent = known(at)?.agent ?? "";
    setCell(snap(at));
    setInspecting(true);
    if (agent !== "") props.choose(agent);
    if (event.detail > 0 && matchMedia("(hover: none)").matches) setPointer(undefined);
  };
  const close = (): void => {
    setCell(undefined);
    setInspecting(false);
    if (props.chosen !== "") props.choose("");
    canvasOf?.focus();
  };
  /** Moves the chosen place, and the view with it. */
  const select = (way: Point): void => {
    const [shot, size] = [camera(), shown?.size()];
    if (shot === undefined || size === undefined) return;
    const from = cell() ?? placeOf(props.chosen);
    const here = from === undefined ? undefined : setting(from);
    const next = from === undefined || here === undefined ? snap({ x: shot.x, y: shot.y }) : stepped(here, from, way);
    if (next === undefined || setting(next) === undefined) return;
    setPointer(undefined);
    setCell(next);
    setInspecting(true);
    reveal(next);
  };
  /** Moves the view to a place of the stage that is outside of it. */
  const reveal = (place: Point): void => {
    const [shot, size] = [untrack(camera), shown?.size()];
    if (shot === undefined || size === undefined) return;
    const at = toPixel(shot, size, place);
    if (at.x > 0 && at.y > 0 && at.x < size.width && at.y < size.height) return;
    leave();
    view?.show({ ...shot, x: place.x, y: place.y });
  };
  createEffect(
    on(() => props.picked, (picked) => {
      const here = untrack(stage)?.settings.find(({ part }) => part.name === picked?.part);
      const at = here === undefined ? undefined : middle(here.ground, picked?.place);
      const next = here === undefined || at === undefined ? undefined : { x: at.x + here.shift.x, y: at.y + here.shift.y };
      setCell(next);
      if (next !== undefined) reveal(next);
    }, { defer: true }),
  );
  const key = (event: KeyboardEvent): void => {
    const way = ARROWS[event.key];
    const others: Record<string, () => void> = {
      "+": () => { zoom(KEY_ZOOM); },
      "-": () => { zoom(1 / KEY_ZOOM); },
      "0": all,
      Escape: close,
      Enter: () => { const agent = known(cell())?.agent ?? ""; if (agent !== "") props.choose(agent); },
      g: () => { if (inspected().reachable) go(); },
    };
    const act = way === undefined ? others[event.key] : (): void => { if (event.shiftKey) moved(way); else select(way); };
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  const inspected = createMemo((): Inspected => {
    const at = cell();
    const here = at === undefined ? undefined : setting(at);
    const part = stage()?.settings.map((it) => it.part).find((it) => it.bodies.some(isChosen));
    return {
      place: known(at),
      cell: at === undefined || here?.ground.kind !== "grid" ? undefined : { x: Math.floor(at.x - here.shift.x), y: rowAt(here.ground, at.y - here.shift.y) },
      agent: props.chosen,
      body: part?.bodies.find(isChosen),
      // Another part's places mean nothing to it.
      reachable: at !== undefined && here !== undefined && here.part === part && targetOf(here, at) !== undefined,
      sent: props.errands?.all().has(props.chosen) === true,
    };
  });
  const go = (): void => {
    const at = cell();
    const here = at === undefined ? undefined : setting(at);
    const target = at === undefined || here === undefined ? undefined : targetOf(here, at);
    if (at === undefined || here === undefined || target === undefined) return;
    void props.errands?.send(props.chosen, target, here.part.name, { x: at.x - here.shift.x, y: at.y - here.shift.y });
  };
  const open = (): boolean => cell() !== undefined || (props.chosen !== "" && (inspecting() || props.compact !== true));

  const parts = createMemo((): readonly WorldPart[] => (stage()?.settings ?? []).map((it) => it.part));
  const ours = createMemo((): readonly string[] =>
    [...new Set((world()?.parts ?? []).flatMap((part) => part.bodies.filter((body) => body.side === WorldSide.OURS)).map((body) => ownerOf(body, props.agents)))]
      .filter((name) => name !== "")
      .sort(byNumber),
  );
  const words = createMemo(() => parts().flatMap((part) => part.bodies).map((body) => ({ name: ownerOf(body, props.agents), text: bodyText(body) })));
  const lines = createMemo(() => {
    const [now, marks] = [stage(), world()?.marks ?? []];
    const trails = [...(picture()?.trails.values() ?? [])].some((some) => some.size > 0);
    const paths = parts().some((part) => part.bodies.some((body) => body.path.length > 0));
    return now === undefined ? [] : legendOf(now, { hidden: hidden(), marks: marks.length > 0, trails, paths, targets: targets().length > 0 });
  });
  // Lines that are the same stay the same, so that their signs are not painted anew with each world.
  const legend = createMemo(on(() => lines().map(({ text }) => text).join("\n"), () => untrack(lines)));
  const side = (): JSX.Element => (
    <MapSide
      world={world()}
      parts={parts()}
      only={only()}
      choosePart={(name) => { setOnly(name); all(); }}
      hidden={hidden()}
      hide={setHidden}
      agents={ours()}
      followed={followed()}
      setFollowed={setFollowed}
      chosen={props.chosen}
      choose={props.choose}
      words={words()}
      legend={<Show when={props.compact !== true}><MapLegend lines={legend()} look={look()} onMap={false} /></Show>}
    />
  );

  return (
    <div class="map" data-compact={props.compact === true ? "" : undefined}>
      <div class="map-stage">
        <div class="map-view">
          <canvas
            ref={bind}
            class="map-canvas"
            tabIndex={0}
            role="img"
            aria-label={`Map of ${props.title}: ${words().length} units. Arrow keys move the chosen place, with shift they pan; plus and minus zoom, 0 shows all, g sends the chosen agent there, Escape closes the inspector. The list of units has the same content as text.`}
            onPointerMove={point}
            onPointerLeave={() => { setPointer(undefined); }}
            onClick={tap}
            onKeyDown={key}
          />
          <Show when={hover() !== undefined && pointer() !== undefined}>
            <Hint under={hover()} at={pointer()} size={shown?.size()} />
          </Show>
          <Show when={world() === undefined}>
            <p class="map-empty">{props.waiting}</p>
          </Show>
          <Show when={stage() !== undefined}>
            <Show when={props.compact === true}>
              <MapLegend lines={legend()} look={look()} onMap resized={inset} />
            </Show>
          </Show>
          <div class="map-tools">
            <Show when={props.compact === true}>
              <details class="map-more">
                <summary aria-label="Layers" title="Layers, agents and the list of units">☰</summary>
                {side()}
              </details>
            </Show>
            <button type="button" onClick={() => { zoom(KEY_ZOOM); }} aria-label="Zoom in">+</button>
            <button type="button" onClick={() => { zoom(1 / KEY_ZOOM); }} aria-label="Zoom out">−</button>
            <button type="button" onClick={all} aria-label="Show all">⤢</button>
          </div>
          <Show when={open()}>
            <MapInspector
              about={inspected()}
              live={props.errands !== undefined}
              go={go}
              halt={() => { void props.errands?.stop(props.chosen); }}
              close={close}
            />
          </Show>
        </div>
        {props.children}
      </div>
      <Show when={props.compact !== true}>{side()}</Show>
    </div>
  );
}

/** What is below the pointer. */
function Hint(props: { under: Under | undefined; at: Point | undefined; size: Size | undefined }): JSX.Element {
  // Beside the pointer, at the side with room.
  const style = (): JSX.CSSProperties => {
    const { x, y } = props.at ?? { x: 0, y: 0 };
    const { width, height } = props.size ?? { width: 0, height: 0 };
    return {
      ...(x > width * 0.62 ? { right: `${width - x + 14}px` } : { left: `${x + 14}px` }),
      ...(y > height * 0.62 ? { bottom: `${height - y + 14}px` } : { top: `${y + 14}px` }),
    };
  };
  return (
    <div class="map-hint" style={style()}>
      <strong>{props.under?.place}</strong>
      <For each={props.under?.lines}>{(text) => <span>{text}</span>}</For>
    </div>
  );
}
