/** What lies on the cells of a part, ready to be drawn: colours, shapes, things. */
import { WorldTone, type WorldLayer, type WorldLegend, type WorldPart } from "../gen/phalanx/v1/worlds_pb";
import type { Point } from "./geometry";
import { cellInk, covers, css, faded, hasGlyph, isGround, kindOf, mixed, numbered, toneInk, type Ink, type KindLook, type Look } from "./look";
import { addRounded, borders } from "./outline";
import type { Ground } from "./place";
import { valueAt } from "./scene";

/** Corners of solid shapes and of areas, in cells. */
const ROUND = { solid: 0.28, area: 0.4 } as const;

/** Adjacent cells of one value. */
export interface Patch {
  readonly path: Path2D;
  /** One is in the way, the other may be entered. */
  readonly kind: "solid" | "area";
  readonly color: Ink;
}

/** A thing on a cell. */
export interface Thing {
  readonly at: Point;
  readonly look: KindLook;
  readonly tone: WorldTone;
  readonly glyph: string;
  /** Turns until it burns, where it has a fuse. */
  readonly left: number | undefined;
}

/** One pixel a cell. */
export interface Bitmap {
  readonly x: number;
  readonly y: number;
  readonly image: HTMLCanvasElement;
}

/** What a layer contributes. */
interface Drawn {
  readonly look: Look;
  readonly bitmap: Bitmap | undefined;
  readonly patches: readonly Patch[];
  /** Lines between cells that were seen. */
  readonly lines: Path2D | undefined;
}

const kept = new WeakMap<WorldLayer, Drawn>();

/** The colours and shapes of a layer; made once. */
export function drawn(part: WorldPart, layer: WorldLayer, ground: Ground, look: Look): Drawn {
  const known = kept.get(layer);
  if (known?.look === look) return known;
  const made = { look, bitmap: bitmapOf(part, layer, ground, look), patches: patchesOf(part, layer, ground, look), lines: isGround(part, layer) ? linesOf(layer, ground) : undefined };
  kept.set(layer, made);
  return made;
}

function linesOf(layer: WorldLayer, { up }: Ground): Path2D {
  const path = new Path2D();
  const { x, width, height } = layer;
  const top = topOf(layer, up);
  const known = (column: number, row: number): boolean => (layer.cells[(up ? height - 1 - row : row) * width + column] ?? 0) !== 0;
  const run = (count: number, both: (at: number) => boolean, add: (from: number, to: number) => void): void => {
    let from = -1;
    for (let at = 0; at <= count; at += 1) {
      const on = at < count && both(at);
      if (on && from < 0) from = at;
      if (!on && from >= 0) {
        add(from, at);
        from = -1;
      }
    }
  };
  for (let column = 1; column < width; column += 1) {
    run(height, (row) => known(column - 1, row) && known(column, row), (from, to) => {
      path.moveTo(x + column, top + from);
      path.lineTo(x + column, top + to);
    });
  }
  for (let row = 1; row < height; row += 1) {
    run(width, (column) => known(column, row - 1) && known(column, row), (from, to) => {
      path.moveTo(x + from, top + row);
      path.lineTo(x + to, top + row);
    });
  }
  return path;
}

/** The upper row of a layer on the map. */
export function topOf(layer: WorldLayer, up: boolean): number {
  return up ? -(layer.y + layer.height - 1) : layer.y;
}

/** Flat ground, and numbers over it. */
function bitmapOf(part: WorldPart, layer: WorldLayer, { up }: Ground, look: Look): Bitmap | undefined {
  if (layer.width === 0 || layer.height === 0) return undefined;
  const inks = new Map<number, readonly [Ink, number]>();
  if (layer.scale !== undefined) {
    const ink = toneInk(look, layer.scale.tone);
    for (let value = 1; value < 256; value += 1) inks.set(value, [ink, covers(value)]);
  } else if (isGround(part, layer)) {
    for (const { nth, entry } of numbered(part, layer)) {
      const flat = entry.tone === WorldTone.GROUND ? cellInk(look, entry.tone, nth) : look.colors.ground;
      inks.set(entry.value, [flat, 1]);
    }
  } else {
    return undefined;
  }
  const board = layer.name === "board";
  const solid = new Set(layer.legend.filter((entry) => patchKind(part, layer, entry) === "solid").map(({ value }) => value));
  const paint = (column: number, row: number, value: number): readonly [Ink, number] | undefined => {
    const found = inks.get(value);
    if (solid.has(value) && besideUnseen(layer, column, row)) return undefined;
    if (found === undefined || !board || (column + row) % 2 === 0) return found;
    return [mixed(found[0], look.colors.faint, 0.28), found[1]];
  };
  return { x: layer.x, y: topOf(layer, up), image: pixels(layer, up, paint) };
}

