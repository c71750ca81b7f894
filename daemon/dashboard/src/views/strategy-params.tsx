/** Parameters of the scripts that can be changed during the match. */
import type { Value } from "@bufbuild/protobuf/wkt";
import { createEffect, createMemo, createSignal, For, Match, on, Show, Switch, type JSX } from "solid-js";
import { Role } from "../gen/phalanx/v1/access_pb";
import type { Param } from "../gen/phalanx/v1/strategies_pb";
import { typedValue, valueJson, valueText } from "../match/values";
import { useCockpit } from "../state/cockpit";
import { attempt, complain } from "../ui/notices";

/** Steps of a slider over fractions. */
const STEPS = 200;

/** A row for each parameter. */
export function Params(props: { team: string }): JSX.Element {
  const cockpit = useCockpit();
  const { strategies } = cockpit.api;
  const [list, setList] = createSignal<readonly Param[]>([]);
  const load = (): void => {
    strategies.listParams({ parent: props.team }).then((answer) => setList(answer.params), complain);
  };
  createEffect(
    on([() => props.team, cockpit.generation], ([, generation]) => {
      if (generation !== undefined) load();
    }),
  );
  const byName = createMemo(() => new Map(list().map((param) => [param.name, param])));
  // Key rows by name, so that a reload does not reset a control that the user is moving.
  const names = createMemo(() => list().map((param) => param.name));
  const set = (name: string, value: Value | undefined): void => {
    const request = { team: props.team, name };
    const done = value === undefined ? `${name} has the scripts' default again` : `${name} is ${valueText(value)}`;
    void attempt(done, () => strategies.setParam(value === undefined ? request : { ...request, value })).then((taken) => {
      // After a refusal, the field shows the value in force.
      if (!taken) setList([]);
      load();
    });
  };
  return (
    <section class="card" aria-labelledby="params">
      <h2 id="params">Parameters</h2>
      <For each={names()} fallback={<p class="empty">The scripts declare no parameters.</p>}>
        {(name) => (
          <Show when={byName().get(name)}>
            {(param) => <Row param={param()} set={(value) => { set(name, value); }} may={cockpit.role() >= Role.OPERATOR} />}
          </Show>
        )}
      </For>
    </section>
  );
}

function Row(props: { param: Param; set: (value: Value | undefined) => void; may: boolean }): JSX.Element {
  const own = (): Value | undefined => props.param.values.find((value) => value.scope?.part.case === undefined)?.value;
  const json = (): unknown => {
    const value = own() ?? props.param.defaultValue;
    return value === undefined ? null : valueJson(value);
  };
  const number = (): number => (typeof json() === "number" ? (json() as number) : 0);
  const whole = (): boolean => props.param.accepts.includes("whole");
  const bounded = (): boolean => typeof json() === "number" && props.param.min !== undefined && props.param.max !== undefined;
  const step = (): number => (whole() ? 1 : ((props.param.max ?? 1) - (props.param.min ?? 0)) / STEPS);
  const send = (text: string): void => {
    props.set(typedValue(text));
  };
  return (
    <div class="param" data-param={props.param.name}>
      <label>
        <span class="mono">{props.param.name}</span> <output>{String(json())}</output>
        <Switch
          fallback={
            <input value={typeof json() === "string" ? String(json()) : JSON.stringify(json())} disabled={!props.may} onChange={(event) => { send(event.currentTarget.value); }} />
          }
        >
          <Match when={bounded()}>
            <input
              type="range"
              min={props.param.min}
              max={props.param.max}
              step={step()}
              value={number()}
              disabled={!props.may}
              onChange={(event) => { send(event.currentTarget.value); }}
            />
          </Match>
          <Match when={typeof json() === "boolean"}>
            <input type="checkbox" checked={json() === true} disabled={!props.may} onChange={(event) => { send(String(event.currentTarget.checked)); }} />
          </Match>
          <Match when={props.param.words.length > 0}>
            <select value={String(json())} disabled={!props.may} onChange={(event) => { send(JSON.stringify(event.currentTarget.value)); }}>
              <For each={props.param.words}>{(word) => <option value={word} selected={word === json()}>{word}</option>}</For>
            </select>
          </Match>
        </Switch>
      </label>
      <p class="dim">
        {props.param.doc || props.param.accepts}
        <Show when={own() !== undefined}>
          {" · default "}
          {valueText(props.param.defaultValue)}{" "}
          <button type="button" class="as-link" disabled={!props.may} onClick={() => { props.set(undefined); }}>
            take back
          </button>
        </Show>
        <Show when={props.param.values.some((value) => value.scope?.part.case !== undefined)}>
          {" · other values for "}
          {props.param.values.flatMap((value) => (value.scope?.part.case === undefined ? [] : [`${value.scope.part.case} ${value.scope.part.value}`])).join(", ")}
        </Show>
      </p>
    </div>
  );
}
