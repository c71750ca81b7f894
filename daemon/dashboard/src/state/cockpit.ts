/** State of the whole page: the caller, the chosen team, and the connection. */
import { Code } from "@connectrpc/connect";
import { createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";
import { connect } from "../api/clients";
import { faultOf, needsToken, type Fault } from "../api/fault";
import { Role } from "../gen/phalanx/v1/access_pb";
import type { Team } from "../gen/phalanx/v1/team_pb";
import { LIVE, type StreamState } from "../live/follow";
import { perFrame, tab } from "../live/outside";
import { poll } from "../live/poll";
import { progress } from "../match/contest";
import { History } from "../match/history";
import { Samples } from "../plots/samples";
import { shortName, type Cockpit } from "./context";
import { followHistory } from "./follow-team";
import { takeMetrics } from "./metrics";
import { parsePlace, placeText, type Place } from "./place";

/** How long an answer may take, in milliseconds. */
const ANSWER_MAX = 5_000;
/** Interval between polls of the teams, in milliseconds. */
const LOOK_EVERY = 1_000;
/** Where the token stays until the tab is closed. */
const TOKEN = "phalanx.token";

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
    progress: createMemo(() => (version(), progress({ turns: history.turns, looked: team() }))),
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

export { CockpitContext, shortName, useCockpit, type Cockpit } from "./context";
