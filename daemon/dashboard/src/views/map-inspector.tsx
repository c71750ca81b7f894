/** What is known about a place and an agent, beside the map; orders are given here, too. */
import * as Tabs from "@kobalte/core/tabs";
import { createMemo, For, Show, type JSX } from "solid-js";
import { Role } from "../gen/phalanx/v1/access_pb";
import type { BoardEntry } from "../gen/phalanx/v1/boards_pb";
import type { WorldBody } from "../gen/phalanx/v1/worlds_pb";
import { isAbout, isAt } from "../map/related";
import { bodyText, type Under } from "../map/under";
import { isBad } from "../match/history";
import { valueText } from "../match/values";
import { useCockpit } from "../state/cockpit";
import { pollBoard } from "../state/follow-team";
import { Insight } from "./agent-insight";
import { Steer } from "./agent-steer";
import { Why } from "./agent-why";

/** Decisions and entries of the board that are listed. */
const [DECISIONS, ENTRIES] = [10, 12];

/** What the box is about. */
export interface Inspected {
  /** What is at the chosen place. */
  readonly place: Under | undefined;
  /** The cell, as scripts count. */
  readonly cell: { readonly x: number; readonly y: number } | undefined;
  /** The chosen agent; empty: none. */
  readonly agent: string;
  readonly body: WorldBody | undefined;
  /** The place can be named in an order. */
  readonly reachable: boolean;
  /** The agent was sent somewhere. */
  readonly sent: boolean;
}

/** The inspector; `live` gives it the running match, with orders. */
export function MapInspector(props: {
  about: Inspected;
  live: boolean;
  go: () => void;
  halt: () => void;
  close: () => void;
}): JSX.Element {
  return (
    <section class="map-inspector" aria-label="Inspector" onKeyDown={(event) => { if (event.key === "Escape") props.close(); }}>
      <button type="button" class="quiet map-close" aria-label="Close the inspector" onClick={() => { props.close(); }}>×</button>
      <Show when={props.about.place}>
        {(place) => (
          <div class="map-place">
            <h2 data-inspected-place>{place().place}</h2>
            <ul class="plain">
              <For each={place().lines}>{(text) => <li>{text}</li>}</For>
            </ul>
          </div>
        )}
      </Show>
      <Show when={props.live && props.about.agent !== ""} fallback={<Plain about={props.about} live={props.live} />}>
        <Orders {...props} />
        <Show when={props.about.agent} keyed>
          {(agent) => <About agent={agent} cell={props.about.cell} />}
        </Show>
      </Show>
    </section>
  );
}

/** Without an agent: the board's entries about the place. */
function Plain(props: { about: Inspected; live: boolean }): JSX.Element {
  return (
    <>
      <Show when={props.about.agent !== "" && props.about.body}>{(body) => <p>{bodyText(body())}</p>}</Show>
      <Show when={props.live && props.about.cell !== undefined}>
        <h3>On the board</h3>
        <Related agent="" cell={props.about.cell} />
        <p class="dim">Click one of our agents, then a place, to send it there.</p>
      </Show>
    </>
  );
}

/** Who it is, and what it shall do. */
function Orders(props: { about: Inspected; go: () => void; halt: () => void }): JSX.Element {
  const cockpit = useCockpit();
  const agent = createMemo(() => cockpit.team()?.agents.find(({ name }) => name === props.about.agent));
  const may = (): boolean => cockpit.role() >= Role.OPERATOR;
  return (
    <div class="map-agent">
      <h2 class="agent-name" data-inspected-agent>
        {props.about.agent} <span class="dim">{agent()?.role}</span>
      </h2>
      <Show when={props.about.body?.job}>{(job) => <p>{job()}</p>}</Show>
      <Show when={props.about.body?.detail}>{(detail) => <p class="dim">{detail()}</p>}</Show>
      <p class="row">
        <Show
          when={props.about.sent}
          fallback={
            <button type="button" class="main" disabled={!may() || !props.about.reachable} title={props.about.reachable ? "" : "Choose a place on the map first"} onClick={() => { props.go(); }}>
              Go {props.about.place === undefined || !props.about.reachable ? "to a place" : `to ${props.about.place.place}`}
            </button>
          }
        >
          <button type="button" onClick={() => { props.halt(); }}>Stop going there</button>
        </Show>
      </p>
      <Show when={agent()}>{(known) => <Steer agent={known()} />}</Show>
    </div>
  );
}

function About(props: { agent: string; cell: Inspected["cell"] }): JSX.Element {
  return (
    <Tabs.Root defaultValue="decisions">
      <Tabs.List class="tabs" aria-label="About the agent">
        <Tabs.Trigger value="decisions">Decisions</Tabs.Trigger>
        <Tabs.Trigger value="why">Why</Tabs.Trigger>
        <Tabs.Trigger value="percept">Percept</Tabs.Trigger>
        <Tabs.Trigger value="memory">Memory</Tabs.Trigger>
        <Tabs.Trigger value="board">Board</Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="decisions"><Decisions agent={props.agent} /></Tabs.Content>
      <Tabs.Content value="why"><Why agent={props.agent} /></Tabs.Content>
      <Tabs.Content value="percept"><Insight agent={props.agent} code="me.percept" what="what it sees" /></Tabs.Content>
      <Tabs.Content value="memory"><Insight agent={props.agent} code="me.memory" what="what it remembers" /></Tabs.Content>
      <Tabs.Content value="board"><Related agent={props.agent} cell={props.cell} /></Tabs.Content>
    </Tabs.Root>
  );
}

/** The last decisions with their reasons, the newest first. */
function Decisions(props: { agent: string }): JSX.Element {
  const cockpit = useCockpit();
  const last = createMemo(() => {
    cockpit.version();
    return cockpit.history.turns
      .flatMap(({ round, step, parts }) => {
        const part = parts.get(props.agent);
        return part === undefined ? [] : [{ turn: `${round}:${step}`, ...part }];
      })
      .slice(-DECISIONS)
      .reverse();
  });
  return (
    <ol class="plain map-decisions">
      <For each={last()} fallback={<li class="dim">It has not been asked yet.</li>}>
        {(it) => (
          <li data-map-decision>
            <span class="dim">{it.turn}</span>
            <span data-bad={isBad(it) ? "error" : undefined}>
              <span class="mono">{it.action || it.outcome}</span>
              <Show when={it.reason !== ""}><span class="map-reason">{it.reason}</span></Show>
            </span>
          </li>
        )}
      </For>
    </ol>
  );
}

/** Entries of the board about the agent or the place. */
function Related(props: { agent: string; cell: Inspected["cell"] }): JSX.Element {
  const cockpit = useCockpit();
  const { model, version } = pollBoard(cockpit.name);
  const found = createMemo((): readonly BoardEntry[] => {
    version();
    const { agent, cell } = props;
    return model.entries().filter((entry) => isAbout(entry, agent) || (cell !== undefined && isAt(entry, cell))).slice(0, ENTRIES);
  });
  return (
    <ul class="plain map-board">
      <For each={found()} fallback={<li class="dim">No entry of the board is about it.</li>}>
        {(entry) => (
          <li>
            <span class="mono">{entry.key}</span>
            <span class="mono dim">{valueText(entry.value)}</span>
          </li>
        )}
      </For>
    </ul>
  );
}
