/** Panels that fill an area: a tree of rows and columns. Every function returns a new tree. */

/** Direction in which the parts of a branch follow each other: `x` from left to right. */
export type Axis = "x" | "y";
/** A side of a panel, or a direction. */
export type Way = "left" | "right" | "up" | "down";
/** A panel's name, or a branch. */
export type Tree = string | Branch;

/** Parts side by side, or one below the other. */
export interface Branch {
  readonly axis: Axis;
  readonly parts: readonly Part[];
}

/** One part of a branch. */
export interface Part {
  /** Its size in relation to the other parts. */
  readonly share: number;
  readonly tree: Tree;
}

/** A rectangle, in percent of the area. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A panel with its place. */
export interface Tile extends Box {
  readonly id: string;
}

/** A border between two parts of a branch, which can be moved. */
export interface Border {
  /** Indices of the parts that lead to the branch. */
  readonly path: readonly number[];
  /** Indices of the parts before and after it. */
  readonly before: number;
  readonly after: number;
  readonly axis: Axis;
  /** Where both parts are. */
  readonly pair: Box;
  /** Share of the first part in the pair, from 0 to 1. */
  readonly share: number;
  /** Names of the first panels on both sides. */
  readonly between: readonly [string, string];
}

/** A panel keeps this share when a border moves. */
export const LEAST = 0.1;
/** Share of a panel that is put at an edge of the whole area. */
const EDGE = 0.28;
const WHOLE: Box = { left: 0, top: 0, width: 100, height: 100 };
const NEAR = 0.01;

/** All panels, in reading order. */
export function panels(tree: Tree): string[] {
  return typeof tree === "string" ? [tree] : tree.parts.flatMap((part) => panels(part.tree));
}

/** Places of the panels and of the borders between them; hidden panels take no room. */
export function placed(tree: Tree, hidden: ReadonlySet<string>): { tiles: Tile[]; borders: Border[] } {
  const found = { tiles: [] as Tile[], borders: [] as Border[] };
  const shown = (node: Tree): string[] => panels(node).filter((id) => !hidden.has(id));
  const place = (node: Tree, box: Box, path: readonly number[]): void => {
    if (typeof node === "string") {
      found.tiles.push({ id: node, ...box });
      return;
    }
    const parts = node.parts.flatMap((part, at) => (shown(part.tree).length > 0 ? [{ ...part, at }] : []));
    const sum = parts.reduce((all, { share }) => all + share, 0);
    let from = 0;
    for (const [index, part] of parts.entries()) {
      const size = part.share / sum;
      place(part.tree, slice(box, node.axis, from, size), [...path, part.at]);
      const next = parts[index + 1];
      if (next !== undefined) {
        const pair = slice(box, node.axis, from, size + next.share / sum);
        const between = [shown(part.tree)[0] ?? "", shown(next.tree)[0] ?? ""] as const;
        found.borders.push({ path, before: part.at, after: next.at, axis: node.axis, pair, share: part.share / (part.share + next.share), between });
      }
      from += size;
    }
  };
  if (shown(tree).length > 0) place(tree, WHOLE, []);
  return found;
}

function slice(box: Box, axis: Axis, from: number, size: number): Box {
  return axis === "x" ? { ...box, left: box.left + box.width * from, width: box.width * size } : { ...box, top: box.top + box.height * from, height: box.height * size };
}

/** The tree with another share of the first part at this border. */
export function resized(tree: Tree, border: Pick<Border, "path" | "before" | "after">, share: number): Tree {
  if (typeof tree === "string") return tree;
  const [step, ...rest] = border.path;
  if (step !== undefined) {
    return { ...tree, parts: tree.parts.map((part, at) => (at === step ? { ...part, tree: resized(part.tree, { ...border, path: rest }, share) } : part)) };
  }
  const kept = Math.min(1 - LEAST, Math.max(LEAST, share));
  const sum = (tree.parts[border.before]?.share ?? 0) + (tree.parts[border.after]?.share ?? 0);
  const of = (at: number, before: number): number => (at === border.before ? sum * kept : at === border.after ? sum * (1 - kept) : before);
  return { ...tree, parts: tree.parts.map((part, at) => ({ ...part, share: rounded(of(at, part.share)) })) };
}

