/**
 * Positions for graphs that have none of their own. The same graph always gets the same layout.
 *
 * d3-force is not used: it takes three to nine times as long for 500 nodes, while a map of Mars grows
 * with almost every turn, and adds 6 kB. Nodes here only meet those in the boxes around them.
 */
import type { Point } from "./geometry";
import { spread } from "./graph-spread";

/** Rounds of pushing and pulling. */
const ROUNDS = 160;
/** Nodes that are more than this number of gaps apart do not push each other. */
const REACH = 4;
/** A road of this number of gaps is too long to be kept. */
const TORN = 8;

/**
 * Places linked nodes about `gap` apart: edges pull, nodes push, less in each round. Nodes in `kept`
 * start where they were, so that a growing graph keeps its look.
 */
export function layoutGraph(
  count: number,
  edges: readonly (readonly [number, number])[],
  gap: number,
  kept: readonly (Point | undefined)[] = [],
): Point[] {
  const xs = new Float64Array(count);
  const ys = new Float64Array(count);
  const near: number[][] = Array.from({ length: count }, () => []);
  for (const [a, b] of edges) {
    if (a >= count || b >= count || a === b) continue;
    near[a]?.push(b);
    near[b]?.push(a);
  }
  const torn = edges.some(([a, b]) => isLong(kept[a], kept[b], gap));
  const old = torn ? 0 : kept.filter((point) => point !== undefined).length;
  if (old === 0) spread(xs, ys, near, gap);
  else begin(xs, ys, near, gap, kept);
  const rounds = old > count / 2 ? ROUNDS / 4 : ROUNDS;
  for (let round = 0; round < rounds; round += 1) {
    const heat = gap * (1 - round / rounds) * (old > 0 ? 0.3 : 0.6);
    step(xs, ys, near, gap, heat + gap * 0.01);
  }
  return Array.from({ length: count }, (_, at) => ({ x: xs[at] ?? 0, y: ys[at] ?? 0 }));
}

/** Whether a road joins two pieces that were laid out apart: then the look of before helps no more. */
function isLong(a: Point | undefined, b: Point | undefined, gap: number): boolean {
  return a !== undefined && b !== undefined && Math.hypot(a.x - b.x, a.y - b.y) > TORN * gap;
}

/** New nodes start beside a neighbour, or on a spiral: the golden angle puts no two at the same place. */
function begin(xs: Float64Array, ys: Float64Array, near: readonly number[][], gap: number, kept: readonly (Point | undefined)[]): void {
  for (let at = 0; at < xs.length; at += 1) {
    const known = kept[at];
    const friend = near[at]?.find((other) => other < at);
    const angle = at * 2.399963;
    if (known !== undefined) {
      [xs[at], ys[at]] = [known.x, known.y];
    } else if (friend !== undefined) {
      xs[at] = (xs[friend] ?? 0) + Math.cos(angle) * gap;
      ys[at] = (ys[friend] ?? 0) + Math.sin(angle) * gap;
    } else {
      const far = gap * Math.sqrt(at + 1) * 0.7;
      [xs[at], ys[at]] = [Math.cos(angle) * far, Math.sin(angle) * far];
    }
  }
}

/** One round. */
function step(xs: Float64Array, ys: Float64Array, near: readonly number[][], gap: number, heat: number): void {
  const count = xs.length;
  const [fx, fy] = [new Float64Array(count), new Float64Array(count)];
  const size = gap * REACH;
  const boxes = new Map<number, number[]>();
  const key = (x: number, y: number): number => Math.floor(x / size) * 65_537 + Math.floor(y / size);
  for (let at = 0; at < count; at += 1) {
    const box = key(xs[at] ?? 0, ys[at] ?? 0);
    const list = boxes.get(box);
    if (list === undefined) boxes.set(box, [at]);
    else list.push(at);
  }
  for (let at = 0; at < count; at += 1) {
    const [x, y] = [xs[at] ?? 0, ys[at] ?? 0];
    let [sx, sy] = [0, 0];
    for (let column = -1; column <= 1; column += 1) {
      for (let row = -1; row <= 1; row += 1) {
        for (const other of boxes.get(key(x + column * size, y + row * size)) ?? []) {
          if (other === at) continue;
          const [dx, dy] = [x - (xs[other] ?? 0), y - (ys[other] ?? 0)];
          const far = Math.max(dx * dx + dy * dy, 1e-4);
          const push = (gap * gap) / far;
          sx += dx * push;
          sy += dy * push;
        }
      }
    }
    for (const other of near[at] ?? []) {
      const [dx, dy] = [(xs[other] ?? 0) - x, (ys[other] ?? 0) - y];
      const pull = Math.sqrt(dx * dx + dy * dy) / gap;
      sx += dx * pull;
      sy += dy * pull;
    }
    [fx[at], fy[at]] = [sx, sy];
  }
  for (let at = 0; at < count; at += 1) {
    const [dx, dy] = [fx[at] ?? 0, fy[at] ?? 0];
    const long = Math.sqrt(dx * dx + dy * dy);
    if (long === 0) continue;
    const far = Math.min(long, heat);
    xs[at] = (xs[at] ?? 0) + (dx / long) * far;
    ys[at] = (ys[at] ?? 0) + (dy / long) * far;
  }
}
