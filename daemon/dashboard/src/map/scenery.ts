/** Everything that does not move, painted on a canvas of its own that is larger than the view. */
import type { WorldPart } from "../gen/phalanx/v1/worlds_pb";
import { toPixel, type Camera, type Size } from "./camera";
import { contrast, css, kindInk, kindOf, mixed, signOf, SIZES, spotSign, toneInk, type Ink, type Look } from "./look";
import { drawSign, drawText, type Pen } from "./signs";
import { drawn, hatch, spotAreas, thingsOf, veil, type Bitmap, type Patch, type Thing } from "./terrain";
import { paintGraph } from "./graph-paint";
import { middle } from "./place";
import type { Picture } from "./paint";
import type { Box, Point } from "./geometry";
import type { Setting } from "./stage";
import { titleOf } from "./names";
import { copiesOf } from "./torus";

/** Zoom from which there are lines between cells, letters, and figures of probabilities. */
export const SHOWS = { lines: 7, letters: 9, figures: 34, labels: 14 } as const;
/** How much wider than the view the canvas is at each side, as a share of it. */
const MARGIN = 0.12;
/** Half of a marked place that is seen well, and how far it may reach beyond its cell for that. */
const READ = { half: 6, beyond: 0.55 } as const;
/** Units between two lines on a plane. */
const PLANE_LINES = 10;
/** Values of probabilities whose figures say something: neither next to nothing nor certain. */
const SURE = { least: 6, most: 252 } as const;

/** The part of a picture on which the scenery depends. */
type Shown = Pick<Picture, "stage" | "look" | "hidden" | "step">;

/** Keeps the painted scenery until something on it changes. */
export class Scenery {
  private readonly canvas = document.createElement("canvas");
  private readonly pen = this.canvas.getContext("2d");
  private shown: Shown | undefined;
  private shot: Camera | undefined;
  private size: Size | undefined;
  private density = 0;
  private readonly things = new WeakMap<WorldPart, { look: Look; things: readonly (Thing & { layer: string })[]; areas: readonly Patch[]; veil: Bitmap | undefined }>();

  /** Puts it on the view; paints it first where that is necessary. */
  put(to: Pen, picture: Picture, camera: Camera, size: Size, density: number): void {
    if (!this.fits(picture, camera, size, density)) this.paint(picture, camera, size, density);
    const { shot } = this;
    if (shot === undefined) return;
    // On whole pixels it is copied; between them every pixel would be mixed from four, in each frame.
    const whole = (value: number): number => Math.round(value * density) / density;
    const dx = whole((shot.x - camera.x) * camera.zoom - size.width * MARGIN);
    const dy = whole((shot.y - camera.y) * camera.zoom - size.height * MARGIN);
    to.drawImage(this.canvas, dx, dy, this.canvas.width / density, this.canvas.height / density);
  }

  private fits({ stage, look, hidden, step }: Picture, camera: Camera, size: Size, density: number): boolean {
    const { shown, shot } = this;
    if (shown === undefined || shot === undefined || this.size !== size || this.density !== density) return false;
    if (shown.stage !== stage || shown.look !== look || shown.hidden !== hidden || shown.step !== step) return false;
    const [dx, dy] = [Math.abs(shot.x - camera.x) * camera.zoom, Math.abs(shot.y - camera.y) * camera.zoom];
    return shot.zoom === camera.zoom && dx <= size.width * MARGIN && dy <= size.height * MARGIN;
  }

