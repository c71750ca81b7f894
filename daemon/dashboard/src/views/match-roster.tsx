/** The teams' agents: number, name, role, job, load, health, and why each of them does what it does. */
import { createMemo, For, Index, Show, type JSX } from "solid-js";
import { SeatState, type Agent } from "../gen/phalanx/v1/team_pb";
import type { WorldBody } from "../gen/phalanx/v1/worlds_pb";
import { bodiesOf } from "../map/owner";
import { numberOf, shortIds } from "../match/names";
import { byNumber } from "../match/strip";
import { steeringText, word } from "../match/words";
import { placeText } from "../state/place";
import { COLOURS, type Side } from "../state/sides";

/** Up to this number of agents, reasons have a line of their own. */
const FEW = 6;

/** Which agent is chosen, and whether the match is running. */
interface Choice {
  readonly live: boolean;
  readonly chosen: string;
  readonly choose: (agent: string) => void;
}

/** The roster of one team, with a tab for each team. */
export function Rosters(props: { sides: readonly Side[]; side: Side; focus: (name: string) => void } & Choice): JSX.Element {
  return (
    <section class="card roster" aria-labelledby="roster">
      <div class="card-head">
        <h2 id="roster">Agents</h2>
        <Show when={props.sides.length > 1}>
          <span class="switch" role="group" aria-label="Team whose agents are shown">
            <For each={props.sides}>
              {(side, at) => (
                <button type="button" data-roster-of={side.name} aria-pressed={side === props.side} style={{ "--colour": `var(${COLOURS[at() % COLOURS.length] ?? "--dim"})` }} onClick={() => { props.focus(side.name); }}>
                  {shortIds(side.name)}
                </button>
              )}
            </For>
          </span>
        </Show>
      </div>
      <Show when={props.side} keyed>{(side) => <Roster side={side} colour={COLOURS[props.sides.indexOf(side) % COLOURS.length] ?? "--dim"} live={props.live} chosen={props.chosen} choose={props.choose} />}</Show>
    </section>
  );
}

function Roster(props: { side: Side; colour: string } & Choice): JSX.Element {
  const agents = createMemo(() => [...(props.side.team()?.agents ?? [])].sort((a, b) => byNumber(a.name, b.name)));
  const bodies = createMemo(() => bodiesOf(props.side.world()?.parts ?? [], (props.side.team()?.agents ?? []).map(({ name }) => name)));
  return (
    <ol class="plain roster-rows" data-few={agents().length <= FEW ? "" : undefined} tabIndex={0} aria-label={`Agents of ${props.side.name}`} style={{ "--colour": `var(${props.colour})` }}>
      <Index each={agents()} fallback={<li class="dim">No agent is in the team yet.</li>}>
        {(agent, at) => <RosterRow side={props.side} agent={agent()} body={bodies().get(agent().name)?.body} sign={bodies().get(agent().name)?.sign ?? numberOf(agent().name, at)} live={props.live} chosen={props.chosen} choose={props.choose} />}
      </Index>
    </ol>
  );
}

/** What is wrong with an agent, or who steers it; empty while its script plays. */
function troubleOf(agent: Agent, body: WorldBody | undefined): { level: "bad" | "warn" | ""; text: string } {
  const trouble = agent.trouble || agent.seatReason;
  if (trouble !== "") return { level: "bad", text: trouble };
  if (agent.seatState !== SeatState.SEATED && agent.seatState !== SeatState.CLOSED) return { level: "warn", text: word(SeatState, agent.seatState) };
  if (agent.steering !== undefined && agent.steering.mode.case !== "script") return { level: "warn", text: steeringText(agent.steering) };
  return body?.alive === false ? { level: "warn", text: "out of action" } : { level: "", text: "" };
}

