/** The team's events, with filters. */
import { createEffect, createMemo, createSignal, For, Index, on, type JSX } from "solid-js";
import type { Entry } from "../match/history";
import { LEVELS, TOPICS, type Level, type Topic } from "../match/words";
import { shortIds } from "../match/names";
import { useCockpit } from "../state/cockpit";

/** Lines that are shown at most: laying out thousands of rows each second is too slow. */
const SHOWN = 400;

export function EventsView(): JSX.Element {
  const cockpit = useCockpit();
  const [topics, setTopics] = createSignal<ReadonlySet<Topic>>(new Set(TOPICS));
  const [least, setLeast] = createSignal<Level>("info");
  const [text, setText] = createSignal("");
  const [followed, setFollowed] = createSignal(true);
  let box: HTMLDivElement | undefined;
  const lines = createMemo(
    on([cockpit.version, topics, least, text, () => cockpit.place().agent], () => {
      const { agent } = cockpit.place();
      const found = (line: Entry): boolean =>
        topics().has(line.topic) &&
        LEVELS.indexOf(line.level) >= LEVELS.indexOf(least()) &&
        (agent === "" || line.agent === agent) &&
        line.text.toLowerCase().includes(text().toLowerCase());
      return cockpit.history.lines.filter(found).slice(-SHOWN);
    }),
  );
  createEffect(
    on(lines, () => {
      if (followed()) box?.scrollTo({ top: box.scrollHeight });
    }),
  );
  const toggle = (topic: Topic, shown: boolean): void => {
    setTopics((before) => new Set(shown ? [...before, topic] : [...before].filter((known) => known !== topic)));
  };
  return (
    <section class="card events" aria-labelledby="events">
      <h2 id="events">Events and logs</h2>
      <div class="row filters">
        <label>
          At least{" "}
          <select value={least()} onChange={(event) => setLeast(LEVELS.find((known) => known === event.currentTarget.value) ?? "info")}>
            <For each={LEVELS}>{(level) => <option value={level}>{level}</option>}</For>
          </select>
        </label>
        <label>
          Agent{" "}
          <select
            value={cockpit.place().agent}
            onChange={(event) => {
              cockpit.go({ agent: event.currentTarget.value });
            }}
          >
            <option value="">all</option>
            <Index each={cockpit.team()?.agents}>
              {(agent) => (
                <option value={agent().name} selected={agent().name === cockpit.place().agent}>
                  {shortIds(agent().name)}
                </option>
              )}
            </Index>
          </select>
        </label>
        <label>
          Containing <input type="search" value={text()} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label class="check">
          <input type="checkbox" checked={followed()} onChange={(event) => setFollowed(event.currentTarget.checked)} />
          Follow
        </label>
      </div>
      <div class="row topics" role="group" aria-label="Kinds of events">
        <For each={TOPICS}>
          {(topic) => (
            <label class="check">
              <input
                type="checkbox"
                checked={topics().has(topic)}
                onChange={(event) => {
                  toggle(topic, event.currentTarget.checked);
                }}
              />
              {topic}
            </label>
          )}
        </For>
      </div>
      <div
        class="boxed lines"
        ref={(it) => {
          box = it;
        }}
        tabIndex={0}
        role="log"
        aria-label="Lines"
        aria-live="off"
      >
        <For each={lines()} fallback={<p class="dim">No event matches these filters.</p>}>
          {(line) => (
            <div class="event" data-level={line.level} data-topic={line.topic}>
              <button
                type="button"
                class="as-link when"
                disabled={line.agent === "" || line.round === undefined}
                onClick={() => {
                  const turn = line.round === undefined ? undefined : { round: line.round, step: line.step ?? 0 };
                  cockpit.go({ view: "agents", agent: line.agent, turn });
                }}
              >
                {line.round === undefined ? "–" : `${line.round}:${line.step ?? 0}`}
              </button>
              <span class="event-agent" title={line.agent}>{shortIds(line.agent)}</span>
              <span class="event-text" title={line.text === shortIds(line.text) ? undefined : line.text}>{shortIds(line.text)}</span>
            </div>
          )}
        </For>
      </div>
    </section>
  );
}
