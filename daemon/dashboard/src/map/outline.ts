/** Adjacent cells as one shape with round corners: caves, zones, the bodies of snakes. */
import type { Point } from "./geometry";

/** A corner of cells, as column and row. */
type Corner = readonly [number, number];

/** Right, down, left, up. */
const WAYS: readonly Corner[] = [[1, 0], [0, 1], [-1, 0], [0, -1]];

/** The borders of all cells for which the rule holds, each once around, with the cells at the right-hand side. */
export function borders(width: number, height: number, holds: (x: number, y: number) => boolean): Point[][] {
  const inside = (x: number, y: number): boolean => x >= 0 && y >= 0 && x < width && y < height && holds(x, y);
  // Edges that are still to be walked, by the corner at which they begin and their direction.
  const wide = width + 1;
  const left = new Set<number>();
  const key = (x: number, y: number, way: number): number => (y * wide + x) * 4 + way;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (!inside(x, y)) continue;
      if (!inside(x, y - 1)) left.add(key(x, y, 0));
      if (!inside(x + 1, y)) left.add(key(x + 1, y, 1));
      if (!inside(x, y + 1)) left.add(key(x + 1, y + 1, 2));
      if (!inside(x - 1, y)) left.add(key(x, y + 1, 3));
    }
  }
  const found: Point[][] = [];
  for (const first of left) {
    const run: Point[] = [];
    let [way, corner] = [first % 4, Math.floor(first / 4)];
    while (left.delete(corner * 4 + way)) {
      const [x, y] = [corner % wide, Math.floor(corner / wide)];
      run.push({ x, y });
      const [dx, dy] = WAYS[way] ?? [0, 0];
      const [nx, ny] = [x + dx, y + dy];
      corner = ny * wide + nx;
      // Where two cells meet at a corner only, the border turns right: they stay apart.
      way = [1, 0, 3].map((turn) => (way + turn) % 4).find((next) => left.has(key(nx, ny, next))) ?? way;
    }
    found.push(straight(run));
  }
  return found;
}

/** Without the corners at which the border goes straight on. */
function straight(run: readonly Point[]): Point[] {
  return run.filter((here, index) => {
    const before = run.at(index - 1) ?? here;
    const after = run[(index + 1) % run.length] ?? here;
    return (before.x === here.x) !== (here.x === after.x);
  });
}

/** Adds borders to a path, with rounded corners; `inset` moves them into the cells. */
export function addRounded(path: Path2D, runs: readonly (readonly Point[])[], round: number, inset: number): void {
  for (const run of runs) {
    const corners = inset === 0 ? run : moved(run, inset);
    const last = corners.at(-1);
    const first = corners[0];
    if (last === undefined || first === undefined) continue;
    path.moveTo((last.x + first.x) / 2, (last.y + first.y) / 2);
    for (const [index, corner] of corners.entries()) {
      const next = corners[(index + 1) % corners.length] ?? first;
      path.arcTo(corner.x, corner.y, next.x, next.y, round);
    }
    path.closePath();
  }
}

/** Every corner moved towards the cells, which are at the right-hand side. */
function moved(run: readonly Point[], inset: number): Point[] {
  return run.map((here, index) => {
    const before = run.at(index - 1) ?? here;
    const after = run[(index + 1) % run.length] ?? here;
    const [ix, iy] = [Math.sign(here.x - before.x), Math.sign(here.y - before.y)];
    const [ox, oy] = [Math.sign(after.x - here.x), Math.sign(after.y - here.y)];
    // The right-hand side of (dx, dy) is (-dy, dx), as y grows downwards.
    return { x: here.x + inset * (-iy - oy), y: here.y + inset * (ix + ox) };
  });
}
