/** A world on a canvas, with layers, legend, tooltip and the same content as text. */
import { createEffect, createMemo, createSignal, For, on, Show, untrack, type JSX } from "solid-js";
import { WorldSide, type World, type WorldPart } from "../gen/phalanx/v1/worlds_pb";
import { fit, panZoom, toMap, type Camera, type PanZoom, type Size } from "../map/camera";
import { lookOf } from "../map/look";
import { Painter, type Picture } from "../map/paint";
import { middle, type Ground } from "../map/place";
import type { Reel } from "../map/reel";
import type { Point } from "../map/geometry";
import { bodyText, under, type Under } from "../map/under";
import { byNumber } from "../match/strip";
import { useTheme } from "../state/theme";
import { surface, type Surface } from "../ui/canvas";
import { MapSide } from "./map-side";

/** Pixels that an arrow key pans, and the factor by which + and − zoom. */
const KEY_STEP = 48;
const KEY_ZOOM = 1.3;

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
  /** Puts layers and legend into a box on the map that opens on demand, instead of beside it. */
  compact?: boolean;
  /** Adds to a world before it is shown; another function shows it anew. */
  decorate?: ((world: World) => World) | undefined;
  children: JSX.Element;
}): JSX.Element {
  const theme = useTheme();
  const [chosenPart, setChosenPart] = createSignal("");
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>(new Set());
  const [followed, setFollowed] = createSignal(false);
  const [camera, setCamera] = createSignal<Camera>();
  const [pointer, setPointer] = createSignal<Point>();
  let shown: Surface | undefined;
  const world = createMemo(
    on([() => props.version, () => props.index, () => props.reel, () => props.decorate], (): World | undefined => {
      const plain = props.reel.worlds[props.index];
      return plain === undefined ? undefined : (props.decorate?.(plain) ?? plain);
    }),
  );
  const part = createMemo((): WorldPart | undefined => {
    const parts = world()?.parts ?? [];
    const chosen = props.chosen;
    return (
      parts.find((known) => known.name === chosenPart()) ??
      parts.find((known) => chosen !== "" && known.bodies.some((body) => body.name === chosen)) ??
      [...parts].sort((a, b) => b.bodies.length - a.bodies.length)[0]
    );
  });
  const ground = createMemo((): Ground | undefined => {
    const [now, here] = [world(), part()];
    return now === undefined || here === undefined ? undefined : props.reel.groundOf(now, here.name);
  });
  const game = createMemo(() => world()?.game);
  const look = createMemo(() => lookOf(game() ?? "", theme.dark()));
  // Apply a game's hidden layers once: later worlds must not undo what the person chose.
  createEffect(
    on(game, (named) => {
      if (named !== undefined) setHidden(new Set(lookOf(named, true).hidden));
    }),
  );
  const picture = createMemo((): Picture | undefined => {
    const [now, here, flat] = [world(), part(), ground()];
    if (now === undefined || here === undefined || flat === undefined) return undefined;
    const trails = props.reel.trails(props.index, here.name, flat);
    return { part: here, ground: flat, marks: now.marks, look: look(), hidden: hidden(), chosen: props.chosen, trails };
  });
  const hover = createMemo((): Under | undefined => {
    const [at, shot, now, flat] = [pointer(), camera(), picture(), world()];
    const size = shown?.size();
    if (at === undefined || shot === undefined || now === undefined || size === undefined) return undefined;
    return under(now.part, now.ground, now.marks, toMap(shot, size, at), flat?.turn?.step ?? 0);
  });

  let touched = false;
  let painter: Painter | undefined;
  let fitted = "";
  let view: PanZoom | undefined;
  const bind = (canvas: HTMLCanvasElement): void => {
    const made = surface(canvas, (pen, size, density) => {
      const now = picture();
      if (now === undefined) return;
      painter ??= new Painter(pen);
      const key = `${now.part.name} ${now.ground.box.width > 1 ? "" : "small"}`;
      if (camera() === undefined || fitted !== key || (!touched && fittedTo !== size)) {
        fitted = key;
        fittedTo = size;
        view?.show(fit(now.ground.box, size));
      }
      const shot = camera();
      if (shot === undefined) return;
      const began = performance.now();
      painter.paint(now, shot, size, density);
      canvas.dataset["paintMs"] = (performance.now() - began).toFixed(2);
    });
    shown = made;
    view = panZoom(canvas, made.size, (next, byHand) => {
      if (byHand) leave();
      setCamera(next);
    });
    createEffect(() => {
      picture();
      camera();
      made.ask();
    });
  };
  let fittedTo: Size | undefined;
  const all = (): void => {
    const [now, size] = [picture(), shown?.size()];
    touched = false;
    if (now !== undefined && size !== undefined && size.width > 1) view?.show(fit(now.ground.box, size));
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
  createEffect(() => {
    const now = picture();
    if (!followed() || now === undefined) return;
    const body = now.part.bodies.find((known) => known.name !== "" && known.name === props.chosen);
    const at = middle(now.ground, body?.place);
    if (at === undefined) return;
    touched = true;
    const shot = untrack(camera);
    if (shot !== undefined) view?.show({ ...shot, x: at.x, y: at.y });
  });

  // Until a person pans or zooms, the whole of a growing map stays visible.
  createEffect(
    on(ground, () => {
      if (!touched) all();
    }),
  );
  const moved = (dx: number, dy: number): void => {
    leave();
    view?.panBy(dx, dy);
  };
  const point = (event: PointerEvent): void => {
    setPointer(event.buttons === 0 || event.pointerType === "touch" ? { x: event.offsetX, y: event.offsetY } : undefined);
  };
  const tap = (event: MouseEvent): void => {
    setPointer({ x: event.offsetX, y: event.offsetY });
    const agent = hover()?.agent ?? "";
    if (agent !== "") props.choose(agent);
  };
  const key = (event: KeyboardEvent): void => {
    const moves: Record<string, () => void> = {
      ArrowLeft: () => { moved(KEY_STEP, 0); },
      ArrowRight: () => { moved(-KEY_STEP, 0); },
      ArrowUp: () => { moved(0, KEY_STEP); },
      ArrowDown: () => { moved(0, -KEY_STEP); },
      "+": () => { zoom(KEY_ZOOM); },
      "-": () => { zoom(1 / KEY_ZOOM); },
      "0": all,
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  };
  const ours = createMemo((): readonly string[] =>
    (world()?.parts ?? [])
      .flatMap((known) => known.bodies.filter((body) => body.side === WorldSide.OURS && body.agent !== undefined && body.name !== ""))
      .map((body) => body.name)
      .sort(byNumber),
  );
  const words = createMemo(() => (part()?.bodies ?? []).map((body) => ({ name: body.name, text: bodyText(body) })));
  const side = (): JSX.Element => (
    <MapSide
      world={world()}
      part={part()}
      choosePart={setChosenPart}
      hidden={hidden()}
      hide={setHidden}
      agents={ours()}
      followed={followed()}
      setFollowed={setFollowed}
      chosen={props.chosen}
      choose={props.choose}
      look={look()}
      words={words()}
    />
  );

  return (
    <div class="map" data-compact={props.compact === true ? "" : undefined}>
      <div class="map-stage">
        <canvas
          ref={bind}
          class="map-canvas"
          tabIndex={0}
          role="img"
          aria-label={`Map of ${props.title}: ${part()?.bodies.length ?? 0} units, ${part()?.spots.length ?? 0} marked places. Arrow keys pan, plus and minus zoom, 0 shows all. The list of units has the same content as text.`}
          onPointerMove={point}
          onPointerLeave={() => { setPointer(undefined); }}
          onClick={tap}
          onKeyDown={key}
        />
        <Show when={hover() !== undefined && pointer() !== undefined}>
          <div
            class="map-hint"
            style={{ left: `${(pointer()?.x ?? 0) + 14}px`, top: `${(pointer()?.y ?? 0) + 14}px` }}
          >
            <strong>{hover()?.place}</strong>
            <For each={hover()?.lines}>{(text) => <span>{text}</span>}</For>
          </div>
        </Show>
        <Show when={world() === undefined}>
          <p class="map-empty">{props.waiting}</p>
        </Show>
        <Show when={props.compact === true}>
          <details class="map-more">
            <summary>Layers and legend</summary>
            {side()}
          </details>
        </Show>
        <div class="map-tools">
          <button type="button" onClick={() => { zoom(KEY_ZOOM); }} aria-label="Zoom in">+</button>
          <button type="button" onClick={() => { zoom(1 / KEY_ZOOM); }} aria-label="Zoom out">−</button>
          <button type="button" onClick={all} aria-label="Show all">⤢</button>
        </div>
        {props.children}
      </div>
      <Show when={props.compact !== true}>{side()}</Show>
    </div>
  );
}

