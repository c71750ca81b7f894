/** A recorded match: one turn, or playback of all turns. */
import { createEffect, createMemo, createSignal, For, Index, mapArray, on, onCleanup, Show, type Accessor, type JSX } from "solid-js";
import { RecordingState, type Recording } from "../gen/phalanx/v1/recordings_pb";
import type { World } from "../gen/phalanx/v1/worlds_pb";
import { newestChanges, scoreChanges } from "../match/changes";
import type { Entrant } from "../match/contest";
import { isAfter, isBad, type Moment, type Part, type TurnRecord } from "../match/history";
import { mirrored } from "../match/mirror";
import { counted, millis, scoreText, shortIds } from "../match/names";
import { momentText } from "../match/series";
import { byNumber } from "../match/strip";
import { shortName, useCockpit } from "../state/cockpit";
import type { Loading } from "../state/films";
import { recordedSide, teamOfName, type RecordedSide } from "../state/replay";
import { TurnSlider } from "../ui/turn-slider";
import { MapPane } from "./map-pane";
import { MatchBench } from "./match-bench";
import { LayerSwitch } from "./match-map";
import { Scoreboard } from "./match-score";
import type { PickedPlace } from "./match-work";

/** Playback speeds in turns per second. */
const SPEEDS = [1, 2, 5, 10, 30] as const;

/** Changes in the list. */
const SHOWN = 60;
/** A recording has no truth to compare with. */
const NO_TRUTH = { showTruth: () => undefined, compared: () => false, compare: () => undefined } as const;

/** The turn that is shown, and how to get to another one. */
interface Cursor {
  readonly turns: Accessor<readonly TurnRecord[]>;
  readonly at: Accessor<number>;
  readonly now: Accessor<TurnRecord | undefined>;
  readonly playing: Accessor<boolean>;
  readonly speed: Accessor<number>;
  readonly setSpeed: (turns: number) => void;
  readonly play: (on: boolean) => void;
  readonly go: (index: number) => void;
  readonly rest: () => void;
}

/** Map, score, roster, work and reasons of a recorded match, with a slider over its turns. */
export function Player(props: { name: string; length: number; recording: Recording | undefined; rivals: readonly Recording[] }): JSX.Element {
  const cockpit = useCockpit();
  const [agent, setAgent] = createSignal("");
  const [picked, setPicked] = createSignal<PickedPlace>();
  // The address changes only when the slider rests: browsers limit how often it may change.
  const [moment, setMoment] = createSignal<Moment | undefined>(cockpit.place().turn);
  createEffect(on(() => cockpit.place().turn, setMoment, { defer: true }));
  const first = (): Moment => moment() ?? { round: 0, step: 0 };
  // The view is made anew for each recording.
  const own = recordedSide(props.name, props.recording?.team ?? teamOfName(props.name), true, first);
  const rivals = mapArray(() => props.rivals, (it) => recordedSide(shortName(it.name), it.team, false, first));
  const sides = createMemo((): readonly RecordedSide[] => [own, ...rivals()]);
  const [focused, focus] = createSignal(own.name);
  const side = createMemo(() => sides().find(({ name }) => name === focused()) ?? own);
  const cursor = createCursor(own.loading, moment, setMoment);
  const contest = createMemo(() => contestAt(sides(), first()));
  const changes = createMemo(() => {
    const until = first();
    const past = <T extends { readonly round: number | undefined; readonly step: number | undefined }>(some: readonly T[]): T[] => some.filter(({ round, step }) => round === undefined || step === undefined || !isAfter({ round, step }, until));
    const one = side();
    const scores = scoreChanges(contest().map(({ name, turns }) => ({ name, turns: past(turns) })));
    return newestChanges(scores, (one.version(), past(one.history.lines)), sides().length > 1 ? one.name : "", SHOWN);
  });
  return (
    <div class="player">
      <MatchBench
        bench={{
          get sides() { return sides(); },
          get side() { return side(); },
          focus,
          get contest() { return contest(); },
          get changes() { return changes(); },
          get picked() { return picked(); },
          pick: setPicked,
          get chosen() { return agent(); },
          choose: setAgent,
          get moment() { return first(); },
          live: false,
        }}
        score={<Scoreboard contest={contest()} clock={undefined} turn={cursor.now()} />}
        strip={<Loaded loading={own.loading} length={props.length} growing={props.recording?.state === RecordingState.WRITTEN} shown={side().world()?.turn} />}
        map={() => <RecordedMap name={props.name} sides={sides()} side={side()} focus={focus} cursor={cursor} moment={first()} agent={agent()} choose={setAgent} picked={picked()} />}
      />
      <section class="card scroll" aria-labelledby="decisions">
        <h2 id="decisions">
          Decisions of turn {momentText(cursor.now())}
          <Show when={cursor.now()?.score !== undefined}>, score {scoreText(cursor.now()?.score)}</Show>
        </h2>
        <p class="dim" role="status">
          {own.loading.done() ? counted(cursor.turns().length, "turn") : shareText(own.loading, props.length)}
        </p>
        <Decisions turn={cursor.now()} chosen={agent()} choose={setAgent} />
      </section>
    </div>
  );
}

