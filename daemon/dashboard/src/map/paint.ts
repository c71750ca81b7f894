/** Paints worlds on a canvas: the scenery, and what moves on it. */
import { WorldTone, type ScriptMark, type WorldBody } from "../gen/phalanx/v1/worlds_pb";
import type { Camera, Size } from "./camera";
import type { Point } from "./geometry";
import { contrast, css, sideInk, SIZES, toneInk, type Look } from "./look";
import { markShape } from "./marks";
import type { Figure, Motion } from "./motion";
import { middle } from "./place";
import { block, Scenery, View } from "./scenery";
import { drawBody, drawText, type Pen } from "./signs";
import type { Setting, Stage } from "./stage";
import { copiesOf, isJump } from "./torus";

/** What is painted. */
export interface Picture {
  readonly stage: Stage;
  readonly marks: readonly ScriptMark[];
  readonly look: Look;
  /** Names of layers that are not shown. */
  readonly hidden: ReadonlySet<string>;
  /** The step of the world, for what was seen long ago. */
  readonly step: number;
  /** Where each agent was in the worlds before, the oldest first, by part and agent. */
  readonly trails: ReadonlyMap<string, ReadonlyMap<string, readonly Point[]>>;
}

/** What a person looks at. */
export interface Focus {
  /** The highlighted agent; empty: none. */
  readonly chosen: ReadonlySet<string>;
  /** The chosen place, and the one below the pointer; in units of the stage. */
  readonly cell: Point | undefined;
  readonly hover: Point | undefined;
  /** Where agents were sent, in units of the stage. */
  readonly targets: readonly Point[];
}

/** Half of a sign that is read well, how far it may reach beyond its cell for that, and the least, in pixels. */
const READ = { half: 9, beyond: 0.85, least: 2.5, signed: 4.5 } as const;
/** Signs that are kept painted. */
const STAMPS = 600;

/** Paints one canvas. */
export class Painter {
  private readonly scenery = new Scenery();
  private readonly stamps = new Map<string, HTMLCanvasElement>();

  constructor(private readonly pen: Pen) {}

  /** Paints all of it, as it is at this moment. `density` is the device's pixels of a CSS pixel. */
  paint(picture: Picture, focus: Focus, motion: Motion, camera: Camera, size: Size, density: number, now: number): void {
    const { pen } = this;
    pen.setTransform(density, 0, 0, density, 0, 0);
    this.scenery.put(pen, picture, camera, size, density);
    const view = new View(pen, camera, size, density);
    const { settings } = picture.stage;
    for (const setting of settings) {
      const copies = settings.length === 1 ? copiesOf(setting.ground, camera, size) : [{ x: 0, y: 0 }];
      for (const copy of copies) {
        const on = view.moved({ x: setting.shift.x + copy.x, y: setting.shift.y + copy.y });
        this.moving(on, setting, picture, focus, motion, now);
      }
      if (copies.length > 1) this.echo(view, setting, picture.look);
    }
    this.cursors(view, picture, focus);
  }

  /** The world comes back on all sides of a torus; one copy is the map, the others are its echo. */
  private echo(view: View, { ground }: Setting, { colors, dark }: Look): void {
    const { pen } = this;
    view.inPixels();
    const { x, y } = view.pixel(ground.box);
    const [width, height] = [ground.box.width * view.camera.zoom, ground.box.height * view.camera.zoom];
    pen.fillStyle = css(colors.page, dark ? 0.55 : 0.6);
    pen.beginPath();
    pen.rect(0, 0, view.size.width, view.size.height);
    pen.rect(x, y, width, height);
    pen.fill("evenodd");
    pen.strokeStyle = css(colors.faint, 0.8);
    pen.lineWidth = 1;
    pen.strokeRect(x, y, width, height);
  }

