/** What the whole page knows: who looks, at which team, and how the connection is. */
import { Code } from "@connectrpc/connect";
import { createContext, createEffect, createMemo, createSignal, on, onCleanup, useContext, type Accessor } from "solid-js";
import { connect, type Api } from "../api/clients";
import { faultOf, needsToken, type Fault } from "../api/fault";
import { Role } from "../gen/phalanx/v1/access_pb";
import type { Team } from "../gen/phalanx/v1/team_pb";
import { follow, type StreamState } from "../live/follow";
import { tab } from "../live/outside";
import { poll } from "../live/poll";
import { History } from "../match/history";
import { parsePlace, placeText, type Place } from "./place";

/** How often teams are asked for, in milliseconds. */
const LOOK_EVERY = 1_000;
/** A cursor that every life of a daemon has outlived: it answers with its oldest event. */
const LONG_AGO = "0000000000000000.0";
/** Where the token stays until the tab is closed. */
const TOKEN = "phalanx.token";

/** What all views share. */
export interface Cockpit {
  readonly api: Api;
  /** Where the page is: team, view, agent, turn. */
  readonly place: Accessor<Place>;
  go(to: Partial<Place>): void;
  /** The chosen team's name; it tells of itself only when it changes, whatever else of the place does. */
  readonly name: Accessor<string>;
  /** All teams, without agents. */
  readonly teams: Accessor<readonly Team[]>;
  /** The chosen team with its agents; undefined while it is not known. */
  readonly team: Accessor<Team | undefined>;
  /** Its history; the number grows whenever it does. */
  readonly history: History;
  readonly version: Accessor<number>;
  /** How the connection is. */
  readonly link: Accessor<StreamState>;
  /** What the caller may do. */
  readonly role: Accessor<Role>;
  readonly who: Accessor<string>;
  /** A token is asked for. */
  readonly locked: Accessor<Fault | undefined>;
  unlock(token: string): void;
  forget(): void;
  /** Looks at the team again, after it was changed. */
  refresh(): void;
}

/** The page's state, for everything below. */
export const CockpitContext = createContext<Cockpit>();

/** The page's state. */
export function useCockpit(): Cockpit {
  const cockpit = useContext(CockpitContext);
  if (cockpit === undefined) throw new Error("this view stands outside of the page");
  return cockpit;
}

/** Begins to look. */
export function createCockpit(): Cockpit {
  const [token, setToken] = createSignal(sessionStorage.getItem(TOKEN) ?? "");
  const api = connect(location.origin, token);
  const [place, setPlace] = createSignal(parsePlace(location.hash));
  const [teams, setTeams] = createSignal<readonly Team[]>([]);
  const [team, setTeam] = createSignal<Team>();
  const [version, setVersion] = createSignal(0);
  const [pollState, setPollState] = createSignal<StreamState>({ kind: "connecting" });
  const [streamState, setStreamState] = createSignal<StreamState>({ kind: "connecting" });
  const [caller, setCaller] = createSignal({ who: "", role: Role.UNSPECIFIED });
  const [locked, setLocked] = createSignal<Fault>();
  const history = new History();
  const name = createMemo(() => place().team);

  const onHash = (): void => void setPlace(parsePlace(location.hash));
  addEventListener("hashchange", onHash);
  onCleanup(() => {
    removeEventListener("hashchange", onHash);
  });
  const go = (to: Partial<Place>): void => {
    location.hash = placeText({ ...place(), ...to });
  };

  const look = async (signal: AbortSignal): Promise<void> => {
    try {
      const list = await api.teams.listTeams({ pageSize: 1_000 }, { signal });
      setTeams(list.teams);
      const wanted = name();
      const first = list.teams[0];
      if (wanted === "" && first !== undefined) location.replace(`#${placeText({ ...place(), team: shortName(first.name) })}`);
      if (caller().role === Role.UNSPECIFIED) {
        const { who, role } = await api.access.getCaller({}, { signal });
        setCaller({ who, role });
      }
      if (wanted !== "") {
        const found = await api.teams.getTeam({ name: `teams/${wanted}` }, { signal });
        if (name() === wanted) setTeam(found.team);
      }
      setLocked(undefined);
      setPollState({ kind: "live" });
    } catch (error) {
      if (signal.aborted) return;
      const fault = faultOf(error);
      if (needsToken(fault)) setLocked(fault);
      setPollState(fault.code === Code.NotFound ? { kind: "refused", fault } : { kind: "lost", text: fault.text });
    }
  };
  onCleanup(poll(LOOK_EVERY, look, tab));

  let waiting = false;
  const bump = (): void => {
    // Thousands of events at once are one change for whoever paints.
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      setVersion((before) => before + 1);
    });
  };
  createEffect(
    on([name, token], ([chosen]) => {
      setTeam(undefined);
      history.clear();
      bump();
      if (chosen === "") return;
      const stop = follow(
        {
          start: LONG_AGO,
          open: (cursor, signal, began) =>
            api.matches.watchMatch({ team: `teams/${chosen}`, cursor, decisions: true }, { signal, onHeader: began }),
          cursorOf: (item) => item.event?.cursor ?? "",
          take(item) {
            if (item.event !== undefined) history.apply(item.event);
            bump();
          },
          gap() {
            history.clear();
            bump();
          },
          state: setStreamState,
        },
        tab,
      );
      onCleanup(stop);
    }),
  );

  return {
    api,
    place,
    name,
    go,
    teams,
    team,
    history,
    version,
    link: () => (pollState().kind === "live" && streamState().kind !== "connecting" ? streamState() : pollState()),
    role: () => caller().role,
    who: () => caller().who,
    locked,
    unlock(text) {
      sessionStorage.setItem(TOKEN, text);
      setCaller({ who: "", role: Role.UNSPECIFIED });
      setToken(text);
      void look(new AbortController().signal);
    },
    forget() {
      sessionStorage.removeItem(TOKEN);
      setToken("");
      setCaller({ who: "", role: Role.UNSPECIFIED });
    },
    refresh() {
      void look(new AbortController().signal);
    },
  };
}

/** `A` of `teams/A`. */
export function shortName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
