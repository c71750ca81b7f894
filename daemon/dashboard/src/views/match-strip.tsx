/** One thin line that says whether every answer was in time; it grows when something is wrong, and says what. */
import { createMemo, For, Index, on, Show, type JSX } from "solid-js";
import { OUTCOMES, type TurnRecord } from "../match/history";
import { headline, sinceText, troublesOf, type Trouble } from "../match/trouble";
import { useCockpit } from "../state/cockpit";
import { placeText } from "../state/place";
import type { Side } from "../state/sides";

/** Turns in the strip. */
const PULSE = 60;
/** Troubles that are named. */
const NAMED = 3;

/** The worst outcome of a turn. */
function worst(turn: TurnRecord): string {
  if (turn.errors > 0) return "late";
  const ranks = [...turn.parts.values()].map(({ outcome }) => OUTCOMES.indexOf(outcome));
  return OUTCOMES[Math.max(0, ...ranks)] ?? "decided";
}

/** The strip of the chosen team; troubles of its rivals are named too, but do not colour it. */
export function Strip(props: { sides: readonly Side[] }): JSX.Element {
  const cockpit = useCockpit();
  const turns = createMemo(on(cockpit.version, () => cockpit.history.turns.slice(-PULSE)));
  const own = createMemo(() => troublesOf(cockpit.link(), cockpit.team(), turns(), (cockpit.version(), cockpit.history.lines)));
  const rivals = createMemo(() =>
    props.sides
      .filter((side) => !side.own)
      .flatMap((side) => (side.version(), troublesOf({ kind: "live" }, undefined, side.history.turns.slice(-PULSE), side.history.lines).map((trouble) => ({ ...trouble, agent: `${side.name} ${trouble.agent}`.trim() })))),
  );
  const troubles = createMemo((): readonly Trouble[] => [...own(), ...rivals()]);
  return (
    <section class="pulse" data-bad={own().length > 0 ? "" : undefined} aria-label="Punctuality">
      <span class="lamp" aria-hidden="true" />
      <a class="pulse-text" href={`#${placeText({ ...cockpit.place(), view: "punctuality", turn: undefined })}`}>
        {headline(cockpit.team(), turns())}
      </a>
      <svg viewBox={`0 0 ${PULSE} 10`} preserveAspectRatio="none" aria-hidden="true">
        <Index each={turns()}>
          {(turn, at) => <rect x={PULSE - turns().length + at} y="0" width="0.8" height="10" class="pulse-turn" data-outcome={worst(turn())} />}
        </Index>
      </svg>
      <Show when={troubles().length > 0}>
        <ul class="plain troubles alerts" aria-live="polite">
          <For each={troubles().slice(0, NAMED)}>{(trouble) => <Named trouble={trouble} />}</For>
          <Show when={troubles().length > NAMED}>
            <li class="dim">and {troubles().length - NAMED} more</li>
          </Show>
        </ul>
      </Show>
    </section>
  );
}

function Named(props: { trouble: Trouble }): JSX.Element {
  const cockpit = useCockpit();
  const known = (): boolean => cockpit.team()?.agents.some(({ name }) => name === props.trouble.agent) === true;
  return (
    <li data-trouble={props.trouble.kind}>
      <strong>{props.trouble.kind}</strong>{" "}
      <Show when={props.trouble.agent !== ""}>
        <Show when={known()} fallback={<b>{props.trouble.agent}</b>}>
          <button type="button" class="as-link" onClick={() => { cockpit.go({ view: "agents", agent: props.trouble.agent, turn: undefined }); }}>
            {props.trouble.agent}
          </button>
        </Show>{" "}
      </Show>
      <span title={props.trouble.text}>{props.trouble.text}</span> <span class="dim">{sinceText(props.trouble)}</span>
    </li>
  );
}
