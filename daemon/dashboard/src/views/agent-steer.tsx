/** What decides for an agent: its script, a pause, a pinned order, or the user of this page. */
import { createMemo, createSignal, For, Show, type JSX } from "solid-js";
import { Role } from "../gen/phalanx/v1/access_pb";
import type { Agent, OrderKey } from "../gen/phalanx/v1/team_pb";
import { keyLabel } from "../match/drive";
import { steeringText } from "../match/words";
import { useCockpit } from "../state/cockpit";
import { attempt, complain } from "../ui/notices";

/** After this number of turns without an order, the script decides again. */
const LEASE = 30;

/** Buttons and fields; disabled without the role operator. */
export function Steer(props: { agent: Agent }): JSX.Element {
  const cockpit = useCockpit();
  const name = (): string => props.agent.resourceName;
  const may = (): boolean => cockpit.role() >= Role.OPERATOR;
  const mode = (): string => props.agent.steering?.mode.case ?? "script";
  // Update the field only when the value changes, not with each poll: the user may be typing.
  const role = createMemo(() => props.agent.role);
  const [order, setOrder] = createSignal("");
  const [turns, setTurns] = createSignal(10);
  const roles = createMemo(() => [...new Set((cockpit.team()?.agents ?? []).map((agent) => agent.role))].sort());
  const act = async (done: string, what: () => Promise<unknown>): Promise<void> => {
    await attempt(done, what);
    cockpit.refresh();
  };
  const teams = cockpit.api.teams;
  return (
    <div class="steer">
      <p class="row">
        <span data-steering={mode()}>{steeringText(props.agent.steering)}</span>
        <Show
          when={mode() === "script"}
          fallback={
            <button
              type="button"
              class="main"
              disabled={!may()}
              onClick={() => void act("Its script decides again", () => teams.releaseAgent({ name: name() }))}
            >
              Hand back
            </button>
          }
        >
          <button
            type="button"
            disabled={!may()}
            onClick={() => void act(`${props.agent.name} is paused`, () => teams.pauseAgent({ name: name() }))}
          >
            Pause
          </button>
          <button
            type="button"
            disabled={!may()}
            onClick={() =>
              void act(`You drive ${props.agent.name}`, () => teams.pilotAgent({ name: name(), leaseTurns: LEASE }))
            }
          >
            Drive
          </button>
        </Show>
        <Show when={!may()}>
          <span class="dim">Enter an operator's token to steer agents.</span>
        </Show>
      </p>
      <Show when={mode() === "piloted"}>
        <Drive agent={props.agent} />
      </Show>
      <details>
        <summary>Role and pinned order</summary>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            const wanted = fieldText(event.currentTarget, "role");
            void act(`${props.agent.name} becomes ${wanted}`, () => teams.setAgentRole({ name: name(), role: wanted }));
          }}
        >
          <label>
            Role <input name="role" list="roles" required value={role()} size={14} autocomplete="off" />
          </label>
          <datalist id="roles">
            <For each={roles()}>{(known) => <option value={known} />}</For>
          </datalist>
          <button type="submit" disabled={!may()}>
            Set role
          </button>
        </form>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void act(`${order()} is pinned`, () => teams.pinOrder({ name: name(), order: order(), turns: turns() }));
          }}
        >
          <label>
            Order{" "}
            <input
              class="mono"
              required
              size={18}
              value={order()}
              placeholder={cockpit.team()?.keys[0]?.order ?? ""}
              onInput={(event) => setOrder(event.currentTarget.value)}
            />
          </label>
          <label>
            Turns{" "}
            <input
              type="number"
              min={1}
              max={10_000}
              value={turns()}
              onInput={(event) => setTurns(event.currentTarget.valueAsNumber || 1)}
            />
          </label>
          <button type="submit" disabled={!may()}>
            Pin
          </button>
        </form>
      </details>
    </div>
  );
}

/** Keys, and buttons for touch screens. */
function Drive(props: { agent: Agent }): JSX.Element {
  const cockpit = useCockpit();
  const [sent, setSent] = createSignal("");
  // The same keys stay the same buttons, although the team is read again and again.
  const keys = createMemo((): readonly OrderKey[] => cockpit.team()?.keys ?? [], [], { equals: (a, b) => a.length === b.length && a.every(({ key, order }, at) => key === b[at]?.key && order === b[at].order) });
  const send = (order: string): void => {
    setSent(order);
    cockpit.api.teams.sendOrder({ name: props.agent.resourceName, order }).catch(complain);
  };
  return (
    <div
      class="drive boxed"
      tabIndex={0}
      role="application"
      aria-label={`Drive ${props.agent.name} with the keys`}
      ref={(box) => {
        queueMicrotask(() => {
          box.focus();
        });
      }}
      onKeyDown={(event) => {
        const hit = keys().find((known) => known.key === event.key);
        if (hit === undefined || event.target !== event.currentTarget) return;
        event.preventDefault();
        send(hit.order);
      }}
    >
      <p class="row">
        <For each={keys()} fallback={<span>This game declares no keys: type orders below.</span>}>
          {(known) => (
            <button type="button" title={known.order} aria-label={known.order} onClick={() => { send(known.order); }}>
              {keyLabel(known)}
            </button>
          )}
        </For>
        <span class="mono" role="status">
          {sent()}
        </span>
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          send(fieldText(event.currentTarget, "order"));
        }}
      >
        <label>
          Order <input name="order" class="mono" required size={18} autocomplete="off" />
        </label>
        <button type="submit">Send</button>
      </form>
      <p class="dim">Click here for the keys to reach it; {LEASE} turns without an order hand it back.</p>
    </div>
  );
}

function fieldText(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === "string" ? value.trim() : "";
}
