/** Which agent a body belongs to: referees name the units of some games on their own. */
import type { WorldBody, WorldPart } from "../gen/phalanx/v1/worlds_pb";
import { signsOf } from "./names";

/** The name of the team's agent that a body belongs to; empty: none. `agents`: the names of the team's agents, by their index. */
export function ownerOf({ name, agent }: Pick<WorldBody, "name" | "agent">, agents: readonly string[]): string {
  if (agent === undefined) return "";
  return agents.includes(name) ? name : (agents[agent] ?? name);
}

/** The body of each agent, and the sign that it has on the map; an agent with several units has the first of them, and no sign of its own. */
export function bodiesOf(parts: readonly WorldPart[], agents: readonly string[]): ReadonlyMap<string, { readonly body: WorldBody; readonly sign: string | undefined }> {
  const found = new Map<string, { body: WorldBody; sign: string | undefined }>();
  for (const part of parts) {
    const signs = signsOf(part.bodies);
    for (const [at, body] of part.bodies.entries()) {
      const owner = ownerOf(body, agents);
      if (owner === "") continue;
      const first = found.get(owner);
      if (first === undefined) found.set(owner, { body, sign: signs[at] === "" ? undefined : signs[at] });
      else if (first.body.name !== body.name) first.sign = undefined;
    }
  }
  return found;
}