  private moving(on: View, setting: Setting, picture: Picture, focus: Focus, motion: Motion, now: number): void {
    const { hidden, look } = picture;
    const { ground, part } = setting;
    on.inPixels();
    const figures = motion.of(part.name);
    const places = new Map(figures.map((figure) => [figure, motion.at(figure, ground, now)]));
    if (!hidden.has("trails")) {
      for (const [figure, at] of places) this.trail(on, figure, at, setting, picture, focus.chosen);
    }
    if (!hidden.has("marks")) for (const mark of marksOf(picture, part.name, figures)) this.mark(on, mark, setting, look);
    if (hidden.has("bodies")) return;
    for (const [figure, at] of places) this.carried(on, figure, at, { figures, look, up: ground.up });
    for (const [figure, at] of places) this.body(on, figure, at, { look, unit: ground.unit, chosen: focus.chosen });
  }

  private trail(on: View, { body }: Figure, at: Point, { ground, part }: Setting, { trails, look }: Picture, chosen: ReadonlySet<string>): void {
    const { pen } = this;
    const points = body.name === "" ? undefined : trails.get(part.name)?.get(body.name);
    const mine = chosen.has(body.name);
    const color = sideInk(look, body.side);
    const wide = Math.max(2.4, on.camera.zoom * ground.unit * (mine ? 0.24 : 0.17));
    pen.lineJoin = pen.lineCap = "round";
    if (points !== undefined && points.length > 1) {
      // The last place is where it goes now.
      const run = [...points.slice(0, -1), at];
      for (let index = 1; index < run.length; index += 1) {
        const [from, to] = [run[index - 1], run[index]];
        if (from === undefined || to === undefined) continue;
        // A step over the rim of a torus is no line across the map.
        if (isJump(from.x - to.x, ground.around.x) || isJump(from.y - to.y, ground.around.y)) continue;
        if (from.x === to.x && from.y === to.y) continue;
        const [a, b] = [on.pixel(from), on.pixel(to)];
        if (!on.sees(a) && !on.sees(b)) continue;
        pen.strokeStyle = css(color, (mine ? 0.9 : 0.6) * (index / run.length));
        pen.lineWidth = wide;
        pen.beginPath();
        pen.moveTo(a.x, a.y);
        pen.lineTo(b.x, b.y);
        pen.stroke();
      }
    }
    pen.lineCap = "butt";
    this.path(on, body, at, { ground, look, mine });
  }

  /** Where it plans to go. */
  private path(on: View, body: WorldBody, at: Point, { ground, look, mine }: { ground: Setting["ground"]; look: Look; mine: boolean }): void {
    const places = body.path.flatMap((place) => middle(ground, place) ?? []);
    const last = places.at(-1);
    if (last === undefined) return;
    const { pen } = this;
    const { zoom } = on.camera;
    pen.strokeStyle = css(sideInk(look, body.side), mine ? 0.95 : 0.5);
    pen.lineWidth = Math.max(1.2, zoom * (mine ? 0.14 : 0.09));
    pen.setLineDash([pen.lineWidth * 0.2, pen.lineWidth * 2.4]);
    pen.lineCap = "round";
    pen.beginPath();
    let before = at;
    const start = on.pixel(at);
    pen.moveTo(start.x, start.y);
    for (const place of places) {
      const to = on.pixel(place);
      if (isJump(before.x - place.x, ground.around.x) || isJump(before.y - place.y, ground.around.y)) pen.moveTo(to.x, to.y);
      else pen.lineTo(to.x, to.y);
      before = place;
    }
    pen.stroke();
    pen.setLineDash([]);
    pen.lineCap = "butt";
    const end = on.pixel(last);
    pen.lineWidth = Math.max(1.2, zoom * 0.07);
    pen.beginPath();
    pen.arc(end.x, end.y, Math.max(2, zoom * 0.18), 0, Math.PI * 2);
    pen.stroke();
  }

