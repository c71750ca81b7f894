/** Where a dragged panel goes. */
import { docked, exchanged, type Box, type Tile, type Tree, type Way } from "./tree";

/** What happens when the panel is released. */
export interface Drop {
  /** The panel under the pointer; empty: the whole area. */
  readonly target: string;
  /** The side of the target; undefined: both panels change places. */
  readonly way: Way | undefined;
  /** The room that the panel will get, in percent of the area. */
  readonly preview: Box;
}

/** Within this distance from the area's edge, in percent, a panel goes to that edge. */
const RIM = 2.5;
/** Within this part around the middle of a panel, both change places. */
const MIDDLE = 0.22;
/** Share of the area that an edge shows as its preview. */
const EDGE = 28;

/** The drop of a panel at this point, in percent of the area; undefined: there is nothing to do. */
export function dropAt(tiles: readonly Tile[], id: string, x: number, y: number): Drop | undefined {
  const rim = nearest({ left: x, right: 100 - x, up: y, down: 100 - y });
  if (rim.far >= 0 && rim.far < RIM && tiles.length > 1) return { target: "", way: rim.way, preview: part({ left: 0, top: 0, width: 100, height: 100 }, rim.way, EDGE / 100) };
  const over = tiles.find((tile) => x >= tile.left && x <= tile.left + tile.width && y >= tile.top && y <= tile.top + tile.height);
  if (over === undefined || over.id === id) return undefined;
  const [u, v] = [(x - over.left) / over.width, (y - over.top) / over.height];
  if (Math.abs(u - 0.5) < MIDDLE && Math.abs(v - 0.5) < MIDDLE) return { target: over.id, way: undefined, preview: over };
  const { way } = nearest({ left: u, right: 1 - u, up: v, down: 1 - v });
  return { target: over.id, way, preview: part(over, way, 0.5) };
}

/** The tree after the drop. */
export function dropped(tree: Tree, id: string, { target, way }: Drop): Tree {
  return way === undefined ? exchanged(tree, id, target) : docked(tree, id, target, way);
}

function nearest(far: Readonly<Record<Way, number>>): { way: Way; far: number } {
  const ways: readonly Way[] = ["left", "right", "up", "down"];
  const way = ways.reduce((a, b) => (far[b] < far[a] ? b : a));
  return { way, far: far[way] };
}

function part(box: Box, way: Way, share: number): Box {
  const [width, height] = [box.width * share, box.height * share];
  switch (way) {
    case "left":
      return { ...box, width };
    case "right":
      return { ...box, left: box.left + box.width - width, width };
    case "up":
      return { ...box, height };
    case "down":
      return { ...box, top: box.top + box.height - height, height };
  }
}
