/** What all views share, and how they reach it. */
import { createContext, useContext, type Accessor } from "solid-js";
import type { Api } from "../api/clients";
import type { Fault } from "../api/fault";
import type { Role } from "../gen/phalanx/v1/access_pb";
import type { Team } from "../gen/phalanx/v1/team_pb";
import type { StreamState } from "../live/follow";
import type { Progress } from "../match/contest";
import type { History } from "../match/history";
import type { Samples } from "../plots/samples";
import type { Place } from "./place";

/** What all views share. */
export interface Cockpit {
  readonly api: Api;
  /** Where the page is: team, view, agent, turn. */
  readonly place: Accessor<Place>;
  /** Goes there; `replace` keeps it out of the browser's history. */
  go(to: Partial<Place>, how?: { replace: boolean }): void;
  /** The chosen team's name; a memo, so that other changes of the place do not trigger its readers. */
  readonly name: Accessor<string>;
  /** All teams, without agents. */
  readonly teams: Accessor<readonly Team[]>;
  /** The chosen team with its agents; undefined while it is not known. */
  readonly team: Accessor<Team | undefined>;
  /** Its game and its generation; memos, as above. */
  readonly game: Accessor<string | undefined>;
  readonly generation: Accessor<number | undefined>;
  /** Its history; the number grows whenever it does. */
  readonly history: History;
  readonly version: Accessor<number>;
  /** Its turn and score, as far as anything on the page says. */
  readonly progress: Accessor<Progress>;
  /** Numbers that were read while the page was open, `SIDE/SOURCE/NAME`; dropped with the history. */
  readonly samples: Samples;
  /** State of the connection. */
  readonly link: Accessor<StreamState>;
  /** What the caller may do. */
  readonly role: Accessor<Role>;
  readonly who: Accessor<string>;
  /** The daemon requires a token. */
  readonly locked: Accessor<Fault | undefined>;
  /** The user wants to enter a token although the daemon requires none. */
  readonly asking: Accessor<boolean>;
  readonly ask: (open: boolean) => void;
  /** The token that is kept; empty: none is. */
  readonly entered: Accessor<string>;
  unlock(token: string): void;
  forget(): void;
  /** Loads the team again, after a change. */
  readonly refresh: () => void;
}

/** The page's state, for everything below. */
export const CockpitContext = createContext<Cockpit>();

/** The page's state. */
export function useCockpit(): Cockpit {
  const cockpit = useContext(CockpitContext);
  if (cockpit === undefined) throw new Error("this view is not inside the page's context provider");
  return cockpit;
}

/** `A` of `teams/A`. */
export function shortName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
