/** The map beside the editor: the running match, or a recorded one turn by turn. */
import { createResource, For, Show, type JSX } from "solid-js";
import { listedRecordings, recordingText, worldAt, type Stage } from "../editor/source";
import { momentText } from "../match/series";
import { shortName, useCockpit } from "../state/cockpit";
import { placeText } from "../state/place";
import { TurnSlider } from "../ui/turn-slider";
import { MapPane } from "./map-pane";

/** Choice of the match, map, and steps through its turns. */
export function StagePane(props: { stage: Stage; foreign: boolean; chosen: string; choose: (agent: string) => void }): JSX.Element {
  const cockpit = useCockpit();
  const source = (): ReturnType<Stage["source"]> => props.stage.source();
  const index = (): number => {
    const [turn, { reel }] = [props.stage.turn(), source()];
    source().worlds();
    return props.stage.live() || turn === undefined ? reel.worlds.length - 1 : worldAt(reel, turn);
  };
  return (
    <section class="desk-stage" aria-label="Match">
      <div class="row desk-stage-head">
        <Choice stage={props.stage} />
        <span class="dim" role="status">
          {source().state()}
        </span>
        <Show when={source().recording !== ""}>
          <a href={`#${placeText({ team: cockpit.name(), view: "recordings", agent: source().recording, turn: props.stage.turn() })}`}>Open in Recordings</a>
        </Show>
        <Show when={props.foreign}>
          <span class="warn">Another version of the strategy played then: its reasons are only in the list.</span>
        </Show>
      </div>
      <Show when={source().recording || "live"} keyed>
        <MapPane
          title={source().recording || cockpit.name()}
          reel={source().reel}
          index={index()}
          version={source().worlds()}
          waiting={source().waiting()}
          chosen={props.chosen}
          choose={props.choose}
          agents={(cockpit.team()?.agents ?? []).map(({ name }) => name)}
          compact
        >
          <Stepper stage={props.stage} />
        </MapPane>
      </Show>
    </section>
  );
}

function Choice(props: { stage: Stage }): JSX.Element {
  const cockpit = useCockpit();
  const [listed, { refetch }] = createResource(cockpit.game, () => listedRecordings(cockpit));
  const chosen = (): string => props.stage.source().recording;
  return (
    <label class="desk-choice">
      <span class="hidden-label">Match that is shown</span>
      <select
        value={chosen()}
        title={listed.latest?.trouble}
        onFocus={() => void refetch()}
        onChange={(event) => { props.stage.choose(event.currentTarget.value); }}
      >
        <option value="" selected={chosen() === ""}>
          Running match
        </option>
        <Show when={(listed.latest?.recordings.length ?? 0) > 0}>
          <optgroup label="Recordings">
            <For each={listed.latest?.recordings}>
              {(it) => (
                <option value={shortName(it.name)} selected={shortName(it.name) === chosen()}>
                  {recordingText(it)}
                </option>
              )}
            </For>
          </optgroup>
        </Show>
      </select>
    </label>
  );
}

function Stepper(props: { stage: Stage }): JSX.Element {
  const recorded = (): boolean => props.stage.source().recording !== "";
  const text = (): string => momentText(props.stage.turn()) || "–";
  const step = (by: number): void => {
    props.stage.play(false);
    props.stage.go(props.stage.at() + by);
  };
  return (
    <div class="scrubber">
      <button type="button" class="desk-step" aria-label="The turn before" disabled={props.stage.at() <= 0} onClick={() => { step(-1); }}>
        ‹
      </button>
      <button type="button" class="desk-step" aria-label="The turn after" disabled={props.stage.at() >= props.stage.last()} onClick={() => { step(1); }}>
        ›
      </button>
      <TurnSlider
        label="Turn that is shown"
        last={Math.max(0, props.stage.last())}
        at={Math.max(0, props.stage.at())}
        text={`turn ${text()}`}
        onMove={(to) => {
          props.stage.play(false);
          props.stage.go(!recorded() && to >= props.stage.last() ? undefined : to);
        }}
      />
      <output>{text()}</output>
      <Show
        when={recorded()}
        fallback={
          <button type="button" aria-pressed={props.stage.live()} onClick={() => { props.stage.go(props.stage.live() ? props.stage.at() : undefined); }}>
            {props.stage.live() ? "Pause" : "Live"}
          </button>
        }
      >
        <button type="button" aria-pressed={props.stage.playing()} disabled={props.stage.last() < 1} onClick={() => { props.stage.play(!props.stage.playing()); }}>
          {props.stage.playing() ? "Stop" : "Play"}
        </button>
      </Show>
    </div>
  );
}