/** Whether a cell that was not seen touches this one: the round corner of a wall shows what is there. */
function besideUnseen(layer: WorldLayer, column: number, row: number): boolean {
  for (let y = row - 1; y <= row + 1; y += 1) {
    for (let x = column - 1; x <= column + 1; x += 1) {
      if (x >= 0 && y >= 0 && x < layer.width && y < layer.height && layer.cells[y * layer.width + x] === 0) return true;
    }
  }
  return false;
}

/** How long ago cells were seen, as a veil of the colour of what is not known. */
export function veil(layer: WorldLayer, { up }: Ground, look: Look, step: number): Bitmap | undefined {
  if (layer.seen.length === 0) return undefined;
  const paint = (column: number, row: number): readonly [Ink, number] | undefined => {
    const seen = layer.seen[row * layer.width + column] ?? 0;
    return seen === 0 ? undefined : [look.colors.unknown, faded(Math.max(0, step + 1 - seen))];
  };
  return { x: layer.x, y: topOf(layer, up), image: pixels(layer, up, paint) };
}

function pixels(layer: WorldLayer, up: boolean, paint: (column: number, row: number, value: number) => readonly [Ink, number] | undefined): HTMLCanvasElement {
  const image = document.createElement("canvas");
  [image.width, image.height] = [layer.width, layer.height];
  const pen = image.getContext("2d");
  if (pen === null) return image;
  const data = pen.createImageData(layer.width, layer.height);
  for (let row = 0; row < layer.height; row += 1) {
    const to = up ? layer.height - 1 - row : row;
    for (let column = 0; column < layer.width; column += 1) {
      const found = paint(column, row, layer.cells[row * layer.width + column] ?? 0);
      if (found === undefined) continue;
      const [[red, green, blue], alpha] = found;
      const at = (to * layer.width + column) * 4;
      data.data[at] = red;
      data.data[at + 1] = green;
      data.data[at + 2] = blue;
      data.data[at + 3] = alpha * 255;
    }
  }
  pen.putImageData(data, 0, 0);
  return image;
}

/** Whether cells of a value are one shape with those beside them. */
export function patchKind(part: WorldPart, layer: WorldLayer, entry: WorldLegend): Patch["kind"] | undefined {
  const { sign, piece, area } = kindOf(entry.name);
  if (layer.scale !== undefined || sign !== undefined || piece !== undefined) return undefined;
  if (area === true) return "area";
  switch (entry.tone) {
    case WorldTone.OBSTACLE:
    case WorldTone.OURS:
    case WorldTone.THEIRS: return "solid";
    case WorldTone.OTHER: return isGround(part, layer) ? "solid" : undefined;
    case WorldTone.GOAL:
    case WorldTone.DANGER: return isGround(part, layer) ? "area" : undefined;
    default: return undefined;
  }
}

function patchesOf(part: WorldPart, layer: WorldLayer, { up }: Ground, look: Look): Patch[] {
  return numbered(part, layer).flatMap(({ nth, entry }): Patch[] => {
    const kind = patchKind(part, layer, entry);
    if (kind === undefined || !layer.cells.includes(entry.value)) return [];
    const holds = (x: number, y: number): boolean => layer.cells[(up ? layer.height - 1 - y : y) * layer.width + x] === entry.value;
    const path = patchPath(borders(layer.width, layer.height, holds), kind, { x: layer.x, y: topOf(layer, up) });
    return [{ path, kind, color: kind === "area" ? toneInk(look, entry.tone) : cellInk(look, entry.tone, nth) }];
  });
}

function patchPath(runs: readonly Point[][], kind: Patch["kind"], shift: Point): Path2D {
  const path = new Path2D();
  const there = runs.map((run) => run.map(({ x, y }) => ({ x: x + shift.x, y: y + shift.y })));
  addRounded(path, there, ROUND[kind], kind === "area" ? 0.06 : 0.03);
  return path;
}

