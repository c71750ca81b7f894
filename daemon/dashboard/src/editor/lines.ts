/** The lines of one version of a file in another version. */
import { diff } from "@codemirror/merge";

/** Effort after which the comparison becomes less precise: it runs while the user types. */
const EFFORT = { scanLimit: 500, timeout: 50 } as const;

/** The place of each line of `before` in `now`, both from 1; a line that was removed has none. */
export function lineMap(before: string, now: string): (line: number) => number | undefined {
  const [old, fresh] = [before.split("\n"), now.split("\n")];
  if (before === now) return (line) => (line >= 1 && line <= old.length ? line : undefined);
  const letters = new Map<string, string>();
  const changes = diff(spelled(old, letters), spelled(fresh, letters), EFFORT);
  return (line) => {
    const at = line - 1;
    if (at < 0 || at >= old.length) return undefined;
    let shift = 0;
    for (const { fromA, toA, fromB, toB } of changes) {
      if (fromA > at) break;
      // As many lines as before: they were changed, each in its place.
      if (toA > at) return toA - fromA === toB - fromB ? fromB + (at - fromA) + 1 : undefined;
      shift = toB - toA;
    }
    return at + shift + 1;
  };
}

/** A text in which each different line is a letter, so that lines are compared as a whole. */
function spelled(lines: readonly string[], letters: Map<string, string>): string {
  return lines
    .map((line) => {
      const letter = letters.get(line) ?? String.fromCharCode(letters.size % 0xd000);
      letters.set(line, letter);
      return letter;
    })
    .join("");
}
