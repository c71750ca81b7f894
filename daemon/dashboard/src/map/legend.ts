/** What the colours and signs on the map mean: everything that is shown, and nothing else. */
import { WorldSide, WorldTone, type WorldPart } from "../gen/phalanx/v1/worlds_pb";
import type { Point } from "./geometry";
import { cellInk, css, hasGlyph, kindInk, kindOf, mixed, numbered, sideInk, signOf, SIZES, spotSign, toneInk, zoneInk, type Look } from "./look";
import { block } from "./scenery";
import { drawBody, drawSign, drawText, type Pen } from "./signs";
import type { Stage } from "./stage";
import { patchKind } from "./terrain";

/** Half of a sign in the legend, in pixels. */
export const SIGN = 7;

/** A line of the legend. */
export interface LegendLine {
  readonly text: string;
  /** Draws its sign around a point. */
  readonly draw: (pen: Pen, at: Point, look: Look) => void;
}

/** All lines for what is shown. */
export function legendOf(stage: Stage, shown: { hidden: ReadonlySet<string>; marks: boolean; trails: boolean; paths: boolean; targets: boolean }): LegendLine[] {
  const lines = new Map<string, LegendLine>();
  const add = (line: LegendLine): void => {
    if (!lines.has(line.text)) lines.set(line.text, line);
  };
  const parts = stage.settings.map(({ part }) => part);
  const { hidden } = shown;
  if (!hidden.has("bodies")) bodies(parts, add);
  if (shown.trails && !hidden.has("trails")) add({ text: "way of the last turns", draw: trail });
  if (shown.paths && !hidden.has("trails")) add({ text: "planned way", draw: path });
  for (const part of parts) {
    cells(part, hidden, add);
    if (part.nodes.length > 0) graph(part, add);
    if (!hidden.has("spots")) spots(part, add);
  }
  if (shown.targets) add({ text: "sent there by you", draw: (pen, at, look) => { frame(pen, at, css(look.colors.ours), [3, 2]); } });
  if (shown.marks && !hidden.has("marks")) add({ text: "drawn by scripts", draw: (pen, at, look) => { frame(pen, at, css(look.colors.other), []); } });
  const grids = parts.filter((part) => part.layers.length > 0);
  if (grids.some((part) => part.layers[0]?.cells.includes(0))) add({ text: "never seen", draw: unseen });
  if (grids.some((part) => part.layers.some((layer) => layer.seen.length > 0))) add({ text: "paler: seen long ago", draw: pale });
  return [...lines.values()];
}

type Add = (line: LegendLine) => void;

function bodies(parts: readonly WorldPart[], add: Add): void {
  const all = parts.flatMap((part) => part.bodies);
  const body = (text: string, side: WorldSide, alive: boolean, sign: string): void => {
    add({
      text,
      draw: (pen, at, look) => {
        drawBody(pen, side, alive, at, SIGN, look);
        if (alive) drawText(pen, sign, at, SIGN * 1.25, look.dark ? "#000" : "#fff");
      },
    });
  };
  if (all.some(({ side }) => side === WorldSide.OURS)) body("our agents, by number", WorldSide.OURS, true, "1");
  if (all.some(({ side }) => side === WorldSide.THEIRS)) body("opponents", WorldSide.THEIRS, true, "");
  if (all.some(({ alive }) => !alive)) body("cannot act", WorldSide.OURS, false, "");
  if (all.some(({ carried }) => carried.length > 0)) add({ text: "carried by an agent", draw: carried });
}

function cells(part: WorldPart, hidden: ReadonlySet<string>, add: Add): void {
  for (const layer of part.layers) {
    if (hidden.has(layer.name)) continue;
    const { scale } = layer;
    if (scale !== undefined) {
      const low = `${scale.from} to ${scale.to}`;
      add({
        text: `${layer.name}: ${scale.unit === "probability" ? "probability" : `${low} ${scale.unit}`}`,
        draw: (pen, at, look) => { ramp(pen, at, look, scale.tone); },
      });
    }
    for (const { nth, entry } of numbered(part, layer)) {
      if (entry.name === "none" || !layer.cells.includes(entry.value)) continue;
      const kind = kindOf(entry.name);
      const [solid, glyph] = [patchKind(part, layer, entry), hasGlyph(part, layer, entry) ? entry.glyph : ""];
      // Twelve pieces explain themselves.
      if (kind.piece !== undefined) continue;
      add({
        text: kind.fuse === undefined ? entry.name : `${entry.name}, with turns left`,
        draw: (pen, at, look) => {
          if (kind.sign !== undefined) drawSign(pen, signOf(kind.sign), at, SIGN, kindInk(look, kind, entry.tone), look);
          else if (solid === "area") area(pen, at, look, entry.tone);
          else if (solid === "solid" || entry.tone === WorldTone.GROUND) square(pen, at, css(cellInk(look, entry.tone, nth)), look);
          else block(pen, at, SIGN, kindInk(look, kind, entry.tone), glyph, look);
        },
      });
    }
  }
}

function spots(part: WorldPart, add: Add): void {
  for (const { kind, tone } of part.spots) {
    const look = kindOf(kind);
    const text = look.grows === undefined ? kind : `${kind}, by size`;
    if (look.area === true) add({ text, draw: (pen, at, colors) => { area(pen, at, colors, tone); } });
    else add({ text, draw: (pen, at, colors) => { drawSign(pen, spotSign(look, tone), at, SIGN, kindInk(colors, look, tone), colors); } });
  }
}