/** Areas of marked places, such as announced dangers; each kind is one shape. */
export function spotAreas(part: WorldPart, ground: Ground, look: Look): Patch[] {
  const kinds = new Map<string, { tone: WorldTone; cells: Point[] }>();
  for (const { kind, tone, place } of part.spots) {
    if (kindOf(kind).area !== true || place?.place.case !== "cell") continue;
    const found = kinds.get(kind) ?? { tone, cells: [] };
    found.cells.push({ x: place.place.value.x, y: ground.up ? -place.place.value.y : place.place.value.y });
    kinds.set(kind, found);
  }
  return [...kinds.values()].map(({ tone, cells }): Patch => {
    const [left, top] = [Math.min(...cells.map((cell) => cell.x)), Math.min(...cells.map((cell) => cell.y))];
    const [right, bottom] = [Math.max(...cells.map((cell) => cell.x)), Math.max(...cells.map((cell) => cell.y))];
    const wide = right - left + 1;
    const there = new Set(cells.map(({ x, y }) => (y - top) * wide + x - left));
    const runs = borders(wide, bottom - top + 1, (x, y) => there.has(y * wide + x));
    return { path: patchPath(runs, "area", { x: left, y: top }), kind: "area", color: toneInk(look, tone) };
  });
}

/** Things on cells that have a sign, a letter or a piece; what somebody carries moves with it. */
export function thingsOf(part: WorldPart, layer: WorldLayer, ground: Ground): Thing[] {
  if (layer.scale !== undefined) return [];
  const signs = new Map<number, Omit<Thing, "at" | "left">>();
  for (const entry of layer.legend) {
    const look = kindOf(entry.name);
    const solid = patchKind(part, layer, entry) !== undefined;
    const shown = look.sign !== undefined || look.piece !== undefined || (!solid && entry.tone !== WorldTone.GROUND && entry.tone !== WorldTone.UNSPECIFIED);
    if (shown) signs.set(entry.value, { look, tone: entry.tone, glyph: hasGlyph(part, layer, entry) ? entry.glyph : "" });
  }
  if (signs.size === 0) return [];
  const taken = carriedCells(part);
  const found: Thing[] = [];
  for (let at = 0; at < layer.cells.length; at += 1) {
    const sign = signs.get(layer.cells[at] ?? 0);
    if (sign === undefined) continue;
    const [x, y] = [layer.x + (at % layer.width), layer.y + Math.floor(at / layer.width)];
    if (taken.has(`${x},${y}`)) continue;
    const left = sign.look.fuse === undefined ? undefined : fuseAt(part, x, y);
    found.push({ ...sign, at: { x: x + 0.5, y: (ground.up ? -y : y) + 0.5 }, left });
  }
  return found;
}

function carriedCells(part: WorldPart): ReadonlySet<string> {
  const cells = new Set<string>();
  for (const { place, carried } of part.bodies) {
    if (place?.place.case !== "cell") continue;
    const { x, y } = place.place.value;
    for (const it of carried) cells.add(`${x + it.x},${y + it.y}`);
  }
  return cells;
}

/** Turns until a cell burns, from the layer that counts them. */
function fuseAt(part: WorldPart, x: number, y: number): number | undefined {
  const clock = part.layers.find(({ scale }) => scale?.unit.includes("until") === true);
  const value = clock === undefined ? 0 : valueAt(clock, x, y);
  const scale = clock?.scale;
  return scale === undefined || value === 0 ? undefined : Math.round(scale.from + ((scale.to - scale.from) * (value - 1)) / 254);
}

/** The pattern of what is not known. */
export function hatch(look: Look): CanvasPattern | null {
  const tile = document.createElement("canvas");
  [tile.width, tile.height] = [HATCH, HATCH];
  const pen = tile.getContext("2d");
  if (pen === null) return null;
  pen.fillStyle = css(look.colors.unknown);
  pen.fillRect(0, 0, HATCH, HATCH);
  pen.strokeStyle = css(look.colors.hatch);
  pen.lineWidth = 1.3;
  pen.beginPath();
  for (const shift of [-HATCH, 0, HATCH]) {
    pen.moveTo(shift - 1, HATCH + 1);
    pen.lineTo(shift + HATCH + 1, -1);
  }
  pen.stroke();
  return pen.createPattern(tile, "repeat");
}

/** Width of a tile of that pattern, in pixels. */
export const HATCH = 9;
