/**
 * A first place for each node, so that the map of a graph is unfolded: the two directions in which the
 * distances from some nodes to all others differ most (pivot scaling, Brandes and Pich 2006).
 */

/** Nodes from which distances are measured. */
const PIVOTS = 24;
/** Rounds in which a direction becomes exact enough. */
const POWER = 40;

/** Fills the places. */
export function spread(xs: Float64Array, ys: Float64Array, near: readonly (readonly number[])[], gap: number): void {
  const count = xs.length;
  if (count < 3) {
    for (let at = 0; at < count; at += 1) xs[at] = at * gap;
    return;
  }
  const columns = pivots(near).map(centred);
  const first = direction(columns, []);
  const second = direction(columns, [first]);
  for (const [into, axis] of [[xs, first], [ys, second]] as const) {
    for (let at = 0; at < count; at += 1) into[at] = columns.reduce((sum, column, index) => sum + (column[at] ?? 0) * (axis[index] ?? 0), 0);
  }
  scale(xs, ys, near, gap);
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

/** Steps from a node to all others; those without a way are a bit further than the furthest one. */
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
  const most = Math.max(...steps) + 2;
  return steps.map((value) => (value === -1 ? most : value));
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

/** Linked nodes are about `gap` apart on average; no two are at the same place. */
function scale(xs: Float64Array, ys: Float64Array, near: readonly (readonly number[])[], gap: number): void {
  let [sum, links] = [0, 0];
  for (const [a, list] of near.entries()) {
    for (const b of list) [sum, links] = [sum + Math.hypot((xs[a] ?? 0) - (xs[b] ?? 0), (ys[a] ?? 0) - (ys[b] ?? 0)), links + 1];
  }
  const factor = sum === 0 ? 1 : (gap * links) / sum;
  for (let at = 0; at < xs.length; at += 1) {
    const angle = at * 2.399963;
    xs[at] = (xs[at] ?? 0) * factor + Math.cos(angle) * gap * 0.05;
    ys[at] = (ys[at] ?? 0) * factor + Math.sin(angle) * gap * 0.05;
  }
}
