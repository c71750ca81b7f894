/** The matches of a ladder, with their recordings. */
import { createEffect, createSignal, For, on, Show, type JSX } from "solid-js";
import type { LadderMatch } from "../gen/phalanx/v1/lab_pb";
import { figure, scoreText } from "../match/names";
import { placeText } from "../state/place";
import { shortName, useCockpit } from "../state/cockpit";
import { createPolled } from "../state/polled";
import { teamOfName } from "../state/replay";

/** Matches of a page. */
const PAGE = 25;
/** Interval between two requests, in milliseconds. */
const EVERY = 3_000;

/** Those of one strategy, of one against another, or all; `forget` drops that choice. */
export function LadderMatches(props: { ladder: string; played: number; strategy: string; against: string; forget: () => void }): JSX.Element {
  const { lab } = useCockpit().api;
  /** Tokens of the pages before this one. */
  const [tokens, setTokens] = createSignal<readonly string[]>([]);
  const wanted = (): { strategy: string; against: string; pageToken: string } => ({ strategy: props.strategy, against: props.against, pageToken: tokens().at(-1) ?? "" });
  createEffect(on([() => props.strategy, () => props.against], () => { setTokens([]); }, { defer: true }));
  const polled = createPolled(EVERY, wanted, (filter, signal) => lab.listLadderMatches({ parent: `ladders/${props.ladder}`, pageSize: PAGE, ...filter }, { signal }));
  const matches = (): readonly LadderMatch[] => polled().value?.matches ?? [];
  return (
    <section class="card" aria-labelledby="ladder-matches">
      <div class="row">
        <h2 id="ladder-matches">
          Matches
          <Show when={props.strategy}>{(strategy) => <span> of {strategy()}</span>}</Show>
          <Show when={props.against}>{(other) => <span> against {other()}</span>}</Show>
        </h2>
        <Show when={props.strategy}>
          <button type="button" onClick={() => { props.forget(); }}>
            Show all
          </button>
        </Show>
      </div>
      <div class="scroll" tabIndex={0} role="group" aria-label="Matches of the ladder">
        <table class="list">
          <thead>
            <tr>
              <th scope="col" class="number">Match</th>
              <th scope="col">Players and scores</th>
              <th scope="col" class="number">Seed</th>
              <th scope="col" class="number" title="What its meeting was expected to add to what is known of the strengths">Bits</th>
              <th scope="col">Recording</th>
            </tr>
          </thead>
          <tbody>
            <For each={matches()} fallback={<tr><td colSpan={5} class="dim">{polled().fault?.text ?? (polled().value === undefined ? "Waiting for the daemon's answer." : "None was played yet.")}</td></tr>}>
              {(match) => (
                <tr data-match={match.number.toString()}>
                  <td class="number">{match.number.toString()}</td>
                  <td>
                    <Players match={match} />
                  </td>
                  <td class="number">{match.seed.toString()}</td>
                  <td class="number">{match.bits.toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 })}</td>
                  <td>
                    <Recordings match={match} />
                  </td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
      <p class="row">
        <button type="button" disabled={tokens().length === 0} onClick={() => { setTokens((all) => all.slice(0, -1)); }}>
          Newer
        </button>
        <button
          type="button"
          disabled={(polled().value?.nextPageToken ?? "") === ""}
          onClick={() => {
            const next = polled().value?.nextPageToken ?? "";
            if (next !== "") setTokens((all) => [...all, next]);
          }}
        >
          Older
        </button>
        <span class="dim">
          of {figure(props.played)} in all. A match has a recording after <code>phalanx ladder history LADDER --record MATCH</code>, which plays it again.
        </span>
      </p>
    </section>
  );
}

function Players(props: { match: LadderMatch }): JSX.Element {
  const best = (): bigint | undefined => props.match.scores.reduce<bigint | undefined>((most, score) => (most === undefined || score > most ? score : most), undefined);
  const wins = (index: number): boolean => props.match.scores[index] !== undefined && props.match.scores[index] === best() && new Set(props.match.scores).size > 1;
  return (
    <>
      <For each={props.match.players}>
        {(player, index) => (
          <span class="lab-side" data-wins={wins(index()) ? "" : undefined}>
            {player}
            <Show when={props.match.scores[index()] !== undefined}>
              {" "}
              {scoreText(props.match.scores[index()])}
            </Show>
          </span>
        )}
      </For>
      <Show when={props.match.trouble}>{(text) => <span class="bad"> failed: {text()}</span>}</Show>
    </>
  );
}

function Recordings(props: { match: LadderMatch }): JSX.Element {
  const cockpit = useCockpit();
  return (
    <For each={props.match.recordings} fallback={<span class="dim">–</span>}>
      {(recording) => (
        <a class="lab-recording" href={`#${placeText({ ...cockpit.place(), view: "recordings", agent: shortName(recording), turn: undefined })}`}>
          Team {teamOfName(recording)}
        </a>
      )}
    </For>
  );
}
