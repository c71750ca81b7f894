/** Which entries of the board have to do with an agent or a place. */
import type { BoardEntry } from "../gen/phalanx/v1/boards_pb";
import { valueJson } from "../match/values";
import type { JsonValue } from "@bufbuild/protobuf";

/** Places are searched at most so deep in tables. */
const DEPTH = 4;

/** Whether an entry names this agent, in its key or in its value. */
export function isAbout(entry: BoardEntry, agent: string): boolean {
  if (agent === "") return false;
  const names = new RegExp(`(^|[^A-Za-z0-9])${agent.replace(/[^A-Za-z0-9]/g, "\\$&")}($|[^A-Za-z0-9])`);
  return names.test(entry.key) || (entry.value !== undefined && names.test(JSON.stringify(valueJson(entry.value))));
}

/** Whether an entry names this cell: `x,y` in its key, or `{ x, y }` or `{ 1, 2 }` in its value. */
export function isAt(entry: BoardEntry, cell: { x: number; y: number }): boolean {
  const text = new RegExp(`(^|[^0-9-])${cell.x}[ ,:/_]+${cell.y}($|[^0-9])`);
  return text.test(entry.key) || (entry.value !== undefined && has(valueJson(entry.value), cell, DEPTH));
}

function has(value: JsonValue, cell: { x: number; y: number }, depth: number): boolean {
  if (value === null || typeof value !== "object" || depth === 0) return false;
  if (Array.isArray(value)) {
    const [x, y] = value;
    return (value.length === 2 && x === cell.x && y === cell.y) || value.some((item) => has(item, cell, depth - 1));
  }
  return (value["x"] === cell.x && value["y"] === cell.y) || Object.values(value).some((item) => has(item, cell, depth - 1));
}