/** The scores as they were in this turn; the lines of the race are whole. */
function contestAt(sides: readonly RecordedSide[], until: Moment): Entrant[] {
  return sides.map(({ name, history, version }) => {
    version();
    const rounds: number[] = [];
    let [score, round] = [undefined as number | undefined, -1];
    for (const turn of history.turns) {
      if (isAfter(turn, until)) break;
      if (round >= 0 && turn.round !== round && score !== undefined) rounds.push(score);
      if (turn.round !== round) [score, round] = [undefined, turn.round];
      score = turn.score ?? score;
    }
    return { name, ours: true, turns: history.turns, score, rounds };
  });
}

function createCursor(loading: Loading, moment: Accessor<Moment | undefined>, setMoment: (to: Moment) => void): Cursor {
  const cockpit = useCockpit();
  const { film, version, done } = loading;
  const [speed, setSpeed] = createSignal(5);
  const [playing, setPlaying] = createSignal(false);
  const turns = (): readonly TurnRecord[] => (version(), film.history.turns);
  const at = createMemo((): number => {
    const turn = moment();
    return (version(), turn === undefined ? 0 : film.turnAt(turn));
  });
  const go = (index: number): void => {
    const turn = turns()[Math.max(0, Math.min(index, turns().length - 1))];
    if (turn !== undefined) setMoment({ round: turn.round, step: turn.step });
  };
  const rest = (): void => { cockpit.go({ turn: moment() }, { replace: true }); };
  const play = (on: boolean): void => {
    if (playing() && !on) rest();
    setPlaying(on);
  };
  createEffect(() => {
    if (!playing()) return;
    const timer = setInterval(() => {
      if (at() < turns().length - 1) go(at() + 1);
      else if (done()) play(false);
    }, 1_000 / speed());
    onCleanup(() => { clearInterval(timer); });
  });
  return { turns, at, now: () => turns()[at()], playing, speed, setSpeed, play, go, rest };
}

function shareText({ reached }: Loading, length: number): string {
  return `${Math.min(99, Math.round((reached() / Math.max(1, length)) * 100))} % loaded`;
}

/** One line: how much is loaded, and which turn's world is shown. */
function Loaded(props: { loading: Loading; length: number; growing: boolean; shown: Moment | undefined }): JSX.Element {
  // The last message of a file that is being written is not whole yet.
  const trouble = (): string => (props.loading.version(), props.loading.trouble() || (props.growing ? "" : (props.loading.film.damage[0] ?? "")));
  const text = (): string => {
    if (!props.loading.done()) return `Recording, ${shareText(props.loading, props.length)}`;
    return props.growing ? "The match is still being recorded; its turns until now are loaded" : "Recording, all turns are loaded";
  };
  return (
    <p class="pulse" data-bad={trouble() === "" ? undefined : ""}>
      <span class="lamp" aria-hidden="true" />
      <span class="pulse-text">
        {trouble() || text()}
        <Show when={props.shown !== undefined}>; the map is of turn {momentText(props.shown)}</Show>
      </span>
    </p>
  );
}

