/** What changed last, in plain words. */
import { Index, Show, type JSX } from "solid-js";
import type { Change } from "../match/changes";
import type { Entrant } from "../match/contest";
import { shortIds } from "../match/names";
import { momentText } from "../match/series";
import { useCockpit } from "../state/cockpit";
import { placeText } from "../state/place";
import { colourOf } from "./match-score";

/** The newest changes first. */
export function Changes(props: { changes: readonly Change[]; contest: readonly Entrant[]; live: boolean }): JSX.Element {
  const cockpit = useCockpit();
  const colour = (team: string): string => {
    const at = props.contest.findIndex(({ name }) => name === team);
    return at < 0 ? "transparent" : `var(${colourOf(at)})`;
  };
  return (
    <section class="card newest" aria-labelledby="newest">
      <div class="card-head">
        <h2 id="newest">Changes</h2>
        <Show when={props.live}><a href={`#${placeText({ ...cockpit.place(), view: "events", agent: "", turn: undefined })}`}>all events</a></Show>
      </div>
      <ol class="plain newest-rows" tabIndex={0} aria-label="Newest changes">
        <Index each={props.changes} fallback={<li class="dim">Nothing has changed in the turns that this page has seen.</li>}>
          {(change) => (
            <li class="newest-event" data-level={change().level} data-kind={change().kind} style={{ "--colour": colour(change().team) }}>
              <span class="dim">{momentText(change())}</span>
              <span class="event-text" title={change().text}>
                <Show when={change().kind !== "event"}><b>{shortIds(change().team)} </b></Show>
                <Show when={change().agent !== ""}><b>{shortIds(change().agent)} </b></Show>
                {shortIds(change().text)}
                <Show when={change().times > 1}><span class="dim"> ×{change().times}</span></Show>
              </span>
            </li>
          )}
        </Index>
      </ol>
    </section>
  );
}
