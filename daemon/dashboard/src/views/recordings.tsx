/** Recorded matches: play one, compare two. */
import { createMemo, createResource, createSignal, For, Match, Show, Switch, type JSX } from "solid-js";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { faultOf } from "../api/fault";
import { RecordingState, type Recording } from "../gen/phalanx/v1/recordings_pb";
import { lengthText, sizeText } from "../match/film";
import { milliseconds } from "../match/history";
import { figure, shortIds } from "../match/names";
import { shortName, useCockpit } from "../state/cockpit";
import { rivalsOf } from "../state/replay";
import { Comparison } from "./recordings-compare";
import { Player } from "./recordings-player";

/** The list; below it the chosen recording, alone or compared with another one. */
export default function RecordingsView(): JSX.Element {
  const cockpit = useCockpit();
  const [twin, setTwin] = createSignal("");
  const [listed, { refetch }] = createResource(async () => {
    try {
      const { recordings } = await cockpit.api.recordings.listRecordings({ pageSize: 1_000 });
      // The newest first.
      return { recordings: recordings.sort((a, b) => began(b) - began(a)), trouble: "" };
    } catch (error) {
      return { recordings: [], trouble: faultOf(error).text };
    }
  });
  const all = (): readonly Recording[] => listed.latest?.recordings ?? [];
  const chosen = (): string => cockpit.place().agent;
  const known = createMemo(() => all().find((recording) => shortName(recording.name) === chosen()));
  // The list is loaded again and again; the same rivals are not.
  const rivals = createMemo(() => rivalsOf(all(), known()), [], { equals: (a, b) => a.map(({ name }) => name).join() === b.map(({ name }) => name).join() });
  return (
    <div class="recordings">
      <section class="card" aria-labelledby="recordings">
        <h2 id="recordings">Recordings</h2>
        <Show when={listed.latest?.trouble}>{(trouble) => <p class="warn">{trouble()}</p>}</Show>
        <div class="scroll short">
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Recording</th>
                <th scope="col">Team</th>
                <th scope="col">Game</th>
                <th scope="col">Began, UTC</th>
                <th scope="col" class="number">Length</th>
                <th scope="col" class="number">Turns</th>
                <th scope="col" class="number">Size</th>
                <th scope="col">State</th>
                <th scope="col">Compare</th>
              </tr>
            </thead>
            <tbody>
              <For each={all()} fallback={<tr><td colSpan={9} class="dim">No recording yet. A daemon with a state_dir records each match.</td></tr>}>
                {(recording) => (
                  <Row
                    recording={recording}
                    chosen={shortName(recording.name) === chosen()}
                    twin={shortName(recording.name) === twin()}
                    comparable={chosen() !== "" && shortName(recording.name) !== chosen()}
                    open={() => {
                      setTwin("");
                      cockpit.go({ agent: shortName(recording.name), turn: undefined });
                    }}
                    compare={() => { setTwin(shortName(recording.name)); }}
                  />
                )}
              </For>
            </tbody>
          </table>
        </div>
        <p class="row">
          <button type="button" onClick={() => void refetch()}>
            Reload
          </button>
          <Show when={twin() !== ""}>
            <button type="button" onClick={() => { setTwin(""); }}>
              Back to the match
            </button>
          </Show>
        </p>
      </section>
      <Switch fallback={<p class="empty">Choose a recording to play it, then a second one to compare them.</p>}>
        <Match when={chosen() !== "" && twin() !== ""}>
          <Show when={`${chosen()} ${twin()}`} keyed>
            <Comparison
              one={chosen()}
              other={twin()}
              open={(turn) => {
                setTwin("");
                cockpit.go({ turn });
              }}
            />
          </Show>
        </Match>
        <Match when={chosen()}>
          {(name) => (
            <Show when={name()} keyed>
              <Player name={name()} length={milliseconds(known()?.duration) ?? 0} recording={known()} rivals={rivals()} />
            </Show>
          )}
        </Match>
      </Switch>
    </div>
  );
}

/** What the states of a recording mean. */
const STATES: Readonly<Record<RecordingState, string>> = {
  [RecordingState.UNSPECIFIED]: "unknown",
  [RecordingState.WRITTEN]: "recording now",
  [RecordingState.WHOLE]: "complete",
  [RecordingState.OPEN]: "incomplete",
};

function began(recording: Recording): number {
  return Number(recording.beginTime?.seconds ?? 0n);
}

function Row(props: { recording: Recording; chosen: boolean; twin: boolean; comparable: boolean; open: () => void; compare: () => void }): JSX.Element {
  const when = (): string => {
    const { beginTime } = props.recording;
    return beginTime === undefined ? "" : timestampDate(beginTime).toISOString().slice(0, 19).replace("T", " ");
  };
  return (
    <tr data-recording={shortName(props.recording.name)} data-chosen={props.chosen || props.twin ? "" : undefined}>
      <th scope="row">
        <button type="button" class="as-link" title={shortName(props.recording.name)} onClick={() => { props.open(); }}>
          {shortIds(shortName(props.recording.name))}
        </button>
      </th>
      <td>{props.recording.team}</td>
      <td>{props.recording.game}</td>
      <td>{when()}</td>
      <td class="number">{lengthText(milliseconds(props.recording.duration) ?? 0)}</td>
      <td class="number">{props.recording.turns === 0n ? "–" : figure(Number(props.recording.turns))}</td>
      <td class="number">{sizeText(props.recording.fileBytes)}</td>
      <td title={props.recording.trouble || (props.recording.state === RecordingState.OPEN ? "It has no end: the daemon was killed, or the disk was full. phalanx recording recover repairs it." : "")} data-bad={props.recording.trouble === "" ? undefined : "error"}>
        {STATES[props.recording.state]}
      </td>
      <td>
        <button type="button" disabled={!props.comparable} aria-pressed={props.twin} onClick={() => { props.compare(); }}>
          Compare
        </button>
      </td>
    </tr>
  );
}
