/** Names as people read them. */

/** Identifiers that no person reads whole. */
const LONG_ID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

/** The text with each UUID cut to its first 8 characters; show the whole text as the tooltip. */
export function shortIds(text: string): string {
  return text.replace(LONG_ID, "$1");
}

/** Names of up to this length are signs already. */
const SHORT = 2;

/** The sign of an agent, as on the map: a short name whole, else the digits at its end, else its place in the team. */
export function numberOf(name: string, index: number): string {
  if (name !== "" && name.length <= SHORT) return name;
  return /\d{1,3}$/.exec(name)?.[0] ?? `${index + 1}`;
}

/** A number with the digits that people read: `1,234`, `0.25`, `13.7`. */
export function rounded(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** Milliseconds as people compare them in a column: `0.4 ms`, `13 ms`; the clock's finer digits are noise. */
export function millis(ms: number): string {
  if (ms > 0 && ms < 0.05) return "<0.1 ms";
  return `${ms.toLocaleString("en", { maximumFractionDigits: ms < 10 ? 1 : 0, minimumFractionDigits: ms > 0 && ms < 9.95 ? 1 : 0 })} ms`;
}

/** `1 turn`, `2 turns`. */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : many}`;
}

/** A whole number with a proper minus: `−1,234`. */
export function figure(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 0 }).replace("-", "−");
}

/** A score as people read it; a dash where it is not known. */
export function scoreText(score: bigint | number | undefined): string {
  return score === undefined ? "–" : figure(Number(score));
}
