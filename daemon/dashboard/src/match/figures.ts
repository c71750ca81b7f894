/** Reads the histograms that the page shows from Prometheus' text format. */

/** How often each range of a histogram was met. */
export interface Bucket {
  /** Upper bound in seconds; Infinity for the last. */
  readonly below: number;
  readonly count: number;
}

/** The buckets of a team's histogram, each counted alone; empty where there are none. */
export function buckets(text: string, name: string, team: string): Bucket[] {
  const sums = new Map<number, number>();
  for (const row of text.split("\n")) {
    if (!row.startsWith(`${name}_bucket{`)) continue;
    const end = row.lastIndexOf("}");
    const labels = labelsOf(row.slice(name.length + "_bucket{".length, end));
    if (labels.get("team") !== team) continue;
    const bound = labels.get("le");
    const count = Number(row.slice(end + 1).trim());
    if (bound === undefined || !Number.isFinite(count)) continue;
    const below = bound === "+Inf" ? Infinity : Number(bound);
    sums.set(below, (sums.get(below) ?? 0) + count);
  }
  const rising = [...sums].sort(([a], [b]) => a - b);
  let before = 0;
  return rising.map(([below, sum]) => {
    const count = Math.max(0, sum - before);
    before = sum;
    return { below, count };
  });
}

/** The labels of a row: `team="A",seat="a1"`. */
export function labelsOf(text: string): Map<string, string> {
  const labels = new Map<string, string>();
  const pattern = /(\w+)="((?:[^"\\]|\\.)*)"/g;
  for (const [, name, value] of text.matchAll(pattern)) {
    if (name !== undefined && value !== undefined) {
      labels.set(name, value.replace(/\\(.)/g, (_, mark: string) => (mark === "n" ? "\n" : mark)));
    }
  }
  return labels;
}

/** The difference between two readings; the later one alone if the counters restarted. */
export function since(before: readonly Bucket[], now: readonly Bucket[]): Bucket[] {
  if (before.length !== now.length) return [...now];
  const fresh = now.map((bucket, at) => ({ below: bucket.below, count: bucket.count - (before[at]?.count ?? 0) }));
  return fresh.some((bucket) => bucket.count < 0) ? [...now] : fresh;
}

/** Seconds as people read them. */
export function secondsText(seconds: number): string {
  if (seconds === Infinity) return "∞";
  if (seconds < 1e-3) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${Number((seconds * 1e3).toPrecision(3))} ms`;
  return `${Number(seconds.toPrecision(3))} s`;
}
