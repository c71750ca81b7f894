/** Draws signs: shapes that differ not only by colour. */
import { contrast, css, goneSign, hex, mixed, sideInk, sideSign, type Ink, type Look, type SignShape } from "./look";
import type { WorldSide } from "../gen/phalanx/v1/worlds_pb";
import type { Point } from "./geometry";

/** What draws. */
export type Pen = CanvasRenderingContext2D;

/** Lines of signs are not thinner than this, in pixels. */
const THIN = 0.6;

/** Draws a sign around a pixel; `half` is half of its size. */
export function drawSign(pen: Pen, sign: readonly SignShape[], at: Point, half: number, color: Ink, look: Look): void {
  for (const shape of sign) {
    trace(pen, shape, at, half);
    if (shape.fill !== undefined) {
      pen.fillStyle = css(inkOf(shape.fill, color, look));
      pen.fill();
    }
    if (shape.stroke === undefined) continue;
    pen.strokeStyle = css(inkOf(shape.stroke, color, look));
    pen.lineWidth = Math.max(THIN, (shape.wide ?? 0.2) * half);
    pen.stroke();
  }
}

function trace(pen: Pen, { disc, points, lines, box }: SignShape, { x, y }: Point, half: number): void {
  pen.beginPath();
  if (disc !== undefined) {
    const [dx = 0, dy = 0, radius = 1] = disc;
    pen.arc(x + dx * half, y + dy * half, radius * half, 0, Math.PI * 2);
  }
  if (box !== undefined) {
    const [left = 0, top = 0, width = 0, height = 0, round = 0] = box;
    pen.roundRect(x + left * half, y + top * half, width * half, height * half, round * half);
  }
  for (const run of points === undefined ? (lines ?? []) : [points]) {
    for (const [index, [dx = 0, dy = 0]] of run.entries()) {
      if (index === 0) pen.moveTo(x + dx * half, y + dy * half);
      else pen.lineTo(x + dx * half, y + dy * half);
    }
  }
  if (points !== undefined) pen.closePath();
}

function inkOf(name: string, color: Ink, look: Look): Ink {
  if (name.startsWith("#")) return hex(name);
  if (name === "color") return color;
  if (name === "contrast") return contrast(color);
  if (name === "shadow") return mixed(color, [0, 0, 0], 0.45);
  return look.colors[name as keyof Look["colors"]];
}

/** Draws somebody: ours are round, others pointed; who cannot act is hollow and crossed. */
export function drawBody(pen: Pen, side: WorldSide, alive: boolean, at: Point, half: number, look: Look): void {
  const color = sideInk(look, side);
  if (alive) {
    drawSign(pen, sideSign(side), at, half, color, look);
    return;
  }
  const hollow = sideSign(side).map((shape) => ({ ...shape, fill: "page", stroke: "color", wide: 0.25 }));
  drawSign(pen, hollow, at, half, color, look);
  drawSign(pen, goneSign(), at, half, color, look);
}

/** Writes a few letters around a pixel. */
export function drawText(pen: Pen, text: string, at: Point, size: number, color: string, more: { halo?: string; strong?: boolean } = {}): void {
  pen.font = `${more.strong === false ? "" : "600 "}${size.toFixed(1)}px system-ui, "Segoe UI", "DejaVu Sans", sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  if (more.halo !== undefined) {
    pen.strokeStyle = more.halo;
    pen.lineWidth = Math.max(2, size * 0.3);
    pen.lineJoin = "round";
    pen.strokeText(text, at.x, at.y + size * 0.04);
  }
  pen.fillStyle = color;
  pen.fillText(text, at.x, at.y + size * 0.04);
}
