/** How fast matches are played, from what was seen while the page was open. */

/** How far back the pace looks, in milliseconds. */
const WINDOW_MS = 120_000;
/** Shortest time that says anything. */
const LEAST_MS = 5_000;

/** Counts of played matches by the time at which they were seen. */
export class Pace {
  private seen: { at: number; played: number }[] = [];

  /** Notes a count. */
  note(at: number, played: number): void {
    const last = this.seen.at(-1);
    // A run that began anew.
    if (last !== undefined && played < last.played) this.seen = [];
    this.seen.push({ at, played });
    this.seen = this.seen.filter((one) => at - one.at <= WINDOW_MS);
  }

  /** Matches a minute; undefined while it is not known. */
  perMinute(): number | undefined {
    const [first, last] = [this.seen[0], this.seen.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < LEAST_MS) return undefined;
    return ((last.played - first.played) / (last.at - first.at)) * 60_000;
  }
}

/** `about 4 min left`; empty where nothing can be said. */
export function timeLeft(left: number, perMinute: number | undefined): string {
  if (perMinute === undefined || perMinute <= 0 || left <= 0) return "";
  const minutes = left / perMinute;
  if (minutes < 1) return "less than a minute left";
  if (minutes < 90) return `about ${Math.round(minutes)} min left`;
  return `about ${(minutes / 60).toLocaleString("en", { maximumFractionDigits: minutes < 600 ? 1 : 0 })} h left`;
}
