/** How things look: read from the same file as the pictures of `phalanx map`, so that both agree. */
import looks from "../../../picture/src/looks.json";
import { WorldSide, WorldTone, type WorldLayer, type WorldLegend, type WorldPart } from "../gen/phalanx/v1/worlds_pb";

/** Red, green, blue, 0 to 255. */
export type Ink = readonly [number, number, number];

/** A shape of a sign; places are relative to its middle, in halves of its size. */
export interface SignShape {
  readonly disc?: readonly number[];
  readonly points?: readonly (readonly number[])[];
  readonly lines?: readonly (readonly (readonly number[])[])[];
  readonly box?: readonly number[];
  readonly fill?: string;
  readonly stroke?: string;
  readonly wide?: number;
}

/** How one kind of thing looks, where its tone does not say all. */
export interface KindLook {
  readonly sign?: string;
  /** Its own colour, the same in both themes. */
  readonly shade?: string;
  /** A letter that is a piece of a board game. */
  readonly piece?: string;
  /** Adjacent ones are one area. */
  readonly area?: boolean;
  /** Turns from full to nothing; a number of another layer says how many are left. */
  readonly fuse?: number;
  /** The value with which its sign has full size. */
  readonly grows?: number;
}

type Named = "page" | "ink" | "faint" | "rule" | "unknown" | "hatch" | "ground" | "obstacle" | "goal" | "resource" | "danger" | "ours" | "theirs" | "other";

/** All colours of a theme. */
export interface Look {
  readonly dark: boolean;
  readonly colors: Readonly<Record<Named, Ink>>;
}

/** How large signs are, in cells. */
export const SIZES = looks.sizes;
const KINDS: Readonly<Record<string, KindLook>> = looks.kinds;
const SIGNS: Readonly<Record<string, readonly SignShape[]>> = looks.signs;
const [BLACK, WHITE]: readonly [Ink, Ink] = [[0, 0, 0], [255, 255, 255]];

const THEMES = { light: lookFrom(false), dark: lookFrom(true) };

function lookFrom(dark: boolean): Look {
  const found = Object.entries(dark ? looks.dark : looks.light).map(([name, text]) => [name, hex(text)]);
  return { dark, colors: Object.fromEntries(found) as Record<Named, Ink> };
}

/** The colours for dark or light pages; always the same object. */
export function lookOf(dark: boolean): Look {
  return dark ? THEMES.dark : THEMES.light;
}

