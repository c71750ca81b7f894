/** Plain values of scripts as text, and back. */
import type { JsonValue } from "@bufbuild/protobuf";
import { toJson, fromJson } from "@bufbuild/protobuf";
import { ValueSchema, type Value } from "@bufbuild/protobuf/wkt";

/** A value in one line. */
export function valueText(value: Value | undefined): string {
  return value === undefined ? "nil" : JSON.stringify(valueJson(value));
}

/** A value in as many lines as it needs. */
export function valueLines(value: Value | undefined): string {
  return value === undefined ? "" : JSON.stringify(valueJson(value), null, 2);
}

/** A value as JSON. */
export function valueJson(value: Value): JsonValue {
  return value.kind.case === undefined ? null : toJson(ValueSchema, value);
}

/** User input as a value: JSON, or plain text if it is not valid JSON. */
export function typedValue(text: string): Value {
  return fromJson(ValueSchema, parsed(text));
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
