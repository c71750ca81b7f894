/** What scripts draw, as shapes on the map. */
import type { Value } from "@bufbuild/protobuf/wkt";
import type { ScriptMark } from "../gen/phalanx/v1/worlds_pb";
import type { Ground } from "./place";
import type { Point } from "./geometry";

/** A mark with places. */
export interface Shape {
  readonly kind: "cell" | "line";
  readonly points: readonly Point[];
  readonly text: string;
}

/** The shape of a mark; undefined where its arguments name no place, since scripts draw what they like. */
export function markShape(mark: ScriptMark, ground: Ground): Shape | undefined {
  const [first, second] = mark.args;
  const text = mark.args.map(textOf).find((found) => found !== "") ?? "";
  switch (mark.shape) {
    case "cell":
    case "text": {
      const at = placeOf(first, ground);
      return at === undefined ? undefined : { kind: "cell", points: [at], text };
    }
    case "line": {
      const [from, to] = [placeOf(first, ground), placeOf(second, ground)];
      return from === undefined || to === undefined ? undefined : { kind: "line", points: [from, to], text };
    }
    case "path": {
      const cells = first?.kind.case === "listValue" ? first.kind.value.values : [];
      const points = cells.map((cell) => placeOf(cell, ground)).filter((point) => point !== undefined);
      return points.length === 0 ? undefined : { kind: "line", points, text };
    }
    default:
      return undefined;
  }
}

function textOf(value: Value): string {
  return value.kind.case === "stringValue" ? value.kind.value : "";
}

/** `{ x = 1, y = 2 }` or `{ 1, 2 }`. */
function placeOf(value: Value | undefined, ground: Ground): Point | undefined {
  const number = (part: Value | undefined): number | undefined =>
    part?.kind.case === "numberValue" ? part.kind.value : undefined;
  let [x, y]: (number | undefined)[] = [];
  if (value?.kind.case === "structValue") {
    const { fields } = value.kind.value;
    [x, y] = [number(fields["x"]), number(fields["y"])];
  } else if (value?.kind.case === "listValue") {
    [x, y] = value.kind.value.values.map(number);
  }
  if (x === undefined || y === undefined) return undefined;
  const half = ground.kind === "grid" ? 0.5 : 0;
  return { x: x + half, y: (ground.up ? -y : y) + half };
}
