/** The findings of a trial, in the order in which their author wants them. */
import { FaultSeverity, type Fault } from "../gen/phalanx/v1/strategies_pb";

/** Errors before warnings; among them what the user changed, then the open file, and specs last. */
export function byConcern(faults: readonly Fault[], edited: ReadonlySet<string>, open: string): Fault[] {
  const rank = ({ severity, file }: Fault): number =>
    (severity === FaultSeverity.ERROR ? 0 : 8) + (edited.has(file) ? 0 : 4) + (isSpec(file) ? 2 : 0) + (file === open ? 0 : 1);
  // Sorting is stable: the order of file and line stays within a rank.
  return [...faults].sort((a, b) => rank(a) - rank(b));
}

/** Whether a file contains specs and no part of the strategy. */
export function isSpec(path: string): boolean {
  return path.startsWith("spec/") || path.includes("/spec/") || /[._]spec\.luau?$/.test(path);
}

/** `worker.luau:12: what is wrong`. */
export function faultText({ file, line, message }: Fault): string {
  return `${file}${line > 0 ? `:${line}` : ""}: ${message}`;
}

/** The file to begin with: the team's plan, otherwise the role of most agents. */
export function firstFile(paths: readonly string[], roles: readonly string[]): string {
  if (paths.includes("team.luau")) return "team.luau";
  const counts = new Map<string, number>();
  for (const role of roles) counts.set(role, (counts.get(role) ?? 0) + 1);
  const busiest = [...counts].sort(([, a], [, b]) => b - a).map(([role]) => `${role}.luau`);
  return busiest.find((path) => paths.includes(path)) ?? inOrder(paths)[0] ?? "";
}

/** The team's plan, roles, modules, specs. */
export function inOrder(paths: readonly string[]): string[] {
  const rank = (path: string): number => (path === "team.luau" ? 0 : isSpec(path) ? 3 : path.includes("/") ? 2 : 1);
  return [...paths].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}