  /** What hangs on somebody: a bar to it, and a block in a frame of its side's colour. */
  private carried(on: View, { body }: Figure, at: Point, { figures, look, up }: { figures: readonly Figure[]; look: Look; up: boolean }): void {
    if (body.carried.length === 0) return;
    const { pen } = this;
    const { zoom } = on.camera;
    const from = on.pixel(at);
    if (!on.sees(from)) return;
    const color = css(sideInk(look, body.side));
    for (const it of body.carried) {
      const to = on.pixel({ x: at.x + it.x, y: at.y + (up ? -it.y : it.y) });
      pen.strokeStyle = color;
      pen.lineWidth = Math.max(1.2, zoom * 0.18);
      pen.beginPath();
      pen.moveTo(from.x, from.y);
      pen.lineTo(to.x, to.y);
      pen.stroke();
      // A mate that helps is drawn by itself.
      if (figures.some((other) => other.body.name === it.what)) continue;
      block(pen, to, Math.max(2, zoom * SIZES.carried), toneInk(look, WorldTone.RESOURCE), it.what.slice(-1), look);
      pen.strokeStyle = color;
      pen.lineWidth = Math.max(1, zoom * 0.1);
      pen.beginPath();
      const half = Math.max(2, zoom * SIZES.carried) * 0.92;
      pen.roundRect(to.x - half, to.y - half, half * 2, half * 2, half * 0.3);
      pen.stroke();
    }
  }

  private body(on: View, { body, sign, scale }: Figure, place: Point, { look, unit, chosen }: { look: Look; unit: number; chosen: ReadonlySet<string> }): void {
    const at = on.pixel(place);
    if (!on.sees(at)) return;
    const { pen } = this;
    const zoom = on.camera.zoom * unit;
    const full = Math.max(zoom * SIZES.body, Math.min(READ.half, zoom * READ.beyond), READ.least);
    const half = Math.round(full * scale * 4) / 4;
    const mine = chosen.has(body.name);
    if (mine) {
      pen.fillStyle = css(look.colors.ink, 0.16);
      pen.strokeStyle = css(look.colors.ink);
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(at.x, at.y, half * 1.25 + 4, 0, Math.PI * 2);
      pen.fill();
      pen.stroke();
    }
    heading(pen, body, at, half, look);
    const stamp = this.stamp(body, sign, half, look, on.density);
    const side = stamp.width / on.density;
    pen.drawImage(stamp, at.x - side / 2, at.y - side / 2, side, side);
    health(pen, body, at, half, look);
  }

  /** A sign with its letters, painted once. */
  private stamp(body: WorldBody, sign: string, half: number, look: Look, density: number): HTMLCanvasElement {
    const key = `${body.side} ${String(body.alive)} ${sign} ${half} ${String(look.dark)} ${density}`;
    const known = this.stamps.get(key);
    if (known !== undefined) return known;
    if (this.stamps.size >= STAMPS) this.stamps.clear();
    const made = document.createElement("canvas");
    const side = Math.ceil((half * 2.9 + 2) * density);
    [made.width, made.height] = [side, side];
    const pen = made.getContext("2d");
    if (pen !== null) {
      pen.setTransform(density, 0, 0, density, 0, 0);
      const at = { x: side / density / 2, y: side / density / 2 };
      drawBody(pen, body.side, body.alive, at, half, look);
      const size = half * (sign.length > 2 ? 0.85 : sign.length > 1 ? 1.08 : 1.3);
      if (body.alive && half >= READ.signed) drawText(pen, sign, at, size, css(contrast(sideInk(look, body.side))));
    }
    this.stamps.set(key, made);
    return made;
  }

  private mark(on: View, mark: ScriptMark, { ground }: Setting, look: Look): void {
    const shape = markShape(mark, ground);
    if (shape === undefined) return;
    const { pen } = this;
    const { zoom } = on.camera;
    const points = shape.points.map((point) => on.pixel(point));
    const first = points[0];
    if (first === undefined) return;
    const wide = Math.min(3.5, Math.max(1.4, zoom * 0.1));
    for (const [color, width] of [[css(look.colors.page, 0.7), wide * 2], [css(look.colors.other), wide]] as const) {
      pen.strokeStyle = color;
      pen.lineWidth = width;
      pen.setLineDash(shape.kind === "line" && points.length > 2 ? [wide * 2.5, wide * 1.8] : []);
      pen.beginPath();
      if (shape.kind === "cell") {
        const reach = Math.max(4, zoom * 0.42);
        pen.roundRect(first.x - reach, first.y - reach, reach * 2, reach * 2, reach * 0.25);
      } else for (const point of points) pen.lineTo(point.x, point.y);
      pen.stroke();
    }
    pen.setLineDash([]);
    if (shape.text === "" || zoom < 9) return;
    const size = Math.min(13, Math.max(9, zoom * 0.36));
    drawText(pen, shape.text.slice(0, 40), { x: first.x, y: first.y + zoom * 0.42 + size * 0.5 }, size, css(look.colors.ink), { halo: css(look.colors.ground, 0.85) });
  }