function graph({ nodes, edges }: WorldPart, add: Add): void {
  const node = (text: string, fill: (look: Look) => string, edge: (look: Look) => string, wide: number): void => {
    add({ text, draw: (pen, at, look) => { ring(pen, at, fill(look), edge(look), wide); } });
  };
  if (nodes.some(({ value }) => value === undefined)) node("not probed", (look) => css(look.colors.unknown), (look) => css(look.colors.faint), 1);
  if (nodes.some(({ value }) => value !== undefined)) node("with its worth", (look) => css(look.colors.ground), (look) => css(look.colors.faint), 1);
  if (nodes.some(({ owner }) => owner === WorldSide.OURS)) node("owned by us", (look) => css(look.colors.ground), (look) => css(look.colors.ours), 2.4);
  if (nodes.some(({ owner }) => owner === WorldSide.THEIRS)) node("owned by opponents", (look) => css(look.colors.ground), (look) => css(look.colors.theirs), 2.4);
  for (const [side, text] of [[WorldSide.OURS, "our zone"], [WorldSide.THEIRS, "opponents' zone"]] as const) {
    if (nodes.some(({ zone }) => zone === side)) add({ text, draw: (pen, at, look) => { square(pen, at, css(zoneInk(look, side)), look); } });
  }
  if (edges.some(({ weight }) => weight !== undefined)) add({ text: "road; thick: its cost is known", draw: road });
}

function ring(pen: Pen, at: Point, fill: string, edge: string, wide: number): void {
  [pen.fillStyle, pen.strokeStyle, pen.lineWidth] = [fill, edge, wide];
  pen.beginPath();
  pen.arc(at.x, at.y, SIGN - wide / 2, 0, Math.PI * 2);
  pen.fill();
  pen.stroke();
}

function square(pen: Pen, at: Point, fill: string, { colors }: Look): void {
  [pen.fillStyle, pen.strokeStyle, pen.lineWidth] = [fill, css(colors.rule), 1];
  pen.beginPath();
  pen.roundRect(at.x - SIGN + 0.5, at.y - SIGN + 0.5, SIGN * 2 - 1, SIGN * 2 - 1, 3);
  pen.fill();
  pen.stroke();
}

function area(pen: Pen, at: Point, look: Look, tone: WorldTone): void {
  const ink = toneInk(look, tone);
  [pen.fillStyle, pen.strokeStyle, pen.lineWidth] = [css(mixed(look.colors.ground, ink, 0.3)), css(ink), 1.6];
  pen.beginPath();
  pen.roundRect(at.x - SIGN + 1, at.y - SIGN + 1, SIGN * 2 - 2, SIGN * 2 - 2, 4);
  pen.fill();
  pen.stroke();
}

function frame(pen: Pen, at: Point, color: string, dash: number[]): void {
  [pen.strokeStyle, pen.lineWidth] = [color, 2];
  pen.setLineDash(dash);
  pen.beginPath();
  pen.roundRect(at.x - SIGN + 1, at.y - SIGN + 1, SIGN * 2 - 2, SIGN * 2 - 2, 3);
  pen.stroke();
  pen.setLineDash([]);
}

function line(pen: Pen, at: Point, color: string, wide: number, dash: number[]): void {
  [pen.strokeStyle, pen.lineWidth, pen.lineCap] = [color, wide, "round"];
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(at.x - SIGN, at.y);
  pen.lineTo(at.x + SIGN, at.y);
  pen.stroke();
  pen.setLineDash([]);
  pen.lineCap = "butt";
}

function trail(pen: Pen, at: Point, look: Look): void {
  line(pen, at, css(sideInk(look, WorldSide.OURS), 0.5), 3, []);
}

function path(pen: Pen, at: Point, look: Look): void {
  line(pen, at, css(sideInk(look, WorldSide.OURS)), 2, [0.4, 4.5]);
}

function road(pen: Pen, at: Point, { colors }: Look): void {
  line(pen, at, css(colors.faint), 2, []);
}

function carried(pen: Pen, at: Point, look: Look): void {
  line(pen, at, css(look.colors.ours), 2.5, []);
  block(pen, { x: at.x + SIGN * 0.35, y: at.y }, SIGN * SIZES.carried * 1.6, look.colors.resource, "", look);
  [pen.strokeStyle, pen.lineWidth] = [css(look.colors.ours), 1.6];
  const half = SIGN * SIZES.carried * 1.5;
  pen.strokeRect(at.x + SIGN * 0.35 - half, at.y - half, half * 2, half * 2);
}

function unseen(pen: Pen, at: Point, look: Look): void {
  square(pen, at, css(look.colors.unknown), look);
  [pen.strokeStyle, pen.lineWidth] = [css(look.colors.hatch), 1.6];
  pen.beginPath();
  for (const shift of [-4, 1, 6]) {
    pen.moveTo(at.x + shift - 4, at.y + 5);
    pen.lineTo(at.x + shift + 2, at.y - 5);
  }
  pen.stroke();
}

function pale(pen: Pen, at: Point, look: Look): void {
  square(pen, at, css(mixed(look.colors.ground, look.colors.unknown, 0.6)), look);
}

/** A scale from little to much. */
function ramp(pen: Pen, at: Point, look: Look, tone: WorldTone): void {
  for (let step = 0; step < 5; step += 1) {
    pen.fillStyle = css(mixed(look.colors.ground, toneInk(look, tone), (step / 4) * 0.85));
    pen.fillRect(at.x - SIGN + (step * SIGN * 2) / 5, at.y - SIGN * 0.7, (SIGN * 2) / 5 + 0.5, SIGN * 1.4);
  }
}
