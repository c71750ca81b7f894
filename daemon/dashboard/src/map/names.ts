/** The sign inside a body: its number, as people call it. */
import { WorldSide, type WorldBody } from "../gen/phalanx/v1/worlds_pb";

/** Names of up to this length are shown whole. */
const SHORT = 2;

/** The signs of all bodies of a part. */
export function signsOf(bodies: readonly WorldBody[]): string[] {
  const others = new Map<string, number>();
  return bodies.map((body) => {
    const { name, agent } = body;
    if (name === "" && agent === undefined) return "";
    if (name !== "" && name.length <= SHORT) return name;
    const digits = /^\D*?(\d{1,3})$/.exec(name)?.[1];
    if (digits !== undefined) return digits;
    if (agent !== undefined) return `${agent + 1}`;
    if (body.side === WorldSide.OURS) return "";
    const index = others.get(name) ?? others.size;
    others.set(name, index);
    return letters(index);
  });
}

/** a to z, then aa to zz. */
function letters(index: number): string {
  const letter = (at: number): string => String.fromCharCode(97 + (at % 26));
  return index < 26 ? letter(index) : letter(Math.floor(index / 26) - 1) + letter(index);
}