  private cursors(view: View, { look }: Picture, { cell, hover, targets }: Focus): void {
    const { pen } = this;
    view.inPixels();
    const { zoom } = view.camera;
    const box = (at: Point, color: string, wide: number, dash: number[]): void => {
      const here = view.pixel(at);
      const half = Math.max(5, zoom / 2);
      pen.strokeStyle = color;
      pen.lineWidth = wide;
      pen.setLineDash(dash);
      pen.beginPath();
      pen.roundRect(here.x - half, here.y - half, half * 2, half * 2, half * 0.3);
      pen.stroke();
      pen.setLineDash([]);
    };
    if (hover !== undefined) box(hover, css(look.colors.ink, 0.4), 1.2, []);
    for (const target of targets) box(target, css(look.colors.ours), 2, [4, 3]);
    if (cell === undefined) return;
    box(cell, css(look.colors.page, 0.9), 4, []);
    box(cell, css(look.colors.ink), 2, []);
  }
}

/** The marks that belong to a part: those of agents that are on it, and on the first one those of the whole team. */
function marksOf({ marks, stage }: Picture, part: string, figures: readonly Figure[]): readonly ScriptMark[] {
  if (stage.settings.length === 1) return marks;
  const here = new Set(figures.map(({ body }) => body.name));
  const first = stage.settings[0]?.part.name === part;
  return marks.filter(({ agent }) => here.has(agent) || (first && agent === ""));
}

/** Directions by which details say where somebody looks. */
const HEADINGS: Readonly<Record<string, readonly [number, number]>> = {
  north: [0, 1], south: [0, -1], east: [1, 0], west: [-1, 0], up: [0, 1], down: [0, -1], right: [1, 0], left: [-1, 0],
};

/** A notch at the side to which somebody looks. */
function heading(pen: Pen, { detail, side }: WorldBody, at: Point, half: number, look: Look): void {
  const found = HEADINGS[/\bfacing (\w+)/.exec(detail)?.[1] ?? ""];
  if (found === undefined) return;
  // North is above, whatever the direction in which rows grow.
  const [dx, dy] = [found[0], -found[1]];
  const tip = { x: at.x + dx * half * 1.62, y: at.y + dy * half * 1.62 };
  const [px, py] = [-dy * half * 0.62, dx * half * 0.62];
  const base = { x: at.x + dx * half * 0.86, y: at.y + dy * half * 0.86 };
  pen.fillStyle = css(sideInk(look, side));
  pen.beginPath();
  pen.moveTo(tip.x, tip.y);
  pen.lineTo(base.x + px, base.y + py);
  pen.lineTo(base.x - px, base.y - py);
  pen.closePath();
  pen.fill();
}

/** How well it is, as an arc, where the game has such a number and it is not all. */
function health(pen: Pen, body: WorldBody, at: Point, half: number, { colors }: Look): void {
  const share = body.health;
  if (share === undefined || share >= 1 || !body.alive || half < READ.signed) return;
  pen.lineWidth = Math.max(1.5, half * 0.2);
  pen.strokeStyle = css(colors.page, 0.8);
  pen.beginPath();
  pen.arc(at.x, at.y, half * 1.22, 0, Math.PI * 2);
  pen.stroke();
  pen.strokeStyle = css(share < 0.35 ? colors.danger : colors.goal);
  pen.beginPath();
  pen.arc(at.x, at.y, half * 1.22, -Math.PI / 2, -Math.PI / 2 + Math.PI * 2 * Math.max(0.02, share));
  pen.stroke();
}
