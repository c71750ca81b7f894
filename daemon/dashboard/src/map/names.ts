/** The sign inside a body: its number, as people call it. */
import { WorldSide, type WorldBody } from "../gen/phalanx/v1/worlds_pb";

/** Names of up to this length are shown whole. */
const SHORT = 2;

/** The signs of all bodies of a part. */
export function signsOf(bodies: readonly WorldBody[]): string[] {
  const others = new Map<string, number>();
  const byName = new Map([WorldSide.OURS, WorldSide.THEIRS, WorldSide.NOBODY].map((side) => [side, ownSigns(bodies, side)]));
  return bodies.map((body) => {
    const { name, agent, side } = body;
    if (name === "" && agent === undefined) return "";
    const own = byName.get(side)?.get(name);
    if (own !== undefined) return own;
    if (agent !== undefined) return `${agent + 1}`;
    if (side === WorldSide.OURS) return "";
    const index = others.get(name) ?? others.size;
    others.set(name, index);
    return letters(index);
  });
}

/** The signs that a side's names contain, if all of them contain one, each another one. */
function ownSigns(bodies: readonly WorldBody[], side: WorldSide): ReadonlyMap<string, string> | undefined {
  const names = new Set(bodies.filter((body) => body.side === side && body.name !== "").map(({ name }) => name));
  const signs = new Map([...names].flatMap((name) => {
    const sign = name.length <= SHORT ? name : /^\D*?(\d{1,3})$/.exec(name)?.[1];
    return sign === undefined ? [] : [[name, sign] as const];
  }));
  return signs.size === names.size && new Set(signs.values()).size === names.size ? signs : undefined;
}

/** a to z, then aa to zz. */
function letters(index: number): string {
  const letter = (at: number): string => String.fromCharCode(97 + (at % 26));
  return index < 26 ? letter(index) : letter(Math.floor(index / 26) - 1) + letter(index);
}
