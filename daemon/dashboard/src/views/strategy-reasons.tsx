/** What each agent decided in the turn that is shown, with the line that did it; above it what fails. */
import { createEffect, createMemo, For, Index, on, Show, type JSX } from "solid-js";
import { decisionsAt, type Decision, type Note } from "../editor/notes";
import { messageOf } from "../editor/placing";
import type { Stage } from "../editor/source";
import { isBad } from "../match/history";
import { momentText } from "../match/series";
import { byNumber } from "../match/strip";
import { useCockpit } from "../state/cockpit";
import { placeText } from "../state/place";

interface Shown {
  readonly stage: Stage;
  readonly chosen: string;
  readonly pick: (agent: string) => void;
  readonly goTo: (file: string, line: number) => void;
}

/** Errors, then one row for each agent. */
export function Reasons(props: Shown & { notes: readonly Note[] }): JSX.Element {
  const decisions = createMemo(() => {
    const source = props.stage.source();
    source.version();
    return decisionsAt(source.turns, props.stage.at()).sort((a, b) => byNumber(a.agent, b.agent));
  });
  const failures = createMemo(() => props.notes.filter(({ failed }) => failed));
  let table: HTMLTableElement | undefined;
  createEffect(
    on(() => props.chosen, (agent) => {
      if (agent === "") return;
      [...(table?.querySelectorAll("[data-reason]") ?? [])].find((row) => row.getAttribute("data-reason") === agent)?.scrollIntoView({ block: "nearest" });
    }),
  );
  return (
    <>
      <Show when={failures().length > 0}>
        <ul class="plain desk-failures" aria-label="Errors of the scripts">
          <For each={failures()}>{(note) => <Failure note={note} {...props} />}</For>
        </ul>
      </Show>
      <table
        class="list desk-reasons"
        ref={(it) => {
          table = it;
        }}
      >
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Action</th>
            <th scope="col">Why</th>
            <th scope="col">Line</th>
          </tr>
        </thead>
        <tbody>
          <Index each={decisions()} fallback={<tr><td colSpan={4} class="dim">No decision yet.</td></tr>}>
            {(decision) => <Row decision={decision()} {...props} />}
          </Index>
        </tbody>
      </table>
    </>
  );
}

function Failure(props: Shown & { note: Note }): JSX.Element {
  const voice = (): Note["voices"][number] | undefined => props.note.voices[0];
  return (
    <li data-failure={`${props.note.file}:${props.note.line}`}>
      <button type="button" class="as-link mono" onClick={() => { props.goTo(props.note.file, props.note.line); }}>
        {props.note.file}:{props.note.line}
      </button>{" "}
      <span class="bad">{messageOf(voice()?.text ?? "")}</span>{" "}
      <span class="dim">
        {props.note.times > 1 ? `${props.note.times} times, last ` : ""}
        {voice()?.agent === "" ? "the team" : voice()?.agent} in {momentText(voice()?.turn)}
      </span>
    </li>
  );
}

function Row(props: Shown & { decision: Decision }): JSX.Element {
  const cockpit = useCockpit();
  const part = (): Decision["part"] => props.decision.part;
  const chosen = (): boolean => props.decision.agent === props.chosen;
  // While a turn is decided, some agents still show the one before.
  const old = (): boolean => {
    const now = props.stage.turn();
    return now !== undefined && now.step - props.decision.turn.step > (props.stage.live() ? 1 : 0);
  };
  const pick = (): void => {
    props.pick(props.decision.agent);
    const { place } = part();
    if (place !== undefined) props.goTo(place.file, place.line);
  };
  return (
    <tr data-reason={props.decision.agent} data-chosen={chosen() ? "" : undefined}>
      <th scope="row">
        <button type="button" class="as-link" aria-pressed={chosen()} onClick={pick}>
          {props.decision.agent}
        </button>
        <Show when={old()}>
          <span class="dim"> {momentText(props.decision.turn)}</span>
        </Show>
      </th>
      <td class="mono" title={part().action} data-bad={isBad(part()) ? "error" : undefined}>
        {part().action || part().outcome}
      </td>
      <td class="wrap">
        {part().reason}
        <Show when={chosen() && props.stage.source().recording === ""}>
          {" "}
          <a class="desk-why" href={`#${placeText({ team: cockpit.name(), view: "agents", agent: props.decision.agent, turn: props.decision.turn })}`}>
            Explain in full
          </a>
        </Show>
      </td>
      <td>
        <Show when={part().place}>
          {(place) => (
            <button type="button" class="as-link mono" onClick={() => { props.goTo(place().file, place().line); }}>
              {place().file}:{place().line}
            </button>
          )}
        </Show>
      </td>
    </tr>
  );
}
