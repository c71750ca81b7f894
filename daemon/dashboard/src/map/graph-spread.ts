/**
 * A first place for each node, so that the map of a graph is unfolded: the two directions in which the
 * distances from some nodes to all others differ most (pivot scaling, Brandes and Pich 2006).
 */

/** Nodes from which distances are measured. */
const PIVOTS = 24;
/** Rounds in which a direction becomes exact enough. */
const POWER = 40;

/** Gaps between two parts of a graph that no way links. */
const APART = 3;

/** Fills the places; parts without a way between them are beside each other, the largest first. */
export function spread(xs: Float64Array, ys: Float64Array, near: readonly (readonly number[])[], gap: number): void {
  let [left, wide, below, most] = [0, 0, 0, 0];
  for (const nodes of components(near)) {
    const index = new Map(nodes.map((node, at) => [node, at]));
    const own = nodes.map((node) => (near[node] ?? []).flatMap((other) => index.get(other) ?? []));
    const places = whole(own, gap);
    const [width, height] = [Math.max(...places.map(([x]) => x)), Math.max(...places.map(([, y]) => y))];
    // Smaller parts are in columns to the right of the largest one.
    if (below + height > most) [left, below] = [left + wide, 0];
    if (below === 0) wide = 0;
    for (const [at, [x, y]] of places.entries()) [xs[nodes[at] ?? 0], ys[nodes[at] ?? 0]] = [left + x, below + y];
    [wide, below, most] = [Math.max(wide, width + APART * gap), below + height + APART * gap, Math.max(most, height)];
  }
}

/** Nodes that are linked by ways, the largest group first. */
function components(near: readonly (readonly number[])[]): number[][] {
  const seen = new Set<number>();
  const found: number[][] = [];
  for (const first of near.keys()) {
    if (seen.has(first)) continue;
    const nodes = [first];
    seen.add(first);
    for (const node of nodes) {
      for (const next of near[node] ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        nodes.push(next);
      }
    }
    found.push(nodes);
  }
  return found.sort((a, b) => b.length - a.length);
}

/** The places of a graph in one piece, from (0, 0) on. */
function whole(near: readonly (readonly number[])[], gap: number): [number, number][] {
  const count = near.length;
  if (count < 3) return near.map((_, at) => [at * gap, 0]);
  const columns = pivots(near).map(centred);
  const first = direction(columns, []);
  const second = direction(columns, [first]);
  const along = (axis: readonly number[], at: number): number => columns.reduce((sum, column, index) => sum + (column[at] ?? 0) * (axis[index] ?? 0), 0);
  const places = near.map((_, at): [number, number] => [along(first, at), along(second, at)]);
  const factor = scale(places, near, gap);
  // No two are at the same place.
  const apart = places.map(([x, y], at): [number, number] => [x * factor + Math.cos(at * 2.399963) * gap * 0.05, y * factor + Math.sin(at * 2.399963) * gap * 0.05]);
  const [left, top] = [Math.min(...apart.map(([x]) => x)), Math.min(...apart.map(([, y]) => y))];
  return apart.map(([x, y]) => [x - left, y - top]);
}

/** Squared distances from some nodes that are far from each other. */
function pivots(near: readonly (readonly number[])[]): Float64Array[] {
  const count = near.length;
  const least = new Float64Array(count).fill(Infinity);
  const found: Float64Array[] = [];
  let from = 0;
  while (found.length < Math.min(PIVOTS, count)) {
    const far = distances(near, from);
    found.push(far.map((steps) => steps * steps));
    for (let at = 0; at < count; at += 1) least[at] = Math.min(least[at] ?? 0, far[at] ?? 0);
    from = least.indexOf(Math.max(...least));
  }
  return found;
}

/** Steps from a node to all others. */
function distances(near: readonly (readonly number[])[], from: number): Float64Array {
  const steps = new Float64Array(near.length).fill(-1);
  steps[from] = 0;
  const queue = [from];
  for (const at of queue) {
    for (const next of near[at] ?? []) {
      if (steps[next] !== -1) continue;
      steps[next] = (steps[at] ?? 0) + 1;
      queue.push(next);
    }
  }
  return steps;
}

function centred(column: Float64Array): Float64Array {
  const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
  return column.map((value) => -(value - mean) / 2);
}

/** The direction in which the columns differ most, apart from those that are known. */
function direction(columns: readonly Float64Array[], known: readonly (readonly number[])[]): number[] {
  const products = columns.map((one) => columns.map((other) => one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)));
  let axis = columns.map((_, at) => 1 + ((at * 7) % 5));
  for (let round = 0; round < POWER; round += 1) {
    let next = products.map((row) => row.reduce((sum, value, at) => sum + value * (axis[at] ?? 0), 0));
    for (const other of known) {
      const along = next.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
      next = next.map((value, at) => value - along * (other[at] ?? 0));
    }
    const long = Math.hypot(...next) || 1;
    axis = next.map((value) => value / long);
  }
  return axis;
}

/** The factor by which linked nodes are about `gap` apart on average. */
function scale(places: readonly (readonly [number, number])[], near: readonly (readonly number[])[], gap: number): number {
  let [sum, links] = [0, 0];
  for (const [a, list] of near.entries()) {
    const [ax, ay] = places[a] ?? [0, 0];
    for (const b of list) {
      const [bx, by] = places[b] ?? [0, 0];
      [sum, links] = [sum + Math.hypot(ax - bx, ay - by), links + 1];
    }
  }
  return sum === 0 ? 1 : (gap * links) / sum;
}
