/** The sign inside a body: its number, as people call it. */
import { WorldSide, type WorldBody, type WorldPart } from "../gen/phalanx/v1/worlds_pb";
import { byNumber } from "../match/strip";

/** Names of up to this length are shown whole. */
const SHORT = 2;

/** The signs of all bodies of a part. */
export function signsOf(bodies: readonly WorldBody[]): string[] {
  const others = new Map<string, number>();
  const units = unitSigns(bodies);
  const byName = new Map([WorldSide.OURS, WorldSide.THEIRS, WorldSide.NOBODY].map((side) => [side, ownSigns(bodies, side)]));
  return bodies.map((body) => {
    const { name, agent, side } = body;
    if (name === "" && agent === undefined) return "";
    const own = byName.get(side)?.get(name);
    if (own !== undefined) return own;
    if (agent !== undefined) return units.get(name) ?? `${agent + 1}`;
    if (side === WorldSide.OURS) return "";
    const index = others.get(name) ?? others.size;
    others.set(name, index);
    return letters(index);
  });
}

/** A part's name; where it has no room, the numbers of our agents on it, as they are drawn; of these, as many as fit. */
export function titleOf({ name, bodies }: WorldPart, width: (text: string) => number, room: number): string {
  if (width(name) <= room) return name;
  const signs = signsOf(bodies).filter((sign, at) => sign !== "" && bodies[at]?.side === WorldSide.OURS && bodies[at].agent !== undefined).sort(byNumber);
  const text = signs.length === 0 ? name : signs.join(", ");
  if (width(text) <= room) return text;
  let length = text.length;
  while (length > 1 && width(`${text.slice(0, length)}…`) > room) length -= 1;
  return `${text.slice(0, length)}…`;
}

/** Where an agent has several units, their numbers in the order of the bodies: the agent's number would be the same for all. */
function unitSigns(bodies: readonly WorldBody[]): ReadonlyMap<string, string> {
  const named = bodies.filter(({ side, agent, name }) => side === WorldSide.OURS && agent !== undefined && name !== "");
  const names = [...new Set(named.map(({ name }) => name))];
  const agents = new Set(named.map(({ agent }) => agent));
  return new Map(names.length === agents.size ? [] : names.map((name, index) => [name, `${index + 1}`]));
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
