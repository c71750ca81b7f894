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