function RecordedMap(props: {
  name: string;
  sides: readonly RecordedSide[];
  side: RecordedSide;
  focus: (name: string) => void;
  cursor: Cursor;
  moment: Moment;
  agent: string;
  choose: (agent: string) => void;
  picked: PickedPlace | undefined;
}): JSX.Element {
  const loading = (): Loading => props.side.loading;
  const index = (): number => (loading().version() === 0 && loading().film.reel.worlds.length === 0 ? -1 : loading().film.worldAt(props.moment));
  const decorate = createMemo((): ((world: World) => World) | undefined => (props.side.own ? undefined : mirrored));
  return (
    <MapPane
      title={props.name}
      reel={loading().film.reel}
      index={index()}
      version={loading().version()}
      waiting={loading().trouble() || (loading().done() ? "This recording has no pictures of the world." : "The recording is loading.")}
      chosen={props.agent}
      choose={props.choose}
      agents={(props.side.team()?.agents ?? []).map(({ name }) => name)}
      decorate={decorate()}
      picked={props.picked}
      compact
    >
      <Show when={props.sides.length > 1}>
        <LayerSwitch sides={props.sides} side={props.side} focus={props.focus} layers={NO_TRUTH} hosts={false} shown={false} count={0} />
      </Show>
      <Scrubber cursor={props.cursor} />
    </MapPane>
  );
}

function Scrubber(props: { cursor: Cursor }): JSX.Element {
  const { cursor } = props;
  return (
    <div class="scrubber">
      <button type="button" aria-pressed={cursor.playing()} disabled={cursor.turns().length < 2} onClick={() => { cursor.play(!cursor.playing()); }}>
        {cursor.playing() ? "Stop" : "Play"}
      </button>
      <TurnSlider
        label="Turn of the recording"
        last={Math.max(0, cursor.turns().length - 1)}
        at={cursor.at()}
        text={`turn ${momentText(cursor.now())}`}
        onMove={(to) => {
          cursor.play(false);
          cursor.go(to);
        }}
        onRest={cursor.rest}
      />
      <output>{momentText(cursor.now())}</output>
      <label class="pace">
        <span class="hidden-label">Turns a second</span>
        <select value={cursor.speed()} onChange={(event) => { cursor.setSpeed(Number(event.currentTarget.value)); }}>
          <For each={SPEEDS}>{(known) => <option value={known} selected={known === cursor.speed()}>{known} a second</option>}</For>
        </select>
      </label>
    </div>
  );
}

function Decisions(props: { turn: TurnRecord | undefined; chosen: string; choose: (agent: string) => void }): JSX.Element {
  const rows = createMemo((): (readonly [string, Part])[] =>
    [...(props.turn?.parts ?? [])].sort(([a], [b]) => byNumber(a, b)),
  );
  return (
    <table class="list decisions">
      <thead>
        <tr>
          <th scope="col">Agent</th>
          <th scope="col">Action</th>
          <th scope="col">Why</th>
          <th scope="col" class="number">Time</th>
        </tr>
      </thead>
      <tbody>
        <Index each={rows()} fallback={<tr><td colSpan={4} class="dim">The server asked no agent in this turn.</td></tr>}>
          {(row) => (
            <tr data-decision={row()[0]} data-chosen={row()[0] === props.chosen ? "" : undefined}>
              <th scope="row">
                <button type="button" class="as-link" onClick={() => { props.choose(row()[0]); }}>
                  {shortIds(row()[0])}
                </button>
              </th>
              <td class="mono" data-bad={isBad(row()[1]) ? "error" : undefined}>
                {row()[1].action || row()[1].outcome}
              </td>
              <td class="wrap">{row()[1].reason}</td>
              <td class="number">{row()[1].spent === undefined ? "" : millis(row()[1].spent ?? 0)}</td>
            </tr>
          )}
        </Index>
      </tbody>
    </table>
  );
}