function rounded(share: number): number {
  return Math.max(0.01, Math.round(share * 100) / 100);
}

/** The tree without a panel; undefined: it was the only one. */
export function without(tree: Tree, id: string): Tree | undefined {
  if (typeof tree === "string") return tree === id ? undefined : tree;
  const parts = tree.parts.flatMap((part): Part[] => {
    const left = without(part.tree, id);
    return left === undefined ? [] : [{ ...part, tree: left }];
  });
  return joined({ ...tree, parts });
}

/** A branch of one part is that part; a branch in a branch of the same direction is a part of it. */
function joined({ axis, parts }: Branch): Tree | undefined {
  const [only, second] = parts;
  if (only === undefined) return undefined;
  if (second === undefined) return only.tree;
  return {
    axis,
    parts: parts.flatMap((part): readonly Part[] => {
      if (typeof part.tree === "string" || part.tree.axis !== axis) return [part];
      const sum = part.tree.parts.reduce((all, { share }) => all + share, 0);
      return part.tree.parts.map((inner) => ({ ...inner, share: rounded((part.share * inner.share) / sum) }));
    }),
  };
}

/** The tree with a panel at a side of another one; an empty target is the whole area. The panel may be new. */
export function docked(tree: Tree, id: string, target: string, way: Way): Tree {
  if (id === target) return tree;
  const rest = without(tree, id);
  if (rest === undefined) return id;
  const beside = (node: Tree, share: number): Branch => {
    const [old, fresh] = [{ share: 1 - share, tree: node }, { share, tree: id }];
    return { axis: way === "left" || way === "right" ? "x" : "y", parts: way === "left" || way === "up" ? [fresh, old] : [old, fresh] };
  };
  if (target === "") return joined(beside(rest, EDGE)) ?? id;
  const put = (node: Tree): Tree => {
    if (typeof node === "string") return node === target ? beside(node, 0.5) : node;
    return joined({ ...node, parts: node.parts.map((part) => ({ ...part, tree: put(part.tree) })) }) ?? id;
  };
  return put(rest);
}

/** The tree with two panels in each other's places. */
export function exchanged(tree: Tree, one: string, other: string): Tree {
  if (typeof tree !== "string") return { ...tree, parts: tree.parts.map((part) => ({ ...part, tree: exchanged(part.tree, one, other) })) };
  return tree === one ? other : tree === other ? one : tree;
}

/** The tree with a new panel where there is most room; `ratio` is the area's width divided by its height. */
export function added(tree: Tree | undefined, id: string, ratio: number): Tree {
  if (tree === undefined) return id;
  const { tiles } = placed(tree, new Set());
  const most = tiles.reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a));
  return docked(tree, id, most.id, most.width * ratio > most.height ? "right" : "down");
}

/** The panel beside another one in this direction: the one with the longest common border. */
export function neighbour(tree: Tree, hidden: ReadonlySet<string>, id: string, way: Way): string | undefined {
  const { tiles } = placed(tree, hidden);
  const own = tiles.find((tile) => tile.id === id);
  if (own === undefined) return undefined;
  const flat = way === "left" || way === "right";
  const [from, to] = flat ? [own.top, own.top + own.height] : [own.left, own.left + own.width];
  const edge = { left: own.left, right: own.left + own.width, up: own.top, down: own.top + own.height }[way];
  const facing = (tile: Tile): number => ({ left: tile.left + tile.width, right: tile.left, up: tile.top + tile.height, down: tile.top })[way];
  const common = (tile: Tile): number => Math.min(to, flat ? tile.top + tile.height : tile.left + tile.width) - Math.max(from, flat ? tile.top : tile.left);
  const beside = tiles.filter((tile) => tile.id !== id && Math.abs(facing(tile) - edge) < NEAR && common(tile) > NEAR);
  return beside.sort((a, b) => common(b) - common(a))[0]?.id;
}
