/** All agents, and one of them in depth. */
import * as Tabs from "@kobalte/core/tabs";
import { createMemo, Index, Show, type JSX } from "solid-js";
import { SeatState, type Agent } from "../gen/phalanx/v1/team_pb";
import { shortIds } from "../match/names";
import { byNumber } from "../match/strip";
import { steeringText, word } from "../match/words";
import { useCockpit } from "../state/cockpit";
import { Console } from "./agent-console";
import { Insight } from "./agent-insight";
import { Steer } from "./agent-steer";
import { Why } from "./agent-why";

/** The agents' table and the chosen one. */
export function AgentsView(): JSX.Element {
  const cockpit = useCockpit();
  const agents = createMemo(() => [...(cockpit.team()?.agents ?? [])].sort((a, b) => byNumber(a.name, b.name)));
  // Where all are seated and decided by their scripts, these columns would only repeat that.
  const steered = createMemo(() => agents().some((agent) => agent.steering !== undefined && agent.steering.mode.case !== "script"));
  const unseated = createMemo(() => agents().some((agent) => agent.seatState !== SeatState.SEATED));
  const chosen = createMemo(() => agents().find((agent) => agent.name === cockpit.place().agent));
  return (
    <div class="agents" data-one={chosen() === undefined ? undefined : ""}>
      <section class="card scroll" aria-labelledby="all-agents">
        <h2 id="all-agents">Agents</h2>
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Role</th>
              <th scope="col">Last action</th>
              <th scope="col">Result</th>
              <Show when={steered()}><th scope="col">Decides</th></Show>
              <Show when={unseated()}><th scope="col">Seat</th></Show>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            <Index each={agents()}>{(agent) => <AgentRow agent={agent()} steered={steered()} unseated={unseated()} />}</Index>
          </tbody>
        </table>
      </section>
      <Show when={chosen()?.name} keyed fallback={<p class="empty">Choose an agent to see what it perceives, what it remembers and why it acts.</p>}>
        {(name) => (
          <section class="card" aria-labelledby="one-agent" data-agent={name}>
            <h2 id="one-agent" class="agent-name">
              <span title={name}>{shortIds(name)}</span> <span class="dim">{chosen()?.role}</span>
            </h2>
            <Show when={chosen()}>{(agent) => <Steer agent={agent()} />}</Show>
            <Tabs.Root defaultValue="why">
              <Tabs.List class="tabs" aria-label="About the agent">
                <Tabs.Trigger value="why">Why</Tabs.Trigger>
                <Tabs.Trigger value="percept">Percept</Tabs.Trigger>
                <Tabs.Trigger value="memory">Memory</Tabs.Trigger>
                <Tabs.Trigger value="console">Console</Tabs.Trigger>
              </Tabs.List>
              <Tabs.Content value="why">
                <Why agent={name} />
              </Tabs.Content>
              <Tabs.Content value="percept">
                <Insight agent={name} code="me.percept" what="what it sees" />
              </Tabs.Content>
              <Tabs.Content value="memory">
                <Insight agent={name} code="me.memory" what="what it remembers" />
              </Tabs.Content>
              <Tabs.Content value="console">
                <Console agent={name} />
              </Tabs.Content>
            </Tabs.Root>
          </section>
        )}
      </Show>
    </div>
  );
}

function AgentRow(props: { agent: Agent; steered: boolean; unseated: boolean }): JSX.Element {
  const cockpit = useCockpit();
  const trouble = (): string => props.agent.trouble || props.agent.seatReason;
  return (
    <tr
      data-agent-row={props.agent.name}
      data-chosen={props.agent.name === cockpit.place().agent ? "" : undefined}
      data-trouble={trouble() === "" ? undefined : ""}
    >
      <th scope="row">
        <button
          type="button"
          class="as-link"
          title={props.agent.name}
          onClick={() => {
            cockpit.go({ agent: props.agent.name, turn: undefined });
          }}
        >
          {shortIds(props.agent.name)}
        </button>
      </th>
      <td>{props.agent.role}</td>
      <td class="mono clip" title={props.agent.reason}>
        {shortIds(props.agent.lastAction)}
      </td>
      <td>{props.agent.lastResult}</td>
      <Show when={props.steered}><td>{props.agent.steering?.mode.case === "script" ? "script" : steeringText(props.agent.steering)}</td></Show>
      <Show when={props.unseated}><td>{word(SeatState, props.agent.seatState)}</td></Show>
      <td class="agent-state" title={trouble() || props.agent.summary}>
        <Show when={trouble() !== ""} fallback={props.agent.summary}>
          <span class="bad">{trouble()}</span>
        </Show>
      </td>
    </tr>
  );
}