/** From `#rrggbb`. */
export function hex(text: string): Ink {
  const value = parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A colour for the canvas. */
export function css([red, green, blue]: Ink, alpha = 1): string {
  return alpha === 1 ? `rgb(${red} ${green} ${blue})` : `rgb(${red} ${green} ${blue} / ${alpha})`;
}

/** Between one colour (0) and another one (1). */
export function mixed(from: Ink, to: Ink, share: number): Ink {
  const mix = (at: 0 | 1 | 2): number => Math.round(from[at] + share * (to[at] - from[at]));
  return [mix(0), mix(1), mix(2)];
}

/** Black or white, whichever is easier to read on it. */
export function contrast([red, green, blue]: Ink): Ink {
  return 299 * red + 587 * green + 114 * blue > 140_000 ? BLACK : WHITE;
}

/** The full colour of a tone. */
export function toneInk({ colors }: Look, tone: WorldTone): Ink {
  switch (tone) {
    case WorldTone.GROUND: return colors.ground;
    case WorldTone.OBSTACLE: return colors.obstacle;
    case WorldTone.GOAL: return colors.goal;
    case WorldTone.RESOURCE: return colors.resource;
    case WorldTone.DANGER: return colors.danger;
    case WorldTone.OURS: return colors.ours;
    case WorldTone.THEIRS: return colors.theirs;
    case WorldTone.OTHER: return colors.other;
    default: return colors.faint;
  }
}

/** The colour of cells of a tone; several values of one tone get paler one by one. */
export function cellInk(look: Look, tone: WorldTone, nth: number): Ink {
  const { ground, faint, goal } = look.colors;
  const paler = at(looks.paler, nth);
  switch (tone) {
    case WorldTone.GROUND: return mixed(ground, faint, at(looks.shaded, nth));
    case WorldTone.GOAL: return mixed(goal, ground, looks.goal_pale + paler / 3);
    case WorldTone.OURS:
    case WorldTone.THEIRS: return toneInk(look, tone);
    default: return mixed(toneInk(look, tone), ground, paler);
  }
}

function at(list: readonly number[], nth: number): number {
  return list[Math.min(nth, list.length - 1)] ?? 0;
}

/** The colour of a side. */
export function sideInk({ colors }: Look, side: WorldSide): Ink {
  if (side === WorldSide.OURS) return colors.ours;
  return side === WorldSide.THEIRS ? colors.theirs : colors.faint;
}

/** The ground of a zone, by whose it is. */
export function zoneInk(look: Look, side: WorldSide): Ink {
  return mixed(sideInk(look, side), look.colors.ground, looks.zone_pale);
}

/** How much a cell has faded since it was seen. */
export function faded(age: number): number {
  return looks.fading.find(([steps = 0]) => age >= steps)?.[1] ?? 0;
}

/** How much a number covers the ground, from 0 to 1. */
export function covers(value: number): number {
  return value === 0 ? 0 : ((value - 1) / 254) * looks.cover;
}

/** How a kind of thing looks; empty: as its tone says. */
export function kindOf(name: string): KindLook {
  return Object.hasOwn(KINDS, name) ? (KINDS[name] ?? {}) : {};
}

/** The colour of a kind of thing. */
export function kindInk(look: Look, kind: KindLook, tone: WorldTone): Ink {
  return kind.shade === undefined ? toneInk(look, tone) : hex(kind.shade);
}

const TONE_SIGNS: Readonly<Partial<Record<WorldTone, string>>> = {
  [WorldTone.RESOURCE]: looks.tones.resource,
  [WorldTone.GOAL]: looks.tones.goal,
  [WorldTone.DANGER]: looks.tones.danger,
  [WorldTone.OURS]: looks.tones.ours,
  [WorldTone.THEIRS]: looks.tones.theirs,
  [WorldTone.OBSTACLE]: looks.tones.obstacle,
  [WorldTone.GROUND]: looks.tones.ground,
};

/** The sign of a marked place. */
export function spotSign(kind: KindLook, tone: WorldTone): readonly SignShape[] {
  return signOf(kind.sign ?? TONE_SIGNS[tone] ?? looks.tones.other);
}

/** The sign of somebody. */
export function sideSign(side: WorldSide): readonly SignShape[] {
  return signOf(side === WorldSide.OURS ? looks.sides.ours : looks.sides.others);
}

/** What crosses somebody who cannot act. */
export function goneSign(): readonly SignShape[] {
  return signOf(looks.sides.gone);
}

/** A sign by its name. */
export function signOf(name: string): readonly SignShape[] {
  return SIGNS[name] ?? [];
}

/** Whether it is the lowest layer of cells. */
export function isGround(part: WorldPart, layer: WorldLayer): boolean {
  return layer.scale === undefined && part.layers.find((known) => known.scale === undefined)?.name === layer.name;
}

/** The values of a layer, each with how many before it have the same tone. */
export function numbered(part: WorldPart, layer: WorldLayer): readonly { readonly nth: number; readonly entry: WorldLegend }[] {
  const tones = new Map<WorldTone, number>();
  const ground = isGround(part, layer);
  return layer.legend.map((entry) => {
    const nth = tones.get(entry.tone) ?? 0;
    tones.set(entry.tone, nth + 1);
    return { nth: ground ? nth : 0, entry };
  });
}

/** Whether a value needs its letter: its colour alone would not tell it from others. */
export function hasGlyph(part: WorldPart, layer: WorldLayer, { tone }: WorldLegend): boolean {
  if (tone === WorldTone.GROUND || tone === WorldTone.UNSPECIFIED) return false;
  return !isGround(part, layer) || layer.legend.filter((other) => other.tone === tone).length > 1;
}
