/** Layouts of the match view: which panels there are, where, and what the plots show. */
import { panels, type Branch, type Tree } from "./tree";

/** All kinds of panels; there can be several plots, `plot-1`, `plot-2`, … */
export const KINDS = ["map", "roster", "race", "work", "changes", "agents", "board", "events", "turns", "seats", "timeline", "strategy", "plot"] as const;
/** One of them. */
export type Kind = (typeof KINDS)[number];

/** Their names for people. */
export const TITLES: Readonly<Record<Kind, string>> = {
  map: "Map", roster: "Agents", race: "Race", work: "Work", changes: "Changes", agents: "Agents in depth", board: "Board",
  events: "Events", turns: "Punctuality", seats: "Seats", timeline: "Timeline", strategy: "Strategy", plot: "Plot",
};

/** Where the numbers of a line come from. */
export const SOURCES = ["turn", "metric", "board", "daemon"] as const;
/** One of them. */
export type SourceName = (typeof SOURCES)[number];

/** One line of a plot. */
export interface LineSpec {
  readonly from: SourceName;
  readonly name: string;
  /** The team: 0 is the chosen one, 1 its first rival. */
  readonly side: number;
}

/** A layout. */
export interface Layout {
  /** Undefined: every panel was removed. */
  readonly tree: Tree | undefined;
  /** Size of the letters; 1: as usual. */
  readonly letters: number;
  /** The lines of each plot. */
  readonly plots: Readonly<Record<string, readonly LineSpec[]>>;
}

/** What an imported file may have at most. */
const MOST = { panels: 24, depth: 12, lines: 12, name: 200, text: 100_000 } as const;
/** Sizes of letters that can be chosen. */
export const LETTERS = { least: 0.7, most: 2, step: 0.1 } as const;

const x = (...parts: readonly (readonly [number, Tree])[]): Branch => ({ axis: "x", parts: parts.map(([share, tree]) => ({ share, tree })) });
const y = (...parts: readonly (readonly [number, Tree])[]): Branch => ({ ...x(...parts), axis: "y" });
const turnLine = (name: string): LineSpec => ({ from: "turn", name, side: 0 });

/** The layouts that come with the page. */
export const SHIPPED: Readonly<Record<string, Layout>> = {
  Coach: { letters: 1, plots: {}, tree: x([20, "roster"], [55, "map"], [25, y([30, "race"], [40, "work"], [30, "changes"])]) },
  Operator: {
    letters: 1,
    plots: { "plot-1": [turnLine("script time"), turnLine("fallbacks"), turnLine("late answers")] },
    tree: x([42, y([62, "agents"], [38, "turns"])], [58, y([62, "map"], [38, x([50, "plot-1"], [50, "events"])])]),
  },
  "Script author": {
    letters: 1,
    plots: { "plot-1": [turnLine("script time"), turnLine("script errors")] },
    tree: x([74, "strategy"], [26, y([32, "race"], [36, "plot-1"], [32, "changes"])]),
  },
  Projector: { letters: 1.3, plots: {}, tree: x([70, "map"], [30, y([55, "race"], [45, "changes"])]) },
};
/** The one that is shown first. */
export const FIRST = "Coach";
/** The first one in a window without room for three columns. */
export const NARROW: Tree = y([64, x([64, "map"], [36, y([34, "race"], [36, "work"], [30, "changes"])])], [36, "roster"]);

/** The kind of a panel; undefined: there is no such panel. */
export function kindOf(id: string): Kind | undefined {
  return /^plot-\d{1,3}$/.test(id) ? "plot" : KINDS.find((kind) => kind === id && kind !== "plot");
}

/** A panel's name for people. */
export function titleOf(id: string): string {
  const kind = kindOf(id);
  return kind === undefined ? id : kind === "plot" ? `${TITLES.plot} ${id.slice("plot-".length)}` : TITLES[kind];
}

/** A name for one more panel of this kind; undefined: there is one already, or there are too many. */
export function freshId(layout: Layout, kind: Kind): string | undefined {
  const taken = new Set(layout.tree === undefined ? [] : panels(layout.tree));
  if (taken.size >= MOST.panels) return undefined;
  const names = kind === "plot" ? Array.from({ length: MOST.panels }, (_, at) => `plot-${at + 1}`) : [kind];
  return names.find((name) => !taken.has(name));
}

/** A layout as a file. */
export function layoutText(name: string, { tree, letters, plots }: Layout): string {
  return `${JSON.stringify({ phalanxLayout: 1, name, letters, tree, plots }, null, 2)}\n`;
}

/** Reads such a file; throws where it is none. */
export function readLayout(text: string): { name: string; layout: Layout } {
  if (text.length > MOST.text) throw new Error("the file is too large for a layout");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error("the file is not JSON");
  }
  if (!isRecord(json) || json["phalanxLayout"] !== 1) throw new Error("the file is not a layout of Phalanx");
  return { name: label(json["name"], "name"), layout: checked(json) };
}

/** A layout of unknown origin. */
export function checked(json: unknown): Layout {
  if (!isRecord(json)) throw new Error("a layout is an object");
  const tree = json["tree"] === undefined ? undefined : treeOf(json["tree"], 0);
  const all = tree === undefined ? [] : panels(tree);
  if (new Set(all).size < all.length) throw new Error("a panel is there twice");
  if (all.length > MOST.panels) throw new Error(`a layout has at most ${MOST.panels} panels`);
  const { letters, plots } = json;
  if (letters !== undefined && typeof letters !== "number") throw new Error("letters is a number");
  const lines = Object.entries(isRecord(plots) ? plots : {}).filter(([id]) => all.includes(id));
  return { tree, letters: Math.min(LETTERS.most, Math.max(LETTERS.least, letters ?? 1)), plots: Object.fromEntries(lines.map(([id, some]) => [id, linesOf(some)])) };
}

function treeOf(json: unknown, depth: number): Tree {
  if (depth > MOST.depth) throw new Error("the layout is nested too deeply");
  if (typeof json === "string") {
    if (kindOf(json) === undefined) throw new Error(`there is no panel “${json.slice(0, 40)}”`);
    return json;
  }
  if (!isRecord(json)) throw new Error("a part is a panel's name or a branch");
  const { axis, parts } = json;
  if ((axis !== "x" && axis !== "y") || !Array.isArray(parts) || parts.length < 1) throw new Error("a branch has an axis, x or y, and parts");
  return {
    axis,
    parts: parts.map((part: unknown) => {
      const share = isRecord(part) ? part["share"] : undefined;
      if (!isRecord(part) || typeof share !== "number" || !(share > 0) || !Number.isFinite(share)) throw new Error("each part has a share above 0");
      return { share, tree: treeOf(part["tree"], depth + 1) };
    }),
  };
}

function linesOf(json: unknown): LineSpec[] {
  if (!Array.isArray(json)) throw new Error("a plot has a list of lines");
  return json.slice(0, MOST.lines).map((line: unknown) => {
    const from = isRecord(line) ? SOURCES.find((known) => known === line["from"]) : undefined;
    if (!isRecord(line) || from === undefined) throw new Error(`a line comes from ${SOURCES.join(", ")}`);
    const { side } = line;
    return { from, name: label(line["name"], "name of a line"), side: typeof side === "number" && Number.isInteger(side) && side >= 0 && side < 8 ? side : 0 };
  });
}

function label(json: unknown, what: string): string {
  if (typeof json !== "string" || json.trim() === "" || json.length > MOST.name) throw new Error(`the ${what} is a text of at most ${MOST.name} letters`);
  return json.trim();
}

function isRecord(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
