/** Colours of each game's map. */
import { WorldSide, WorldTone, type WorldBody, type WorldLayer } from "../gen/phalanx/v1/worlds_pb";

/** Red, green, blue, 0 to 255, and opacity 0 to 1. */
export type Ink = readonly [number, number, number, number];

/** All colours of a map. */
export interface Look {
  /** The background: cells that no agent has seen. */
  readonly unknown: string;
  /** Lines between cells, edges of graphs. */
  readonly lines: string;
  readonly text: string;
  readonly tones: Readonly<Record<WorldTone, Ink>>;
  /** Colours of single kinds of cells, by the legend's name, where the tone does not suffice. */
  readonly kinds: Readonly<Record<string, Ink>>;
  /** Cells are shown with their letter, since they are pieces or things. */
  readonly letters: ReadonlySet<string>;
  /** Fields of two shades. */
  readonly checkered: boolean;
  /** Layers that are hidden at first. */
  readonly hidden: readonly string[];
}

const DARK: Readonly<Record<WorldTone, Ink>> = {
  [WorldTone.UNSPECIFIED]: [0, 0, 0, 0],
  [WorldTone.GROUND]: [38, 50, 60, 1],
  [WorldTone.OBSTACLE]: [118, 128, 138, 1],
  [WorldTone.GOAL]: [150, 112, 30, 1],
  [WorldTone.RESOURCE]: [52, 140, 178, 1],
  [WorldTone.DANGER]: [214, 62, 52, 1],
  [WorldTone.OURS]: [60, 190, 150, 1],
  [WorldTone.THEIRS]: [222, 110, 190, 1],
  [WorldTone.OTHER]: [150, 130, 210, 1],
};

const LIGHT: Readonly<Record<WorldTone, Ink>> = {
  [WorldTone.UNSPECIFIED]: [0, 0, 0, 0],
  [WorldTone.GROUND]: [242, 244, 240, 1],
  [WorldTone.OBSTACLE]: [94, 104, 116, 1],
  [WorldTone.GOAL]: [238, 203, 110, 1],
  [WorldTone.RESOURCE]: [60, 146, 190, 1],
  [WorldTone.DANGER]: [212, 50, 44, 1],
  [WorldTone.OURS]: [12, 128, 98, 1],
  [WorldTone.THEIRS]: [176, 48, 140, 1],
  [WorldTone.OTHER]: [116, 92, 186, 1],
};

/** Blocks of different types must differ. */
const BLOCKS: readonly Ink[] = [
  [74, 144, 226, 1],
  [232, 160, 60, 1],
  [120, 190, 90, 1],
  [190, 110, 220, 1],
  [90, 200, 200, 1],
];

const BOMBERLAND: Readonly<Record<string, Ink>> = {
  metal: [92, 100, 112, 1],
  wood: [150, 104, 60, 1],
  ore: [128, 108, 132, 1],
  bomb: [30, 30, 36, 1],
  fire: [240, 130, 40, 1],
  "fire that stays": [206, 64, 30, 1],
  ammunition: [70, 150, 200, 1],
  "blast powerup": [224, 176, 40, 1],
  "freeze powerup": [110, 200, 230, 1],
};

/** The colours of a game's map. */
export function lookOf(game: string, dark: boolean): Look {
  const base: Look = {
    unknown: dark ? "#11161b" : "#c9ced3",
    lines: dark ? "rgb(255 255 255 / 0.07)" : "rgb(0 0 0 / 0.09)",
    text: dark ? "#e8edf0" : "#14191d",
    tones: dark ? DARK : LIGHT,
    kinds: {},
    letters: new Set(),
    checkered: false,
    hidden: [],
  };
  switch (game) {
    case "bomberland":
      return { ...base, kinds: BOMBERLAND, letters: new Set(["things"]), hidden: ["possible danger"] };
    case "asimulator":
      return { ...base, kinds: { visited: dark ? [54, 76, 84, 1] : [222, 236, 230, 1] } };
    case "colosseum":
      return { ...base, checkered: true, letters: new Set(["board"]) };
    default:
      return base;
  }
}

/** The colour of one value of a layer. */
export function inkOf(look: Look, layer: WorldLayer, value: number): Ink {
  if (value === 0) return [0, 0, 0, 0];
  const { scale } = layer;
  if (scale !== undefined) {
    const [red, green, blue] = look.tones[scale.tone];
    // What is hardly likely stays invisible, what is certain lets the ground shine through.
    return [red, green, blue, ((value - 1) / 254) * 0.8];
  }
  const legend = layer.legend.find((entry) => entry.value === value);
  if (legend === undefined) return look.tones[WorldTone.OTHER];
  const known = look.kinds[legend.name];
  if (known !== undefined) return known;
  if (legend.name.startsWith("block ")) return BLOCKS[value % BLOCKS.length] ?? look.tones[legend.tone];
  // Above the first layer empty cells show what is below.
  if (legend.tone === WorldTone.GROUND && legend.name === "none") return [0, 0, 0, 0];
  // Pieces are letters; their field keeps the colour of the ground.
  if (layer.name === "board") return look.tones[WorldTone.GROUND];
  return look.tones[legend.tone];
}

/** A colour for the canvas. */
export function css([red, green, blue, alpha]: Ink): string {
  return `rgb(${red} ${green} ${blue} / ${alpha})`;
}

/** The colour of a side. */
export function sideInk(look: Look, side: WorldSide): Ink {
  if (side === WorldSide.OURS) return look.tones[WorldTone.OURS];
  if (side === WorldSide.THEIRS) return look.tones[WorldTone.THEIRS];
  return look.tones[WorldTone.OBSTACLE];
}

/** The letter inside a body: of its kind, else of its role. */
export function letterOf(body: WorldBody): string {
  return (body.kind || body.role).charAt(0).toUpperCase();
}

/** Signs of chess pieces, by their letters. */
export const PIECES: Readonly<Record<string, string>> = {
  K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘", P: "♙",
  k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟",
};
