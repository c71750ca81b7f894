/** The page's place, as in the address: `#/TEAM/VIEW/AGENT@ROUND:STEP`. */

/** All views, in the order of the menu. */
export const VIEWS = ["match", "map", "agents", "board", "strategy", "timeline", "events", "punctuality", "recordings", "lab"] as const;
/** Those that show something of the daemon and not of a team. */
export const TEAMLESS: readonly string[] = ["recordings", "lab"];
/** One of them. */
export type View = (typeof VIEWS)[number];

/** The team, view, agent and turn that are shown. */
export interface Place {
  /** The team's name; empty: none is chosen yet. */
  readonly team: string;
  readonly view: View;
  /** The agent's name; in the view of recordings the recording's, in the lab what it shows (`ladder:club`); empty: none is chosen. */
  readonly agent: string;
  /** The turn that is shown; undefined: the last one. */
  readonly turn: { readonly round: number; readonly step: number } | undefined;
}

/** Reads the address; missing parts get their defaults. */
export function parsePlace(hash: string): Place {
  const [team = "", view = "", rest = ""] = hash.replace(/^#?\/?/, "").split("/").map(decoded);
  const at = rest.lastIndexOf("@");
  const match = at < 0 ? null : /^(\d+):(\d+)$/.exec(rest.slice(at + 1));
  return {
    team,
    view: VIEWS.find((known) => known === view) ?? "match",
    agent: match === null ? rest : rest.slice(0, at),
    turn: match === null ? undefined : { round: Number(match[1]), step: Number(match[2]) },
  };
}

/** The address of a place. */
export function placeText({ team, view, agent, turn }: Place): string {
  const when = turn === undefined ? "" : `@${turn.round}:${turn.step}`;
  const parts = [team, view, agent + when].map(encodeURIComponent);
  return `/${parts.join("/").replace(/\/+$/, "")}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
