/** The end of a match: who won, the final scores, and how to go on. */
import { createMemo, createResource, Show, type JSX } from "solid-js";
import { Role } from "../gen/phalanx/v1/access_pb";
import { ArenaState } from "../gen/phalanx/v1/arenas_pb";
import { TeamEnd, TeamState } from "../gen/phalanx/v1/team_pb";
import { resultOf } from "../match/result";
import { shortName, useCockpit } from "../state/cockpit";
import { placeText, type View } from "../state/place";
import { sameMatch } from "../state/sides";
import { attempt } from "./notices";

/** Nothing while the match runs. */
export function ResultBanner(): JSX.Element {
  const cockpit = useCockpit();
  const result = createMemo(() => {
    const own = cockpit.team();
    if (own?.state !== TeamState.OVER || own.end !== TeamEnd.MATCH_OVER) return undefined;
    const teams = sameMatch(cockpit.teams(), cockpit.name()).map(({ name, score, roundScores }) => ({ name: shortName(name), score, roundScores }));
    return resultOf(teams);
  });
  // Other servers decide themselves when they play; an arena of this daemon plays for its teams.
  const server = createMemo(() => (result() === undefined ? undefined : cockpit.team()?.server));
  const [arenas] = createResource(server, async () => {
    try {
      return (await cockpit.api.arenas.listArenas({ pageSize: 1_000 })).arenas;
    } catch {
      return [];
    }
  });
  const arena = createMemo(() => arenas.latest?.find(({ address, state }) => address === server() && state !== ArenaState.FAILED));
  const go = (view: View): string => `#${placeText({ ...cockpit.place(), view, agent: "", turn: undefined })}`;
  const again = (otherSeed: boolean): void => {
    void attempt("The next match begins", () => cockpit.api.teams.startTeam({ name: `teams/${cockpit.name()}`, otherSeed })).then(() => { cockpit.refresh(); });
  };
  return (
    <Show when={cockpit.link().kind !== "lost"} fallback={<Away />}>
      <Show when={result()}>
        {(found) => (
          <section class="card result-banner" role="status" aria-label="Result of the match">
            <strong>{found().title}</strong>
            <span>{found().scores}</span>
            <span class="dim">
              The match is over and stays here: look at the <a href={go("map")}>map</a>, the <a href={go("timeline")}>timeline</a>,
              the <a href={go("agents")}>agents</a> or the <a href={go("recordings")}>recordings</a>.
            </span>
            <Show when={arena()}>
              <button type="button" disabled={cockpit.role() < Role.OPERATOR} onClick={() => { again(false); }}>
                Play again
              </button>
            </Show>
            <Show when={arena()?.otherSeeds}>
              <button type="button" disabled={cockpit.role() < Role.OPERATOR} onClick={() => { again(true); }}>
                Another seed
              </button>
            </Show>
          </section>
        )}
      </Show>
    </Show>
  );
}

/** The daemon is gone; what the page has loaded stays. */
function Away(): JSX.Element {
  return (
    <section class="card result-banner away" role="status">
      <strong>The daemon does not answer</strong>
      <span class="dim">What you see is its last state. If it or the demo has ended, start it again; the page goes on when it is back at this address.</span>
    </section>
  );
}
