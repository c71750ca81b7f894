/** Paints a part of a world on a canvas. */
import type { ScriptMark, WorldBody, WorldLayer, WorldPart, WorldSpot } from "../gen/phalanx/v1/worlds_pb";
import { WorldSide, WorldTone } from "../gen/phalanx/v1/worlds_pb";
import { toMap, toPixel, type Camera, type Size } from "./camera";
import { css, inkOf, letterOf, PIECES, sideInk, type Look } from "./look";
import { markShape } from "./marks";
import { middle, type Ground } from "./place";
import type { Point } from "./geometry";

/** What is painted. */
export interface Picture {
  readonly part: WorldPart;
  readonly ground: Ground;
  readonly marks: readonly ScriptMark[];
  readonly look: Look;
  /** Names of layers that are not shown. */
  readonly hidden: ReadonlySet<string>;
  /** The highlighted agent; empty: none. */
  readonly chosen: string;
  /** Where each agent was in the worlds before, the oldest first. */
  readonly trails: ReadonlyMap<string, readonly Point[]>;
}

/** Zoom from which cells have lines, letters, and figures. */
const SHOWS = { lines: 8, letters: 11, figures: 34, labels: 13 } as const;

/** Copies of a torus beside each other. */
const COPIES = 5;
/** A longer step than this, in map units, is a jump if the map's size is unknown. */
const JUMP = 20;

/** Values of probabilities whose figures say something: neither next to nothing nor certain. */
const SURE = { least: 6, most: 252 } as const;

/** Paints one canvas; keeps a small picture of each layer until the layer changes. */
export class Painter {
  private readonly bitmaps = new WeakMap<WorldLayer, { look: Look; bitmap: HTMLCanvasElement }>();

  constructor(private readonly pen: CanvasRenderingContext2D) {}

  /** Paints all of it. `density` is the device's pixels of a CSS pixel. */
  paint(picture: Picture, camera: Camera, size: Size, density: number): void {
    const { pen } = this;
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.fillStyle = picture.look.unknown;
    pen.fillRect(0, 0, size.width, size.height);
    const copies = copiesOf(picture.ground, camera, size);
    for (const [index, shift] of copies.entries()) {
      const there = { ...camera, x: camera.x - shift.x, y: camera.y - shift.y };
      // The world comes back on all sides of a torus; one copy is the map, the others are its echo.
      pen.globalAlpha = index === 0 ? 1 : 0.45;
      this.world(picture, there, size);
    }
    pen.globalAlpha = 1;
  }

  private world(picture: Picture, camera: Camera, size: Size): void {
    const { part, ground, look, hidden } = picture;
    if (ground.kind === "plane") this.plane(ground, camera, size, look);
    for (const layer of part.layers) if (!hidden.has(layer.name)) this.layer(layer, picture, camera, size);
    if (ground.kind === "grid" && camera.zoom >= SHOWS.lines) this.lines(part, ground, camera, size, look);
    for (const layer of part.layers) if (!hidden.has(layer.name)) this.figures(layer, picture, camera, size);
    if (ground.kind === "graph") this.graph(picture, camera, size);
    if (!hidden.has("spots")) for (const spot of part.spots) this.spot(spot, picture, camera, size);
    this.trails(picture, camera, size);
    if (!hidden.has("bodies")) this.bodies(picture, camera, size);
    if (!hidden.has("marks")) for (const mark of picture.marks) this.mark(mark, picture, camera, size);
  }

  private plane(ground: Ground, camera: Camera, size: Size, look: Look): void {
    const corner = toPixel(camera, size, ground.box);
    this.pen.fillStyle = css(look.tones[WorldTone.GROUND]);
    this.pen.fillRect(corner.x, corner.y, ground.box.width * camera.zoom, ground.box.height * camera.zoom);
  }

