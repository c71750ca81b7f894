/** The teams of one match that this daemon plays: the chosen one and its rivals. */
import { createMemo, createRoot, createSignal, getOwner, mapArray, onCleanup, runWithOwner, type Accessor } from "solid-js";
import type { Team } from "../gen/phalanx/v1/team_pb";
import type { World } from "../gen/phalanx/v1/worlds_pb";
import { perFrame, tab } from "../live/outside";
import { poll } from "../live/poll";
import { History } from "../match/history";
import { followWorlds, type LiveWorlds } from "../views/map";
import { shortName, useCockpit } from "./cockpit";
import { followHistory } from "./follow-team";

/** Rivals beyond this number are not followed. Without TLS, a browser has six connections to a host, and every stream takes one. */
const RIVALS = location.protocol === "https:" ? 3 : 1;
/** Interval between looks at a rival's agents, in milliseconds, while they are shown. */
const LOOK_EVERY = 1_000;
/** Colours of the teams, names of the style sheet; the chosen team has the first one. */
export const COLOURS = ["--ours", "--theirs", "--warn", "--ordered"] as const;

/** One team of the match. */
export interface Side {
  readonly name: string;
  /** The page's chosen team. */
  readonly own: boolean;
  readonly history: History;
  /** Grows with the history. */
  readonly version: Accessor<number>;
  /** With agents; undefined while it is not known. */
  readonly team: Accessor<Team | undefined>;
  /** What it believes of its world. The first call begins to follow it. */
  readonly worlds: () => LiveWorlds;
  /** The world that is shown: the newest one, in a recording the one of the chosen turn. */
  readonly world: Accessor<World | undefined>;
}

/** The newest of these worlds. */
function newest({ count, reel }: LiveWorlds): World | undefined {
  count();
  return reel.worlds.at(-1);
}

/** Teams that play the same game at the same server. */
export function sameMatch(teams: readonly Team[], name: string): Team[] {
  const own = teams.find((team) => shortName(team.name) === name);
  return own === undefined ? [] : teams.filter((team) => team.game === own.game && team.server === own.server);
}

/** The chosen team first, then its rivals by name. */
export function followSides(): Accessor<readonly Side[]> {
  const cockpit = useCockpit();
  const worlds = followWorlds();
  const own: Side = { name: cockpit.name(), own: true, history: cockpit.history, version: cockpit.version, team: cockpit.team, worlds: () => worlds, world: () => newest(worlds) };
  const names = createMemo(
    () =>
      sameMatch(cockpit.teams(), cockpit.name())
        .map((team) => shortName(team.name))
        .filter((name) => name !== cockpit.name())
        .slice(0, RIVALS),
    [],
    { equals: (a, b) => a.join("\n") === b.join("\n") },
  );
  const rivals = createMemo(mapArray(names, followRival));
  return createMemo(() => [own, ...rivals()]);
}

/** Follows the turns of a rival, and what else is asked for. */
function followRival(name: string): Side {
  const cockpit = useCockpit();
  const history = new History();
  const [version, setVersion] = createSignal(0);
  const bump = perFrame(() => setVersion((before) => before + 1));
  onCleanup(followHistory(cockpit.api, name, history, { decisions: false, changed: bump }));
  const owner = getOwner();
  /** Makes something once, as a part of this rival, at the first call. */
  const once = <T>(make: () => T): (() => T) => {
    let made: T | undefined;
    return () => (made ??= createRoot((dispose) => {
      if (owner !== null) runWithOwner(owner, () => onCleanup(dispose));
      return make();
    }, owner));
  };
  const detailed = once(() => followTeam(name));
  const worlds = once(() => followWorlds(() => name));
  return { name, own: false, history, version, team: () => detailed()(), worlds, world: () => newest(worlds()) };
}

/** A team with its agents, looked at again and again. */
function followTeam(name: string): Accessor<Team | undefined> {
  const cockpit = useCockpit();
  const [team, setTeam] = createSignal<Team>();
  const look = async (signal: AbortSignal): Promise<void> => {
    try {
      const found = await cockpit.api.teams.getTeam({ name: `teams/${name}` }, { signal });
      setTeam(found.team);
    } catch {
      // The badge reports lost connections; what is known stays.
    }
  };
  onCleanup(poll(LOOK_EVERY, look, tab).stop);
  return team;
}
