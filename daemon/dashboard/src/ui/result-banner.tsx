/** The end of a match: who won, the final scores, and how to go on. */
import { createMemo, Show, type JSX } from "solid-js";
import { Role } from "../gen/phalanx/v1/access_pb";
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
  const go = (view: View): string => `#${placeText({ ...cockpit.place(), view, agent: "", turn: undefined })}`;
  const again = (): void => {
    void attempt("The next match begins", () => cockpit.api.teams.startTeam({ name: `teams/${cockpit.name()}` })).then(() => { cockpit.refresh(); });
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
            <button type="button" disabled={cockpit.role() < Role.OPERATOR} onClick={again}>
              Play again
            </button>
          </section>
        )}
      </Show>
    </Show>
  );
}

/** The daemon is gone; what the page has loaded stays. */
function Away(): JSX.Element {
  return (
    <section class="card result-banner" role="status">
      <strong>The daemon does not answer</strong>
      <span class="dim">What you see is its last state. If it or the demo has ended, start it again; the page goes on when it is back at this address.</span>
    </section>
  );
}