  private layer(layer: WorldLayer, { look, ground }: Picture, camera: Camera, size: Size): void {
    if (layer.width === 0 || layer.height === 0) return;
    let kept = this.bitmaps.get(layer);
    if (kept?.look !== look) {
      kept = { look, bitmap: bitmapOf(layer, look, ground.up) };
      this.bitmaps.set(layer, kept);
    }
    const top = ground.up ? -(layer.y + layer.height - 1) : layer.y;
    const corner = toPixel(camera, size, { x: layer.x, y: top });
    this.pen.imageSmoothingEnabled = false;
    this.pen.drawImage(kept.bitmap, corner.x, corner.y, layer.width * camera.zoom, layer.height * camera.zoom);
  }

  private lines(part: WorldPart, { up }: Ground, camera: Camera, size: Size, look: Look): void {
    const { pen } = this;
    pen.strokeStyle = look.lines;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const layer of part.layers.slice(0, 1)) {
      const y = up ? -(layer.y + layer.height - 1) : layer.y;
      const from = toPixel(camera, size, { x: layer.x, y });
      const to = toPixel(camera, size, { x: layer.x + layer.width, y: y + layer.height });
      for (let x = from.x; x <= to.x + 0.5; x += camera.zoom) {
        if (x < 0 || x > size.width) continue;
        pen.moveTo(x, Math.max(0, from.y));
        pen.lineTo(x, Math.min(size.height, to.y));
      }
      for (let line = from.y; line <= to.y + 0.5; line += camera.zoom) {
        if (line < 0 || line > size.height) continue;
        pen.moveTo(Math.max(0, from.x), line);
        pen.lineTo(Math.min(size.width, to.x), line);
      }
    }
    pen.stroke();
  }

  /** Letters of things and pieces, figures of probabilities: only where there is room. */
  private figures(layer: WorldLayer, { look, ground, part }: Picture, camera: Camera, size: Size): void {
    const scaled = part.layers.filter((known) => known.scale !== undefined);
    const letters = look.letters.has(layer.name) && camera.zoom >= SHOWS.letters;
    const shares = layer.scale?.unit === "probability" && camera.zoom >= SHOWS.figures;
    if (!letters && !shares) return;
    // Each layer writes into a corner of its own.
    const order = scaled.indexOf(layer);
    const corner = { x: order % 2 === 0 ? -1 : 1, y: order % 4 < 2 ? -1 : 1 };
    const { pen } = this;
    const glyphs = new Map(layer.legend.map((entry) => [entry.value, entry]));
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    this.visibleCells(layer, ground, camera, size, (value, at) => {
      if (letters) {
        const entry = glyphs.get(value);
        if (entry === undefined || entry.tone === WorldTone.GROUND || entry.glyph === "") return;
        const piece = layer.name === "board" ? PIECES[entry.glyph] : undefined;
        pen.font = `${Math.round(camera.zoom * (piece === undefined ? 0.6 : 0.85))}px system-ui, sans-serif`;
        pen.fillStyle = piece === undefined ? "rgb(255 255 255 / 0.85)" : css(look.tones[entry.tone]);
        pen.fillText(piece ?? entry.glyph, at.x, at.y);
      } else if (value >= SURE.least && value < SURE.most) {
        pen.font = `${Math.round(camera.zoom * 0.22)}px system-ui, sans-serif`;
        pen.fillStyle = look.text;
        const far = camera.zoom * 0.27;
        pen.fillText(`${Math.round(((value - 1) / 254) * 100)}`, at.x + corner.x * far, at.y + corner.y * far);
      }
    });
  }

  private visibleCells(
    layer: WorldLayer,
    ground: Ground,
    camera: Camera,
    size: Size,
    show: (value: number, at: Point) => void,
  ): void {
    const from = toMap(camera, size, { x: 0, y: 0 });
    const to = toMap(camera, size, { x: size.width, y: size.height });
    for (let row = 0; row < layer.height; row += 1) {
      const y = ground.up ? -(layer.y + row) : layer.y + row;
      if (y + 1 < from.y || y > to.y) continue;
      for (let column = 0; column < layer.width; column += 1) {
        const x = layer.x + column;
        const value = layer.cells[row * layer.width + column] ?? 0;
        if (value === 0 || x + 1 < from.x || x > to.x) continue;
        show(value, toPixel(camera, size, { x: x + 0.5, y: y + 0.5 }));
      }
    }
  }

  private graph({ part, ground, look, hidden }: Picture, camera: Camera, size: Size): void {
    const { pen } = this;
    const at = ground.nodes.map((node) => toPixel(camera, size, node));
    const zone = camera.zoom * 1.35;
    for (const [index, node] of part.nodes.entries()) {
      const here = at[index];
      if (here === undefined || (node.zone !== WorldSide.OURS && node.zone !== WorldSide.THEIRS)) continue;
      const [red, green, blue] = sideInk(look, node.zone);
      pen.fillStyle = css([red, green, blue, 0.22]);
      disc(pen, here, zone);
    }
    if (!hidden.has("edges")) {
      for (const edge of part.edges) {
        const [from, to] = [at[edge.a], at[edge.b]];
        if (from === undefined || to === undefined) continue;
        const known = edge.weight !== undefined;
        pen.strokeStyle = css([140, 150, 160, known ? 0.55 : 0.22]);
        pen.lineWidth = known ? Math.max(0.6, camera.zoom * 0.05) : 0.6;
        pen.beginPath();
        pen.moveTo(from.x, from.y);
        pen.lineTo(to.x, to.y);
        pen.stroke();
      }
    }
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const [index, node] of part.nodes.entries()) {
      const here = at[index];
      if (here === undefined) continue;
      const worth = node.value ?? 0;
      const radius = Math.max(1.5, camera.zoom * (0.22 + 0.035 * Math.min(worth, 10)));
      const owned = node.owner === WorldSide.OURS || node.owner === WorldSide.THEIRS;
      pen.fillStyle = owned ? css(sideInk(look, node.owner)) : css(look.tones[WorldTone.OBSTACLE]);
      disc(pen, here, radius);
      if (node.value === undefined) {
        pen.fillStyle = look.unknown;
        disc(pen, here, radius * 0.55);
      } else if (camera.zoom >= SHOWS.labels) {
        pen.font = `${Math.round(radius * 1.3)}px system-ui, sans-serif`;
        pen.fillStyle = "#fff";
        pen.fillText(`${node.value}`, here.x, here.y);
      }
    }
  }

  private spot(spot: WorldSpot, { ground, look }: Picture, camera: Camera, size: Size): void {
    const place = middle(ground, spot.place);
    if (place === undefined) return;
    const { pen } = this;
    const at = toPixel(camera, size, place);
    const ink = look.tones[spot.tone];
    const grown = spot.kind === "food" && spot.value !== undefined ? 0.25 + Math.min(spot.value, 100) / 160 : 0.42;
    const reach = Math.max(2, camera.zoom * grown);
    pen.strokeStyle = css(ink);
    pen.fillStyle = css([ink[0], ink[1], ink[2], 0.35]);
    pen.lineWidth = Math.max(1, camera.zoom * 0.08);
    pen.beginPath();
    if (spot.kind === "food" || spot.kind === "item") pen.arc(at.x, at.y, reach, 0, Math.PI * 2);
    else if (spot.tone === WorldTone.DANGER) pen.rect(at.x - reach, at.y - reach, reach * 2, reach * 2);
    else {
      pen.moveTo(at.x, at.y - reach);
      pen.lineTo(at.x + reach, at.y);
      pen.lineTo(at.x, at.y + reach);
      pen.lineTo(at.x - reach, at.y);
      pen.closePath();
    }
    pen.fill();
    pen.stroke();
    const short = spot.label !== "" && spot.label.length <= 4;
    if (short && camera.zoom >= SHOWS.labels) {
      pen.font = `${Math.round(camera.zoom * 0.45)}px system-ui, sans-serif`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillStyle = look.text;
      pen.fillText(spot.label, at.x, at.y);
    }
  }

  private trails({ trails, look, chosen, ground }: Picture, camera: Camera, size: Size): void {
    const { pen } = this;
    for (const [name, points] of trails) {
      const [red, green, blue] = look.tones[WorldTone.OURS];
      pen.strokeStyle = css([red, green, blue, name === chosen ? 0.9 : 0.3]);
      pen.lineWidth = Math.max(1, camera.zoom * 0.1);
      pen.beginPath();
      for (const [index, point] of points.entries()) {
        const at = toPixel(camera, size, point);
        const before = points[index - 1];
        // A step over the rim of a torus is no line across the map.
        const jump = before === undefined || isJump(before.x - point.x, ground.around.x) || isJump(before.y - point.y, ground.around.y);
        if (jump) pen.moveTo(at.x, at.y);
        else pen.lineTo(at.x, at.y);
      }
      pen.stroke();
    }
  }

  private bodies(picture: Picture, camera: Camera, size: Size): void {
    const crowd = new Map<string, number>();
    for (const body of picture.part.bodies) {
      const place = middle(picture.ground, body.place);
      if (place === undefined) continue;
      const key = `${place.x},${place.y}`;
      const before = crowd.get(key) ?? 0;
      crowd.set(key, before + 1);
      // Draw several units on one node around it.
      const angle = before * 1.2;
      const aside = before === 0 ? 0 : 0.7;
      this.body(body, { x: place.x + Math.cos(angle) * aside, y: place.y + Math.sin(angle) * aside }, picture, camera, size);
    }
  }

  private body(body: WorldBody, place: Point, { look, chosen }: Picture, camera: Camera, size: Size): void {
    const { pen } = this;
    const at = toPixel(camera, size, place);
    const ink = sideInk(look, body.side);
    pen.lineWidth = Math.max(1, camera.zoom * 0.08);
    for (const thing of body.carried) {
      const corner = { x: at.x + (thing.x - 0.4) * camera.zoom, y: at.y + (thing.y - 0.4) * camera.zoom };
      pen.strokeStyle = css(ink);
      pen.strokeRect(corner.x, corner.y, camera.zoom * 0.8, camera.zoom * 0.8);
      pen.beginPath();
      pen.moveTo(at.x, at.y);
      pen.lineTo(at.x + thing.x * camera.zoom, at.y + thing.y * camera.zoom);
      pen.stroke();
    }
    const radius = Math.max(3, camera.zoom * 0.42);
    pen.fillStyle = body.alive ? css(ink) : css([ink[0], ink[1], ink[2], 0.3]);
    pen.strokeStyle = body.name !== "" && body.name === chosen ? look.text : "rgb(0 0 0 / 0.55)";
    pen.beginPath();
    // Sides differ in shape too, for colour-blind readers.
    if (body.side === WorldSide.THEIRS) {
      pen.rect(at.x - radius * 0.85, at.y - radius * 0.85, radius * 1.7, radius * 1.7);
    } else pen.arc(at.x, at.y, radius, 0, Math.PI * 2);
    pen.fill();
    pen.lineWidth = body.name !== "" && body.name === chosen ? 3 : 1;
    pen.stroke();
    if (camera.zoom >= SHOWS.letters) {
      pen.font = `600 ${Math.round(radius * 1.15)}px system-ui, sans-serif`;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillStyle = "#fff";
      pen.fillText(letterOf(body), at.x, at.y + 0.5);
    }
    if (body.name !== "" && body.name === chosen) {
      pen.beginPath();
      pen.strokeStyle = look.text;
      pen.arc(at.x, at.y, radius + 5, 0, Math.PI * 2);
      pen.stroke();
    }
  }

  private mark(mark: ScriptMark, { ground, look }: Picture, camera: Camera, size: Size): void {
    const shape = markShape(mark, ground);
    if (shape === undefined) return;
    const { pen } = this;
    const ink = css(look.tones[WorldTone.OTHER]);
    const points = shape.points.map((point) => toPixel(camera, size, point));
    const first = points[0];
    if (first === undefined) return;
    pen.strokeStyle = ink;
    pen.lineWidth = Math.max(1.5, camera.zoom * 0.12);
    pen.setLineDash([4, 3]);
    pen.beginPath();
    if (shape.kind === "cell") {
      const reach = Math.max(4, camera.zoom * 0.46);
      pen.rect(first.x - reach, first.y - reach, reach * 2, reach * 2);
    } else for (const point of points) pen.lineTo(point.x, point.y);
    pen.stroke();
    pen.setLineDash([]);
    if (shape.text !== "") {
      pen.font = "12px system-ui, sans-serif";
      pen.textAlign = "left";
      pen.textBaseline = "middle";
      pen.fillStyle = look.text;
      pen.fillText(shape.text, first.x + camera.zoom * 0.55, first.y);
    }
  }
}