function RosterRow(props: { side: Side; agent: Agent; body: WorldBody | undefined; sign: string } & Choice): JSX.Element {
  const trouble = createMemo(() => troubleOf(props.agent, props.body));
  const isChosen = (): boolean => props.agent.name === props.chosen;
  const carrying = (): string => carriedText(props.body);
  return (
    <li data-roster={props.agent.name} data-chosen={isChosen() ? "" : undefined} data-level={trouble().level || undefined} data-out={props.body?.alive === false ? "" : undefined}>
      <button
        type="button"
        class="roster-row"
        aria-pressed={isChosen()}
        title={props.agent.name}
        onClick={() => { props.choose(isChosen() ? "" : props.agent.name); }}
      >
        <span class="number-badge">{props.sign}</span>
        <span class="roster-name">
          <b>{shortIds(props.agent.name)}</b> <span class="dim">{props.agent.role}</span>
        </span>
        <span class="roster-state">
          <Show when={carrying() !== ""}><span class="chip" title={`carries ${carrying()}`}>{shortIds(carrying())}</span></Show>
          <Show when={props.body?.health !== undefined}><Health share={props.body?.health ?? 0} /></Show>
        </span>
        <span class="roster-job">
          <Show when={trouble().text !== ""} fallback={<Job agent={props.agent} body={props.body} />}>
            <span class={trouble().level} title={trouble().text}>{trouble().text}</span>
          </Show>
        </span>
      </button>
      <Show when={isChosen()}>
        <Chosen side={props.side} agent={props.agent} body={props.body} live={props.live} />
      </Show>
    </li>
  );
}

/** What it does, and why. */
function Job(props: { agent: Agent; body: WorldBody | undefined }): JSX.Element {
  const job = (): string => props.body?.job ?? "";
  // A reason that repeats the job says nothing more.
  const reason = (): string => (props.agent.reason === job() ? "" : props.agent.reason);
  return (
    <>
      <Show when={job() !== ""} fallback={<span class="job mono">{props.agent.lastAction}</span>}>
        <span class="job" title={job()}>{shortIds(job())}</span>
      </Show>
      <Show when={reason() !== ""}>
        <span class="why-text dim" title={reason()}>{shortIds(reason())}</span>
      </Show>
    </>
  );
}

/** Below these shares an agent is in trouble, or soon will be. */
const WEAK = { bad: 0.25, warn: 0.5 } as const;

/** How well it is, as a bar. */
function Health(props: { share: number }): JSX.Element {
  const share = (): number => Math.round(Math.min(1, Math.max(0, props.share)) * 100);
  const level = (): string | undefined => (props.share <= WEAK.bad ? "bad" : props.share <= WEAK.warn ? "warn" : undefined);
  return (
    <span class="health" data-level={level()} title={`health ${share()} %`}>
      <span style={{ width: `${share()}%` }} />
      <span class="hidden-label">health {share()} %</span>
    </span>
  );
}

/** More about the chosen agent. */
function Chosen(props: { side: Side; agent: Agent; body: WorldBody | undefined; live: boolean }): JSX.Element {
  const facts = (): string => [props.agent.summary, props.body?.detail ?? "", carriedText(props.body) === "" ? "" : `carries ${carriedText(props.body)}`].filter((text) => text !== "").join(" · ");
  return (
    <div class="chosen-agent" data-chosen-agent={props.agent.name}>
      <p>
        <span class="hidden-label">{props.agent.name}: </span>
        <span class="mono">{props.agent.lastAction}</span> <span class="dim">{props.agent.lastResult}</span>
      </p>
      <Show when={props.agent.reason !== ""}>
        <p class="reason">{props.agent.reason}</p>
      </Show>
      <Show when={facts() !== ""}>
        <p class="dim">{facts()}</p>
      </Show>
      <Show when={props.live}>
        <a href={`#${placeText({ team: props.side.name, agent: props.agent.name, view: "agents", turn: undefined })}`}>Explain, steer, inspect</a>
      </Show>
    </div>
  );
}

function carriedText(body: WorldBody | undefined): string {
  return body === undefined ? "" : body.carrying || body.carried.map((thing) => thing.what).join(", ");
}
