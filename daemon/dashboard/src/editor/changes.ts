/** Two versions of a strategy, file by file. */
import type { StrategyFile } from "../gen/phalanx/v1/strategies_pb";

/** What became of a file. */
export interface Change {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly before: string;
  readonly now: string;
}

/** Only what differs, in the order of the paths. */
export function changes(before: readonly StrategyFile[], now: readonly StrategyFile[]): Change[] {
  const old = new Map(before.map((file) => [file.path, file.source]));
  const fresh = new Map(now.map((file) => [file.path, file.source]));
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].sort();
  return paths.flatMap((path) => {
    const [was, is] = [old.get(path), fresh.get(path)];
    if (was === is) return [];
    const kind = was === undefined ? "added" : is === undefined ? "removed" : "changed";
    return [{ path, kind, before: was ?? "", now: is ?? "" }];
  });
}

/** What becomes of edits when another generation decides. */
export interface Rebased {
  /** The edits that still are some. */
  readonly edited: ReadonlyMap<string, string>;
  /** Edited files that are otherwise in the other generation too. */
  readonly both: readonly string[];
}

/** Lays edits over the files of another generation than the one that they were made on. */
export function rebase(before: readonly StrategyFile[], now: readonly StrategyFile[], edited: ReadonlyMap<string, string>): Rebased {
  const kept = [...edited].filter(([path, text]) => sourceOf(now, path) !== text);
  const both = kept.map(([path]) => path).filter((path) => sourceOf(before, path) !== sourceOf(now, path));
  return { edited: new Map(kept), both };
}

/** The source of a file; undefined where there is none. */
export function sourceOf(files: readonly StrategyFile[], path: string): string | undefined {
  return files.find((file) => file.path === path)?.source;
}
