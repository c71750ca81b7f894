/** A world on a canvas, with what belongs to it: layers, legend, hover, the same in words. */
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show, type JSX } from "solid-js";
import { WorldSide, type World, type WorldPart } from "../gen/phalanx/v1/worlds_pb";
import { fit, pan, toMap, zoomAt, type Camera } from "../map/camera";
import { gestures } from "../map/gestures";
import { lookOf } from "../map/look";
import { Painter, type Picture } from "../map/paint";
import { middle, type Ground } from "../map/place";
import type { Reel } from "../map/reel";
import type { Point } from "../map/spread";
import { bodyText, under, type Under } from "../map/under";
import { byNumber } from "../match/strip";
import { useTheme } from "../state/theme";
import { surface, type Surface } from "../ui/canvas";
import { MapSide } from "./map-side";

/** Pixels that a press of an arrow key moves, and the factor of a press on + or −. */
const KEY_STEP = 48;
const KEY_ZOOM = 1.3;

/** The map with its controls; below it stand the children. */
export function MapPane(props: {
  /** Whose map it is, for those who do not see it. */
  title: string;
  reel: Reel;
  /** Which of its worlds is shown. */
  index: number;
  /** Grows whenever the reel does. */
  version: number;
  /** What to say where there is no world yet. */
  waiting: string;
  /** The agent that stands out; empty: none. */
  chosen: string;
  choose: (agent: string) => void;
  children: JSX.Element;
}): JSX.Element {
  const theme = useTheme();
  const [chosenPart, setChosenPart] = createSignal("");
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>(new Set());
  const [followed, setFollowed] = createSignal(false);
  const [camera, setCamera] = createSignal<Camera>();
  const [pointer, setPointer] = createSignal<Point>();
  let shown: Surface | undefined;
  const world = createMemo(on([() => props.version, () => props.index], (): World | undefined => props.reel.worlds[props.index]));
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
  // A game hides its own layers once, and not again with each of its worlds: what somebody chose stays.
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
  const bind = (canvas: HTMLCanvasElement): void => {
    const made = surface(canvas, (pen, size, density) => {
      const now = picture();
      if (now === undefined) return;
      painter ??= new Painter(pen);
      const key = `${now.part.name} ${now.ground.box.width > 1 ? "" : "small"}`;
      let shot = camera();
      if (shot === undefined || fitted !== key) {
        fitted = key;
        shot = fit(now.ground.box, size);
        setCamera(shot);
      }
      const began = performance.now();
      painter.paint(now, shot, size, density);
      canvas.dataset["paintMs"] = (performance.now() - began).toFixed(2);
    });
    shown = made;
    createEffect(() => {
      picture();
      camera();
      made.ask();
    });
    // A wheel listener that may keep the page from scrolling has to say so.
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * 0.0015), { x: event.offsetX, y: event.offsetY });
    };
    canvas.addEventListener("wheel", wheel, { passive: false });
    onCleanup(() => {
      canvas.removeEventListener("wheel", wheel);
    });
  };
  const all = (): void => {
    const [now, size] = [picture(), shown?.size()];
    touched = false;
    if (now !== undefined && size !== undefined && size.width > 1) setCamera(fit(now.ground.box, size));
  };
  const zoom = (factor: number, at?: Point): void => {
    const [shot, size] = [camera(), shown?.size()];
    if (shot === undefined || size === undefined) return;
    touched = true;
    setCamera(zoomAt(shot, size, at ?? { x: size.width / 2, y: size.height / 2 }, factor));
  };
  createEffect(() => {
    const now = picture();
    if (!followed() || now === undefined) return;
    const body = now.part.bodies.find((known) => known.name !== "" && known.name === props.chosen);
    const at = middle(now.ground, body?.place);
    if (at === undefined) return;
    touched = true;
    setCamera((shot) => (shot === undefined ? shot : { ...shot, x: at.x, y: at.y }));
  });

  // As long as nobody chose what to see, all of a map that grows is seen.
  createEffect(
    on(ground, () => {
      if (!touched) all();
    }),
  );
  const moved = (dx: number, dy: number): void => {
    touched = true;
    setFollowed(false);
    setCamera((shot) => (shot === undefined ? shot : pan(shot, dx, dy)));
  };
  const gesture = gestures({
    pan: moved,
    pinch: zoom,
    point: setPointer,
    tap() {
      const agent = hover()?.agent ?? "";
      if (agent !== "") props.choose(agent);
    },
  });
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

  return (
    <div class="map">
      <div class="map-stage">
        <canvas
          ref={bind}
          class="map-canvas"
          tabIndex={0}
          role="img"
          aria-label={`Map of ${props.title}: ${part()?.bodies.length ?? 0} bodies, ${part()?.spots.length ?? 0} marked places. Arrow keys move, plus and minus zoom, 0 shows all. The list beside it says the same in words.`}
          onPointerDown={gesture.down}
          onPointerMove={gesture.hover}
          onPointerUp={gesture.up}
          onPointerCancel={gesture.up}
          onPointerLeave={() => { setPointer(undefined); }}
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
        <div class="map-tools">
          <button type="button" onClick={() => { zoom(KEY_ZOOM); }} aria-label="Zoom in">+</button>
          <button type="button" onClick={() => { zoom(1 / KEY_ZOOM); }} aria-label="Zoom out">−</button>
          <button type="button" onClick={all} aria-label="Show all">⤢</button>
        </div>
        {props.children}
      </div>
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
    </div>
  );
}