function disc(pen: CanvasRenderingContext2D, at: Point, radius: number): void {
  pen.beginPath();
  pen.arc(at.x, at.y, radius, 0, Math.PI * 2);
  pen.fill();
}

/** Whether a step of this length crosses the edge of a torus of size `around`, or is too long for a step. */
export function isJump(distance: number, around: number): boolean {
  return Math.abs(distance) > (around > 0 ? around / 2 : JUMP);
}

/** How the world is shifted to fill the canvas: the map itself first. */
export function copiesOf({ around, box }: Ground, camera: Camera, size: Size): Point[] {
  const copies: Point[] = [{ x: 0, y: 0 }];
  if (around.x === 0 || around.y === 0) return copies;
  const [wide, high] = [size.width / camera.zoom, size.height / camera.zoom];
  // Those that lie on the canvas, wherever it was moved, and not more than some.
  const shifts = (from: number, length: number, all: number, middle: number, shown: number): number[] => {
    const first = Math.floor((middle - shown / 2 - from - length) / all) + 1;
    const last = Math.ceil((middle + shown / 2 - from) / all) - 1;
    const skipped = Math.max(0, Math.ceil((last - first + 1 - COPIES) / 2));
    return Array.from({ length: Math.max(0, last - first + 1 - 2 * skipped) }, (_, at) => (first + skipped + at) * all);
  };
  const across = shifts(box.x, box.width, around.x, camera.x, wide);
  const down = shifts(box.y, box.height, around.y, camera.y, high);
  for (const x of across) for (const y of down) if (x !== 0 || y !== 0) copies.push({ x, y });
  return copies;
}

/** One pixel a cell. */
function bitmapOf(layer: WorldLayer, look: Look, up: boolean): HTMLCanvasElement {
  const bitmap = document.createElement("canvas");
  bitmap.width = layer.width;
  bitmap.height = layer.height;
  const pen = bitmap.getContext("2d");
  if (pen === null) return bitmap;
  const image = pen.createImageData(layer.width, layer.height);
  const inks = Array.from({ length: 256 }, (_, value) => inkOf(look, layer, value));
  for (let row = 0; row < layer.height; row += 1) {
    const to = up ? layer.height - 1 - row : row;
    for (let column = 0; column < layer.width; column += 1) {
      const [red, green, blue, alpha] = inks[layer.cells[row * layer.width + column] ?? 0] ?? [0, 0, 0, 0];
      const dim = look.checkered && (layer.x + column + layer.y + row) % 2 === 0 ? 0.82 : 1;
      image.data.set([red * dim, green * dim, blue * dim, alpha * 255], (to * layer.width + column) * 4);
    }
  }
  pen.putImageData(image, 0, 0);
  return bitmap;
}
