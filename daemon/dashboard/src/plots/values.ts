/** Numbers on a team's board. */
import type { JsonValue } from "@bufbuild/protobuf";
import type { BoardEntry } from "../gen/phalanx/v1/boards_pb";
import { valueJson } from "../match/values";

/** A number by its key: `ore`, `stock.ore` in an object, `queue, count` of a list. */
export interface BoardNumber {
  readonly name: string;
  readonly value: number;
}

/** Numbers of an object that are looked for this deep. */
const DEPTH = 3;

/** All numbers of an entry. */
export function numbersOf({ key, value }: BoardEntry): BoardNumber[] {
  return value === undefined ? [] : inside(key, valueJson(value), 0);
}

function inside(name: string, json: JsonValue, depth: number): BoardNumber[] {
  if (typeof json === "number") return Number.isFinite(json) ? [{ name, value: json }] : [];
  if (typeof json === "boolean") return [{ name, value: json ? 1 : 0 }];
  if (Array.isArray(json)) return [{ name: `${name}, count`, value: json.length }];
  if (typeof json !== "object" || json === null || depth >= DEPTH) return [];
  return Object.entries(json).flatMap(([field, value]) => inside(`${name}.${field}`, value, depth + 1));
}
