/** What an agent did in a turn, and why. */
import { createEffect, createMemo, createSignal, For, on, Show, type JSX } from "solid-js";
import { faultOf } from "../api/fault";
import { BoardLookKind, type Decided, type Explanation, type Fallback } from "../gen/phalanx/v1/matches_pb";
import { milliseconds } from "../match/history";
import { millis } from "../match/names";
import { valueLines, valueText } from "../match/values";
import { describe, word } from "../match/words";
import { useCockpit } from "../state/cockpit";

/** The explanation of one turn, with links to the turns before and after it. */
export function Why(props: { agent: string }): JSX.Element {
  const cockpit = useCockpit();
  const [found, setFound] = createSignal<Explanation>();
  const [trouble, setTrouble] = createSignal("");
  const turnKey = createMemo((): string => {
    const { turn } = cockpit.place();
    // Without a chosen turn, follow the newest one.
    if (turn !== undefined) return `${turn.round}:${turn.step}`;
    const last = cockpit.team()?.agents.find((agent) => agent.name === props.agent)?.lastAsked;
    return `last ${last?.round ?? ""}:${last?.step ?? ""}`;
  });
  createEffect(
    on([turnKey, () => props.agent], () => {
      const { team, turn } = cockpit.place();
      const wanted = turnKey();
      const name = `teams/${team}/agents/${props.agent}`;
      cockpit.api.matches.explainDecision(turn === undefined ? { name } : { name, ...turn }).then(
        ({ explanation }) => {
          if (wanted !== turnKey()) return;
          setTrouble("");
          setFound(explanation);
        },
        (error: unknown) => {
          if (wanted !== turnKey()) return;
          setTrouble(faultOf(error).text);
          if (turn !== undefined) setFound(undefined);
        },
      );
    }),
  );
  const move = (by: number): void => {
    const at = found()?.turn ?? cockpit.place().turn;
    const mine = cockpit.history.turns.filter((turn) => turn.parts.has(props.agent));
    const here = mine.findIndex((turn) => turn.round === at?.round && turn.step === at.step);
    const next = mine[here + by];
    if (next !== undefined) cockpit.go({ turn: { round: next.round, step: next.step } });
    else if (at !== undefined && here < 0) cockpit.go({ turn: { round: at.round, step: Math.max(0, at.step + by) } });
  };
  return (
    <div class="why">
      <p class="row">
        <button type="button" onClick={() => { move(-1); }} aria-label="The turn before">
          ←
        </button>
        <strong data-why-turn>
          {found()?.turn === undefined ? "–" : `Turn ${found()?.turn?.round ?? 0}:${found()?.turn?.step ?? 0}`}
        </strong>
        <button type="button" onClick={() => { move(1); }} aria-label="The turn after">
          →
        </button>
        <button
          type="button"
          aria-pressed={cockpit.place().turn === undefined}
          onClick={() => {
            cockpit.go({ turn: undefined });
          }}
        >
          Newest
        </button>
        <Show when={found()}>{(it) => <span class="dim">generation {it().generation}</span>}</Show>
      </p>
      <Show when={trouble() !== ""}>
        <p class="warn">{trouble()}</p>
      </Show>
      <Show when={found()}>
        {(it) => (
          <>
            <For each={it().events}>
              {(event) => (
                <div class="why-event" data-level={describe(event).level}>
                  <Show
                    when={event.kind.case === "decided" || event.kind.case === "fallback" ? event.kind.value : undefined}
                    fallback={<p>{describe(event).text}</p>}
                  >
                    {(decision) => <Decision decision={decision()} />}
                  </Show>
                </div>
              )}
            </For>
            <Show when={it().result !== ""}>
              <p>
                The referee answered: <strong>{it().result}</strong>
                <Show when={it().resultTurn}>
                  {(turn) => (
                    <span class="dim">
                      {" "}
                      in {turn().round}:{turn().step}
                    </span>
                  )}
                </Show>
              </p>
            </Show>
            <Show when={it().percept !== ""}>
              <h3>What it knew</h3>
              <pre class="boxed" tabIndex={0}>{it().percept}</pre>
            </Show>
          </>
        )}
      </Show>
    </div>
  );
}

function Decision(props: { decision: Decided | Fallback }): JSX.Element {
  const done = (): Decided | undefined =>
    props.decision.$typeName === "phalanx.v1.Decided" ? props.decision : undefined;
  const spent = (): string => {
    const ms = milliseconds(props.decision.spent);
    return ms === undefined || ms === 0 ? "" : millis(ms);
  };
  return (
    <>
      <p>
        <Show when={done()} fallback={<strong class="bad">Fallback: {props.decision.reason}</strong>}>
          {(it) => <strong class="mono">{it().action}</strong>}
        </Show>{" "}
        <span class="dim">
          {props.decision.role}, {spent()}
          <Show when={props.decision.grounds?.file}>
            {", "}
            {props.decision.grounds?.file}:{props.decision.grounds?.line}
          </Show>
        </span>
      </p>
      <Show when={done()?.reason}>{(reason) => <p class="reason">{reason()}</p>}</Show>
      <Show when={done()?.reasonData}>{(data) => <pre class="boxed" tabIndex={0}>{valueLines(data())}</pre>}</Show>
      <Show when={(props.decision.grounds?.board.length ?? 0) > 0}>
        <h3>What it read from the board</h3>
        <table class="list reads">
          <tbody>
            <For each={props.decision.grounds?.board}>
              {(look) => (
                <tr>
                  <th scope="row" class="mono">
                    {look.key}
                  </th>
                  <td class="dim">{word(BoardLookKind, look.kind)}</td>
                  <td class="mono">{valueText(look.got)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
    </>
  );
}
