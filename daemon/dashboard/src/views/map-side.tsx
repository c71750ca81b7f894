/** The map's panel: parts, layers, the followed agent, and the content as text. */
import { createMemo, For, Index, Show, type JSX } from "solid-js";
import type { World, WorldLayer, WorldPart } from "../gen/phalanx/v1/worlds_pb";
import { WorldTone } from "../gen/phalanx/v1/worlds_pb";
import { css, inkOf, type Look } from "../map/look";
import { valueText } from "../match/values";

/** Shown as layers, although the protocol has other fields for them. */
const THINGS = ["spots", "edges", "bodies", "marks"] as const;
/** Up to this number of units, the list of units is open at first. */
const FEW = 8;

export function MapSide(props: {
  world: World | undefined;
  part: WorldPart | undefined;
  choosePart: (name: string) => void;
  hidden: ReadonlySet<string>;
  hide: (names: ReadonlySet<string>) => void;
  agents: readonly string[];
  followed: boolean;
  setFollowed: (on: boolean) => void;
  look: Look;
  chosen: string;
  choose: (agent: string) => void;
  words: readonly { name: string; text: string }[];
}): JSX.Element {
  const toggle = (name: string, shown: boolean): void => {
    const next = new Set(props.hidden);
    if (shown) next.delete(name);
    else next.add(name);
    props.hide(next);
  };
  const layers = (): readonly string[] => {
    const part = props.part;
    if (part === undefined) return [];
    const present = THINGS.filter((name) => name === "bodies" || (name === "marks" ? (props.world?.marks.length ?? 0) > 0 : part[name].length > 0));
    return [...part.layers.map((layer) => layer.name), ...present];
  };
  // A memo, so that the next world does not open or close the list again after the user did.
  const few = createMemo(() => props.words.length <= FEW);
  return (
    <aside class="map-side" aria-label="About the map">
      <Show when={(props.world?.parts.length ?? 0) > 1}>
        <label>
          Part
          <select
            onChange={(event) => {
              props.choosePart(event.currentTarget.value);
            }}
          >
            <Index each={props.world?.parts}>
              {(part) => (
                <option value={part().name} selected={part().name === props.part?.name}>
                  {part().name}
                </option>
              )}
            </Index>
          </select>
        </label>
        <p class="dim">{props.world?.parts.length} parts. Their relative positions are not known yet.</p>
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
      <Index each={props.part?.layers.filter((layer) => !props.hidden.has(layer.name))}>
        {(layer) => <Legend layer={layer()} look={props.look} />}
      </Index>
      <Show when={(props.part?.facts.length ?? 0) > 0}>
        <dl class="pairs">
          <Index each={props.part?.facts}>
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
      <details open={few()}>
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

function Legend(props: { layer: WorldLayer; look: Look }): JSX.Element {
  const shown = (): readonly { name: string; ink: string }[] =>
    props.layer.legend
      .filter((entry) => entry.name !== "none")
      .map((entry) => ({ name: entry.name, ink: css(inkOf(props.look, props.layer, entry.value)) }));
  return (
    <Show when={shown().length > 0 || props.layer.scale !== undefined}>
      <div class="map-legend">
        <span class="dim">{props.layer.name}</span>
        <Show when={props.layer.scale}>
          {(scale) => (
            <span class="legend-entry">
              <Swatch ink={css(props.look.tones[scale().tone === WorldTone.UNSPECIFIED ? WorldTone.OTHER : scale().tone])} />
              {scale().unit}, {scale().from} to {scale().to}
            </span>
          )}
        </Show>
        <For each={shown()}>
          {(entry) => (
            <span class="legend-entry">
              <Swatch ink={entry.ink} />
              {entry.name}
            </span>
          )}
        </For>
      </div>
    </Show>
  );
}

function Swatch(props: { ink: string }): JSX.Element {
  return (
    <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
      <rect width="10" height="10" fill={props.ink} class="swatch-rim" />
    </svg>
  );
}
