/** The map's panel: parts, layers, the followed agent, and the content as text. */
import { createMemo, For, Index, Show, type JSX } from "solid-js";
import type { World, WorldPart } from "../gen/phalanx/v1/worlds_pb";
import { valueText } from "../match/values";

/** Shown as layers, although the protocol has other fields for them. */
const THINGS = ["spots", "edges", "bodies", "trails", "marks"] as const;
/** Up to this number of units, the list of units is open at first. */
const FEW = 8;

export function MapSide(props: {
  world: World | undefined;
  /** The parts that are shown. */
  parts: readonly WorldPart[];
  /** The only one that is wanted; empty: all. */
  only: string;
  choosePart: (name: string) => void;
  hidden: ReadonlySet<string>;
  hide: (names: ReadonlySet<string>) => void;
  agents: readonly string[];
  followed: boolean;
  setFollowed: (on: boolean) => void;
  chosen: string;
  choose: (agent: string) => void;
  words: readonly { name: string; text: string }[];
  legend: JSX.Element;
}): JSX.Element {
  const toggle = (name: string, shown: boolean): void => {
    const next = new Set(props.hidden);
    if (shown) next.delete(name);
    else next.add(name);
    props.hide(next);
  };
  const layers = createMemo((): readonly string[] => {
    if (props.parts.length === 0) return [];
    const has = (name: "spots" | "edges"): boolean => props.parts.some((part) => part[name].length > 0);
    const present = THINGS.filter((name) => (name === "marks" ? (props.world?.marks.length ?? 0) > 0 : name === "bodies" || name === "trails" || has(name)));
    return [...new Set(props.parts.flatMap((part) => part.layers.map((layer) => layer.name))), ...present];
  }, [], { equals: (a, b) => a.join() === b.join() });
  const facts = createMemo(() => (props.parts.length === 1 ? (props.parts[0]?.facts ?? []) : []));
  // A memo, so that the next world does not open or close the list again after the user did.
  const few = createMemo(() => props.words.length <= FEW);
  return (
    <aside class="map-side" aria-label="About the map">
      <Show when={(props.world?.parts.length ?? 0) > 1}>
        <label>
          Map
          <select
            onChange={(event) => {
              props.choosePart(event.currentTarget.value);
            }}
          >
            <option value="" selected={props.only === ""}>
              all, side by side
            </option>
            <Index each={props.world?.parts}>
              {(part) => (
                <option value={part().name} selected={part().name === props.only}>
                  {part().name}
                </option>
              )}
            </Index>
          </select>
        </label>
        <p class="dim">{props.world?.parts.length} maps that are not joined yet: their places to each other are not known.</p>
      </Show>
      <label>
        Agent
        <select
          value={props.chosen}
          onChange={(event) => {
            props.choose(event.currentTarget.value);
          }}
        >
          <option value="">none</option>
          <For each={props.agents}>
            {(name) => (
              <option value={name} selected={name === props.chosen}>
                {name}
              </option>
            )}
          </For>
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={props.followed}
          onChange={(event) => {
            props.setFollowed(event.currentTarget.checked);
          }}
        />
        Follow it
      </label>
      <fieldset>
        <legend>Layers</legend>
        <For each={layers()}>
          {(name) => (
            <label class="check">
              <input
                type="checkbox"
                checked={!props.hidden.has(name)}
                onChange={(event) => {
                  toggle(name, event.currentTarget.checked);
                }}
              />
              {name}
            </label>
          )}
        </For>
      </fieldset>
      {props.legend}
      <Show when={facts().length > 0}>
        <dl class="pairs">
          <Index each={facts()}>
            {(fact) => (
              <>
                <dt>{fact().name}</dt>
                <dd>{fact().value}</dd>
              </>
            )}
          </Index>
        </dl>
      </Show>
      <Show when={props.world?.cut}>
        <p class="warn">The world is too large for one message, so a part of it is missing.</p>
      </Show>
      <details class="map-words" open={few()}>
        <summary>{props.words.length === 1 ? "One unit" : `${props.words.length} units`} as text</summary>
        <ul class="words">
          <Index each={props.words}>
            {(body) => <li data-chosen={body().name !== "" && body().name === props.chosen ? "" : undefined}>{body().text}</li>}
          </Index>
        </ul>
      </details>
      <Show when={(props.world?.marks.length ?? 0) > 0}>
        <details>
          <summary>{props.world?.marks.length} marks drawn by scripts</summary>
          <ul class="words">
            <Index each={props.world?.marks}>
              {(mark) => (
                <li>
                  {mark().agent || "plan"}: {mark().shape}({mark().args.map(valueText).join(", ")})
                </li>
              )}
            </Index>
          </ul>
        </details>
      </Show>
    </aside>
  );
}