  private paint(picture: Picture, camera: Camera, size: Size, density: number): void {
    const { pen, canvas } = this;
    if (pen === null) return;
    const large = { width: size.width * (1 + 2 * MARGIN), height: size.height * (1 + 2 * MARGIN) };
    const [width, height] = [Math.round(large.width * density), Math.round(large.height * density)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    [this.shown, this.shot, this.size, this.density] = [picture, camera, size, density];
    const on = new View(pen, camera, large, density);
    this.background(on, picture);
    for (const setting of picture.stage.settings) {
      const [alone] = picture.stage.settings.length === 1 ? [setting] : [];
      const copies = alone === undefined ? [{ x: 0, y: 0 }] : copiesOf(alone.ground, camera, large);
      for (const copy of copies) this.setting(on.moved({ x: setting.shift.x + copy.x, y: setting.shift.y + copy.y }), setting, picture);
      if (picture.stage.titled) title(on, setting, picture.look);
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
  }

  private background({ pen, size, density, camera }: View, { look, stage }: Picture): void {
    pen.setTransform(density, 0, 0, density, 0, 0);
    const grid = stage.settings.length === 1 && stage.settings[0]?.ground.kind === "grid";
    pen.fillStyle = css(look.colors.page);
    pen.fillRect(0, 0, size.width, size.height);
    if (!grid) return;
    const pattern = hatch(look);
    if (pattern === null) return;
    // The pattern moves with the map.
    pattern.setTransform(new DOMMatrix().translate(size.width / 2 - camera.x * camera.zoom, size.height / 2 - camera.y * camera.zoom));
    pen.fillStyle = pattern;
    pen.fillRect(0, 0, size.width, size.height);
  }

  private setting(on: View, { part, ground, box, shift }: Setting, picture: Picture): void {
    const { look, hidden, stage } = picture;
    const { pen } = on;
    if (ground.kind === "plane" || (stage.titled && ground.kind === "grid")) {
      on.inMap();
      pen.fillStyle = css(ground.kind === "plane" ? look.colors.ground : look.colors.unknown);
      pen.strokeStyle = css(look.colors.rule);
      pen.lineWidth = 1.5 / on.camera.zoom;
      pen.beginPath();
      pen.roundRect(box.x - shift.x - 0.5, box.y - shift.y - 0.5, box.width + 1, box.height + 1, 0.6);
      pen.fill();
      pen.stroke();
    }
    const layers = part.layers.filter((layer) => !hidden.has(layer.name));
    const plain = layers.filter((layer) => layer.scale === undefined);
    const looks = plain.map((layer) => drawn(part, layer, ground, look));
    const more = this.more(picture, part, ground);
    for (const { bitmap } of looks) on.bitmap(bitmap, false);
    for (const { patches } of looks) for (const patch of patches) if (patch.kind === "area") on.area(patch, look);
    on.inside(ground.box, () => {
      for (const layer of layers) if (layer.scale !== undefined) on.bitmap(drawn(part, layer, ground, look).bitmap, false);
    });
    if (ground.kind === "plane") on.lattice(box, PLANE_LINES, look);
    if (on.camera.zoom >= SHOWS.lines) for (const { lines } of looks) on.lines(lines, look);
    for (const { patches } of looks) for (const patch of patches) if (patch.kind === "solid") on.solid(patch, look);
    const things = more.things.filter((thing) => !hidden.has(thing.layer));
    for (const thing of things) paintThing(on, thing, look);
    on.bitmap(more.veil, true);
    on.inPixels();
    for (const layer of layers) if (layer.scale?.unit === "probability" && on.camera.zoom >= SHOWS.figures) figures(on, part, layer.name, look);
    if (ground.kind === "graph") paintGraph(on, part, ground, look, hidden);
    if (!hidden.has("spots")) {
      for (const area of more.areas) on.area(area, look);
      spots(on, part, ground, look);
    }
  }

  private more(picture: Picture, part: WorldPart, ground: Setting["ground"]): { things: readonly (Thing & { layer: string })[]; areas: readonly Patch[]; veil: Bitmap | undefined } {
    const known = this.things.get(part);
    if (known?.look === picture.look) return known;
    const { look } = picture;
    const first = part.layers.find((layer) => layer.seen.length > 0);
    const made = {
      look,
      things: part.layers.flatMap((layer) => thingsOf(part, layer, ground).map((thing) => ({ ...thing, layer: layer.name }))),
      areas: spotAreas(part, ground, look),
      veil: first === undefined ? undefined : veil(first, ground, look, picture.step),
    };
    this.things.set(part, made);
    return made;
  }
}

/** A pen with a camera. */
export class View {
  constructor(
    readonly pen: Pen,
    readonly camera: Camera,
    readonly size: Size,
    readonly density: number,
  ) {}

  /** The same, with the map moved by a number of cells. */
  moved({ x, y }: Point): View {
    return new View(this.pen, { ...this.camera, x: this.camera.x - x, y: this.camera.y - y }, this.size, this.density);
  }

  pixel(at: Point): Point {
    return toPixel(this.camera, this.size, at);
  }

  /** Whether a pixel is on the canvas, or so near that a sign reaches it. */
  sees({ x, y }: Point): boolean {
    const far = this.camera.zoom * 2;
    return x > -far && y > -far && x < this.size.width + far && y < this.size.height + far;
  }

  /** From here on the pen works in CSS pixels. */
  inPixels(): void {
    this.pen.setTransform(this.density, 0, 0, this.density, 0, 0);
  }

  /** From here on the pen works in cells. */
  inMap(): void {
    const { camera, size, density } = this;
    const zoom = camera.zoom * density;
    this.pen.setTransform(zoom, 0, 0, zoom, (size.width / 2) * density - camera.x * zoom, (size.height / 2) * density - camera.y * zoom);
  }

  bitmap(bitmap: Bitmap | undefined, smooth: boolean): void {
    if (bitmap === undefined) return;
    this.inMap();
    this.pen.imageSmoothingEnabled = smooth;
    this.pen.drawImage(bitmap.image, bitmap.x, bitmap.y);
  }

  /** Draws only inside a box of the map. */
  inside({ x, y, width, height }: Box, draw: () => void): void {
    this.pen.save();
    this.inMap();
    this.pen.beginPath();
    this.pen.rect(x, y, width, height);
    this.pen.clip();
    draw();
    this.pen.restore();
  }

  /** Something that is in the way. */
  solid({ path, color }: Patch, look: Look): void {
    const { pen } = this;
    this.inMap();
    pen.fillStyle = css(mixed(color, [0, 0, 0], look.dark ? 0.55 : 0.3));
    pen.translate(0, 0.1);
    pen.fill(path);
    pen.translate(0, -0.1);
    pen.fillStyle = css(color);
    pen.fill(path);
    if (this.camera.zoom < SHOWS.lines) return;
    pen.strokeStyle = css(mixed(color, look.dark ? [255, 255, 255] : [0, 0, 0], 0.22));
    pen.lineWidth = 0.06;
    pen.stroke(path);
  }

  /** Something that may be entered and matters. */
  area({ path, color }: Patch, look: Look): void {
    const { pen } = this;
    this.inMap();
    pen.fillStyle = css(color, look.dark ? 0.34 : 0.26);
    pen.fill(path);
    pen.strokeStyle = css(color, 0.95);
    pen.lineWidth = Math.max(0.09, 1.4 / this.camera.zoom);
    pen.lineJoin = "round";
    pen.stroke(path);
  }

  /** Lines between cells; the larger the cells, the clearer. */
  lines(path: Path2D | undefined, { dark }: Look): void {
    if (path === undefined) return;
    const { pen } = this;
    this.inMap();
    const share = Math.min(1, this.camera.zoom / 30);
    pen.strokeStyle = dark ? `rgb(0 0 0 / ${0.28 * share})` : `rgb(60 60 80 / ${0.16 * share})`;
    pen.lineWidth = 1 / this.camera.zoom;
    pen.stroke(path);
  }

  /** Lines over a plane. */
  lattice({ x, y, width, height }: Box, step: number, look: Look): void {
    const path = new Path2D();
    for (let at = step; at < width; at += step) {
      path.moveTo(x + at, y);
      path.lineTo(x + at, y + height);
    }
    for (let at = step; at < height; at += step) {
      path.moveTo(x, y + at);
      path.lineTo(x + width, y + at);
    }
    this.lines(path, look);
  }
}

function title({ pen, camera, size, density }: View, { part, box }: Setting, look: Look): void {
  pen.setTransform(density, 0, 0, density, 0, 0);
  const at = toPixel(camera, size, { x: box.x, y: box.y - 0.9 });
  pen.font = '600 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
  pen.textAlign = "left";
  pen.textBaseline = "bottom";
  pen.fillStyle = css(look.colors.ink);
  pen.fillText(titleOf(part, (text) => pen.measureText(text).width, Math.max(40, (box.width + 2) * camera.zoom)), at.x, at.y);
}

function paintThing(on: View, { at, look: kind, tone, glyph, left }: Thing, look: Look): void {
  const { pen } = on;
  const { zoom } = on.camera;
  const here = on.pixel(at);
  if (!on.sees(here)) return;
  on.inPixels();
  const ink = kindInk(look, kind, tone);
  if (kind.piece !== undefined) {
    const rim = css(look.dark ? [10, 12, 16] : [255, 255, 255], 0.9);
    drawText(pen, kind.piece, here, zoom * 0.82, css(toneInk(look, tone)), { halo: rim, strong: false });
    return;
  }
  if (kind.sign === undefined) {
    block(pen, here, zoom * SIZES.carried, ink, glyph, look);
    return;
  }
  const half = Math.max(2, zoom * SIZES.spot * 1.12);
  drawSign(pen, signOf(kind.sign), here, half, ink, look);
  if (left !== undefined && kind.fuse !== undefined) fuse(pen, here, half, left, kind.fuse, look);
}

/** A block with its letter. */
export function block(pen: Pen, at: Point, half: number, ink: Ink, letter: string, look: Look): void {
  pen.fillStyle = css(ink);
  pen.strokeStyle = css(mixed(ink, [0, 0, 0], look.dark ? 0.5 : 0.35));
  pen.lineWidth = Math.max(0.8, half * 0.16);
  pen.beginPath();
  pen.roundRect(at.x - half * 0.92, at.y - half * 0.92, half * 1.84, half * 1.84, half * 0.28);
  pen.fill();
  pen.stroke();
  if (letter !== "" && half >= 4) drawText(pen, letter, at, half * 1.3, css(contrast(ink)));
}

/** What is left of a fuse: an arc, and a number. */
function fuse(pen: Pen, at: Point, half: number, left: number, full: number, { colors }: Look): void {
  const share = Math.min(1, Math.max(0, left / full));
  const hot = share < 0.3;
  pen.lineWidth = Math.max(1.5, half * 0.26);
  pen.lineCap = "round";
  pen.strokeStyle = css(colors.ground, 0.6);
  pen.beginPath();
  pen.arc(at.x, at.y, half * 1.14, 0, Math.PI * 2);
  pen.stroke();
  pen.strokeStyle = css(hot ? colors.danger : colors.resource);
  pen.beginPath();
  pen.arc(at.x, at.y, half * 1.14, -Math.PI / 2, -Math.PI / 2 + Math.PI * 2 * Math.max(0.03, share));
  pen.stroke();
  pen.lineCap = "butt";
  if (half >= 6) drawText(pen, `${left}`, { x: at.x - half * 0.05, y: at.y + half * 0.12 }, half * 0.95, "#ffffff");
}

function spots(on: View, part: WorldPart, ground: Setting["ground"], look: Look): void {
  const { pen } = on;
  const zoom = on.camera.zoom * ground.unit;
  on.inPixels();
  for (const spot of part.spots) {
    const kind = kindOf(spot.kind);
    const place = middle(ground, spot.place);
    if (place === undefined || kind.area === true) continue;
    const at = on.pixel(place);
    if (!on.sees(at)) continue;
    const grown = kind.grows === undefined || spot.value === undefined ? 1 : 0.45 + 0.75 * Math.min(1, Math.max(0, spot.value) / kind.grows);
    const half = Math.max(zoom * SIZES.spot, Math.min(READ.half, zoom * READ.beyond), 2.5) * grown;
    drawSign(pen, spotSign(kind, spot.tone), at, half, kindInk(look, kind, spot.tone), look);
    const label = kind.grows === undefined ? spot.label : spot.value === undefined ? "" : `${Math.round(spot.value)}`;
    if (label === "" || zoom < SHOWS.labels) continue;
    const inside = kind.grows !== undefined && half > 7.5;
    const size = inside ? half * 0.95 : Math.min(13, Math.max(9, zoom * 0.42));
    // Those who take it come near: its number is inside or above.
    const far = kind.grows === undefined ? half + size * 0.5 : -half - size * 0.5;
    if (inside) drawText(pen, label, at, size, css(contrast(toneInk(look, spot.tone))));
    else drawText(pen, short(label), { x: at.x, y: at.y + far }, size, css(look.colors.ink), { halo: css(look.colors.ground, 0.85) });
  }
}

function short(label: string): string {
  // A whole UUID says no more than its beginning.
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/.test(label)) return label.slice(0, 8);
  return label.length > 14 ? `${label.slice(0, 13)}…` : label;
}

/** The value of most cells: it says no more than that nothing is known. */
function mostFrequent(cells: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const value of cells) counts[value] = (counts[value] ?? 0) + 1;
  return counts.indexOf(Math.max(...counts));
}

/** Figures of probabilities; each layer writes into a corner of its own. */
function figures(on: View, part: WorldPart, name: string, { colors }: Look): void {
  const scaled = part.layers.filter(({ scale }) => scale !== undefined);
  const order = scaled.findIndex((layer) => layer.name === name);
  const layer = scaled[order];
  if (layer === undefined) return;
  const up = part.shape.case === "grid" && part.shape.value.yUp;
  const { zoom } = on.camera;
  const far = zoom * 0.27;
  const corner = { x: order % 2 === 0 ? -far : far, y: order % 4 < 2 ? -far : far };
  const usual = mostFrequent(layer.cells);
  for (const [at, value] of layer.cells.entries()) {
    if (value === usual || value < SURE.least || value >= SURE.most) continue;
    const [x, row] = [layer.x + (at % layer.width), layer.y + Math.floor(at / layer.width)];
    const here = on.pixel({ x: x + 0.5, y: (up ? -row : row) + 0.5 });
    if (on.sees(here)) drawText(on.pen, `${Math.round(((value - 1) / 254) * 100)}`, { x: here.x + corner.x, y: here.y + corner.y }, Math.min(15, zoom * 0.22), css(colors.ink), { strong: false });
  }
}
