/** State of the whole page: the caller, the chosen team, and the connection. */
import { Code } from "@connectrpc/connect";
import { createContext, createEffect, createMemo, createSignal, on, onCleanup, useContext, type Accessor } from "solid-js";
import { connect, type Api } from "../api/clients";
import { faultOf, needsToken, type Fault } from "../api/fault";
import { Role } from "../gen/phalanx/v1/access_pb";
import type { Team } from "../gen/phalanx/v1/team_pb";
import { LIVE, type StreamState } from "../live/follow";
import { perFrame, tab } from "../live/outside";
import { poll } from "../live/poll";
import { History } from "../match/history";
import { Samples } from "../plots/samples";
import { followHistory } from "./follow-team";
import { takeMetrics } from "./metrics";
import { parsePlace, placeText, type Place } from "./place";

/** How long an answer may take, in milliseconds. */
const ANSWER_MAX = 5_000;
/** Interval between polls of the teams, in milliseconds. */
const LOOK_EVERY = 1_000;
/** Where the token stays until the tab is closed. */
const TOKEN = "phalanx.token";

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

/** Connects to the daemon. */
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
  const [asking, setAsking] = createSignal(false);
  const history = new History();
  const samples = new Samples();
  const name = createMemo(() => place().team);

  const onHash = (): void => {
    const next = parsePlace(location.hash);
    const other = next.team !== name();
    setPlace(next);
    if (other) looking.soon();
  };
  addEventListener("hashchange", onHash);
  onCleanup(() => {
    removeEventListener("hashchange", onHash);
  });
  const go = (to: Partial<Place>, how = { replace: false }): void => {
    const next = { ...place(), ...to };
    if (!how.replace) {
      location.hash = placeText(next);
      return;
    }
    // Replacing the address fires no event.
    globalThis.history.replaceState(null, "", `#${placeText(next)}`);
    setPlace(next);
  };

  const look = async (signal: AbortSignal): Promise<void> => {
    const call = { signal, timeoutMs: ANSWER_MAX };
    try {
      const list = await api.teams.listTeams({ pageSize: 1_000 }, call);
      setLocked(undefined);
      setTeams(list.teams);
      const first = list.teams[0];
      if (name() === "" && first !== undefined) go({ team: shortName(first.name) }, { replace: true });
      const wanted = name();
      const known = caller().role !== Role.UNSPECIFIED;
      await Promise.all([
        known ? undefined : api.access.getCaller({}, call).then(({ who, role }) => setCaller({ who, role })),
        wanted === "" ? undefined : api.teams.getTeam({ name: `teams/${wanted}` }, call).then((found) => wanted === name() && setTeam(found.team)),
      ]);
      setPollState(LIVE);
    } catch (error) {
      if (signal.aborted) return;
      const fault = faultOf(error);
      if (needsToken(fault)) setLocked(fault);
      // The team was deleted: show none.
      if (fault.code === Code.NotFound) setTeam(undefined);
      setPollState(fault.code === Code.NotFound ? { kind: "refused", fault } : { kind: "lost", text: fault.text });
    }
  };
  const looking = poll(LOOK_EVERY, look, tab);
  onCleanup(looking.stop);
  const enter = (text: string): void => {
    setCaller({ who: "", role: Role.UNSPECIFIED });
    setAsking(false);
    setToken(text);
    looking.soon();
  };

  const bump = perFrame(() => setVersion((before) => before + 1));
  createEffect(
    on([name, token], ([chosen]) => {
      setTeam(undefined);
      history.clear();
      samples.clear();
      bump();
      if (chosen === "") return;
      onCleanup(followHistory(api, chosen, history, { decisions: true, changed: bump, state: setStreamState }));
    }),
  );

  createEffect(
    on(team, (now) => {
      takeMetrics(samples, 0, now);
      bump();
    }),
  );

  return {
    api,
    place,
    name,
    go,
    teams,
    team,
    game: createMemo(() => team()?.game),
    generation: createMemo(() => team()?.generation),
    history,
    version,
    samples,
    link: () => (pollState().kind === "live" && streamState().kind !== "connecting" ? streamState() : pollState()),
    role: () => caller().role,
    who: () => caller().who,
    locked,
    asking,
    ask: setAsking,
    entered: token,
    unlock(text) {
      sessionStorage.setItem(TOKEN, text);
      enter(text);
    },
    forget() {
      sessionStorage.removeItem(TOKEN);
      enter("");
    },
    refresh: looking.soon,
  };
}

/** `A` of `teams/A`. */
export function shortName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}
