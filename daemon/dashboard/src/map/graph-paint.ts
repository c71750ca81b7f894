/** Graphs: roads, nodes with what they are worth, and zones as areas along their roads. */
import { WorldSide, type WorldPart } from "../gen/phalanx/v1/worlds_pb";
import type { Point } from "./geometry";
import { contrast, css, sideInk, SIZES, zoneInk, type Ink, type Look } from "./look";
import type { Ground } from "./place";
import type { View } from "./scenery";
import { drawText } from "./signs";

/** Half of a node, in pixels, from which it shows what it is worth; zoom from which it shows its name. */
const VALUES_MIN = 5.4;
const NAMES_MIN = 34;
/** Widths in map units: of a node (half), a zone's node and a zone's road. */
const NODE = SIZES.node * 2.6;
const ZONE = { node: 1.15, road: 1.1 } as const;

/** Paints all nodes and roads of a part. */
export function paintGraph(on: View, part: WorldPart, ground: Ground, look: Look, hidden: ReadonlySet<string>): void {
  on.inPixels();
  const at = ground.nodes.map((node) => on.pixel(node));
  zones(on, part, at, look);
  if (!hidden.has("edges")) roads(on, part, at, look);
  for (const [index, node] of part.nodes.entries()) {
    const here = at[index];
    if (here === undefined || !on.sees(here)) continue;
    const mine = node.owner === WorldSide.OURS || node.owner === WorldSide.THEIRS;
    const zoned = node.zone === WorldSide.OURS || node.zone === WorldSide.THEIRS;
    const fill = zoned ? zoneInk(look, node.zone) : node.value === undefined ? look.colors.unknown : look.colors.ground;
    const worth = node.value ?? 0;
    // What is worth more is larger.
    const half = Math.max(2, on.camera.zoom * NODE * (0.72 + 0.055 * Math.min(10, worth)));
    circle(on, here, half, fill, mine ? sideInk(look, node.owner) : look.colors.faint, mine ? Math.max(1.6, half * 0.26) : 1);
    if (node.value !== undefined && half >= VALUES_MIN && (worth > 1 || half > 8)) drawText(on.pen, `${node.value}`, here, half * 1.3, css(contrast(fill)));
    if (on.camera.zoom >= NAMES_MIN) drawText(on.pen, node.name.slice(0, 12), { x: here.x, y: here.y + half + 9 }, 10, css(look.colors.faint), { halo: css(look.colors.page, 0.8), strong: false });
  }
}

function zones(on: View, part: WorldPart, at: readonly Point[], look: Look): void {
  const { pen } = on;
  for (const side of [WorldSide.THEIRS, WorldSide.OURS]) {
    const inside = part.nodes.map((node) => node.zone === side);
    if (!inside.includes(true)) continue;
    const near: number[][] = part.nodes.map(() => []);
    pen.fillStyle = pen.strokeStyle = css(zoneInk(look, side));
    pen.lineWidth = on.camera.zoom * ZONE.road;
    pen.lineCap = "round";
    pen.beginPath();
    for (const { a, b } of part.edges) {
      const [from, to] = [at[a], at[b]];
      if (from === undefined || to === undefined || inside[a] !== true || inside[b] !== true) continue;
      near[a]?.push(b);
      near[b]?.push(a);
      pen.moveTo(from.x, from.y);
      pen.lineTo(to.x, to.y);
    }
    pen.stroke();
    pen.beginPath();
    // Three nodes that are all linked are a face of the graph.
    for (const [a, list] of near.entries()) {
      for (const b of list) {
        if (b < a) continue;
        for (const c of near[b] ?? []) if (c > b && list.includes(c)) face(pen, at[a], at[b], at[c]);
      }
    }
    pen.fill();
    pen.beginPath();
    for (const [index, here] of at.entries()) {
      if (inside[index] !== true) continue;
      pen.moveTo(here.x, here.y);
      pen.arc(here.x, here.y, on.camera.zoom * ZONE.node, 0, Math.PI * 2);
    }
    pen.fill();
    pen.lineCap = "butt";
  }
}

function face(pen: CanvasRenderingContext2D, a: Point | undefined, b: Point | undefined, c: Point | undefined): void {
  if (a === undefined || b === undefined || c === undefined) return;
  // All in the same direction, or overlaps cancel each other.
  const turn = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  const [second, third] = turn > 0 ? [b, c] : [c, b];
  pen.moveTo(a.x, a.y);
  pen.lineTo(second.x, second.y);
  pen.lineTo(third.x, third.y);
  pen.closePath();
}

/** Roads whose cost is known are thicker. */
function roads(on: View, part: WorldPart, at: readonly Point[], { colors }: Look): void {
  const { pen } = on;
  pen.strokeStyle = css(colors.faint, 0.6);
  for (const known of [false, true]) {
    pen.lineWidth = known ? Math.max(1, on.camera.zoom * 0.07) : 0.7;
    pen.beginPath();
    for (const { a, b, weight } of part.edges) {
      const [from, to] = [at[a], at[b]];
      if (from === undefined || to === undefined || (weight !== undefined) !== known) continue;
      pen.moveTo(from.x, from.y);
      pen.lineTo(to.x, to.y);
    }
    pen.stroke();
  }
}

function circle({ pen }: View, { x, y }: Point, half: number, fill: Ink, edge: Ink, wide: number): void {
  pen.fillStyle = css(fill);
  pen.strokeStyle = css(edge);
  pen.lineWidth = wide;
  pen.beginPath();
  pen.arc(x, y, half, 0, Math.PI * 2);
  pen.fill();
  pen.stroke();
}
