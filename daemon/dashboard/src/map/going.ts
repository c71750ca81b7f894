/** Sends an agent to a place: before each turn the page asks the world for the way, and orders its first step. */
import type { Setting } from "./stage";
import type { Point } from "./geometry";
import { rowAt } from "./place";

/** The place below a point of a part, as scripts name it; undefined where scripts have no names for places. */
export function targetOf({ part, ground, shift }: Setting, at: Point): string | undefined {
  const here = { x: at.x - shift.x, y: at.y - shift.y };
  switch (ground.kind) {
    case "grid":
      return `${Math.floor(here.x)}, ${rowAt(ground, here.y)}`;
    case "graph": {
      const index = ground.nodes.findIndex((node) => Math.hypot(node.x - here.x, node.y - here.y) < 0.01);
      const name = part.nodes[index]?.name;
      return name === undefined ? undefined : JSON.stringify(name);
    }
    default:
      return undefined;
  }
}

/** A piece of script that says the order which leads towards the place; "there" when the agent is there, "none" without a way. */
export function wayScript(target: string): string {
  return `local way = world.path(${target})
if type(way) ~= "table" then return "none" end
local dir = way.dir or way[1]
if way.next then return ("goto(%s)"):format(way.next) end
if way.x and way.action and way.action ~= "move" then return ("%s(%d, %d)"):format(way.action, way.x, way.y) end
if not dir then return "there" end
return ("%s(%s)"):format(way.action or (act.move and "move") or "turn", dir)`;
}

/** What that script said. */
export type Way = { readonly kind: "order"; readonly order: string } | { readonly kind: "there" } | { readonly kind: "none" };

/** Reads the answer, which is a quoted text. */
export function readWay(text: string): Way {
  const said = text.trim().replace(/^"(.*)"$/, "$1");
  if (said === "there" || said === "none") return { kind: said };
  return /^[a-z_]+\([^()]*\)$/.test(said) ? { kind: "order", order: said } : { kind: "none" };
}
