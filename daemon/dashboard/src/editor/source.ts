/** The match that the desk shows: the running one or a recording, and the turn in it. */
import { fromBinary } from "@bufbuild/protobuf";
import { createEffect, createMemo, createSignal, on, onCleanup, useContext, type Accessor } from "solid-js";
import { faultOf } from "../api/fault";
import { TeamLifeSchema } from "../gen/phalanx/v1/recording_pb";
import { RecordingState, type Recording } from "../gen/phalanx/v1/recordings_pb";
import { isAfter, type Entry, type Moment, type TurnRecord } from "../match/history";
import { counted } from "../match/names";
import type { Reel } from "../map/reel";
import { shortName, useCockpit, type Cockpit } from "../state/cockpit";
import { loadFilm } from "../state/films";
import type { StreamState } from "../live/follow";
import { followWorlds, WorldsContext } from "../views/map";

/** A match with its turns and worlds, the oldest first. */
export interface Source {
  /** The recording's name; empty: the running match. */
  readonly recording: string;
  readonly reel: Reel;
  /** Grows with the worlds. */
  readonly worlds: Accessor<number>;
  /** Grows with the turns. */
  readonly version: Accessor<number>;
  readonly turns: readonly TurnRecord[];
  readonly lines: readonly Entry[];
  /** Text while there is no world. */
  readonly waiting: Accessor<string>;
  /** How much is loaded, and what is wrong with it. */
  readonly state: Accessor<string>;
  /** The hash of the strategy with which a recording began; empty: unknown. */
  readonly began: Accessor<{ readonly number: number; readonly hash: string }>;
}

/** The turn that is shown, and how to get to another one. */
export interface Stage {
  readonly source: Accessor<Source>;
  /** Opens a recording; empty: the running match. */
  choose(recording: string): void;
  /** Index of the turn that is shown; -1: there is none. */
  readonly at: Accessor<number>;
  readonly turn: Accessor<TurnRecord | undefined>;
  readonly last: Accessor<number>;
  /** The newest turn is shown, whatever comes. */
  readonly live: Accessor<boolean>;
  /** Shows the turn with this index; undefined: the newest one. */
  go(index: number | undefined): void;
  readonly playing: Accessor<boolean>;
  play(on: boolean): void;
}

/** Turns a second when a recording plays. */
const SPEED = 4;

/** The stage of the chosen team. */
export function createStage(): Stage {
  const cockpit = useCockpit();
  const [recording, choose] = createSignal("");
  const [moment, setMoment] = createSignal<Moment>();
  const [playing, play] = createSignal(false);
  const source = createMemo(on(recording, (name) => (name === "" ? runningMatch(cockpit) : recorded(name))));
  const last = (): number => (source().version(), source().turns.length - 1);
  const at = createMemo((): number => {
    const [end, wanted, { turns, recording: name }] = [last(), moment(), source()];
    if (wanted === undefined) return name === "" ? end : Math.min(0, end);
    return Math.max(Math.min(0, end), turns.findLastIndex((turn) => !isAfter(turn, wanted)));
  });
  const go = (index: number | undefined): void => {
    const found = index === undefined ? undefined : source().turns[Math.max(0, Math.min(index, last()))];
    setMoment(found === undefined ? undefined : { round: found.round, step: found.step });
  };
  createEffect(() => {
    if (!playing()) return;
    const timer = setInterval(() => {
      if (at() < last()) go(at() + 1);
      else play(false);
    }, 1_000 / SPEED);
    onCleanup(() => { clearInterval(timer); });
  });
  return {
    source, at, last, go, playing, play,
    choose(name) {
      play(false);
      setMoment(undefined);
      choose(name);
    },
    turn: () => (source().version(), source().turns[at()]),
    live: () => recording() === "" && moment() === undefined,
  };
}

function runningMatch(cockpit: Cockpit): Source {
  const { reel, count, state } = useContext(WorldsContext) ?? followWorlds();
  return {
    recording: "", reel, worlds: count,
    version: cockpit.version,
    turns: cockpit.history.turns,
    lines: cockpit.history.lines,
    waiting: () => waiting(state()),
    state: () => "",
    began: () => ({ number: 0, hash: "" }),
  };
}

function recorded(name: string): Source {
  const { film, version, done, trouble } = loadFilm(name);
  const { api } = useCockpit();
  const [began, setBegan] = createSignal({ number: 0, hash: "" });
  void strategyOf(api, name).then(setBegan, () => undefined);
  return {
    recording: name, reel: film.reel, worlds: version, version, began,
    turns: film.history.turns,
    lines: film.history.lines,
    waiting: () => trouble() || (done() ? "This recording has no pictures of the world." : "The recording is loading."),
    state: () => trouble() || (version(), `${counted(film.history.turns.length, "turn")}${done() ? (film.damage.length > 0 ? ", the end is missing" : "") : ", loading"}`),
  };
}

function waiting(state: StreamState): string {
  if (state.kind === "refused") return state.fault.text;
  if (state.kind === "ended") return "The match is over. Choose its recording above to step through it.";
  return state.kind === "lost" ? `No map: ${state.text}` : "The map appears after the team's next turn.";
}

/** The strategy with which a recording began: its first message says so. */
async function strategyOf(api: Cockpit["api"], name: string): Promise<{ number: number; hash: string }> {
  const enough = new AbortController();
  const stream = api.recordings.replayRecording({ name: `recordings/${name}`, channels: ["/team/life"] }, { signal: enough.signal });
  try {
    for await (const { messageType, data } of stream) {
      if (messageType !== TeamLifeSchema.typeName) continue;
      const { event } = fromBinary(TeamLifeSchema, data);
      const staged = event.case === "began" ? event.value.staged : undefined;
      if (staged !== undefined) return { number: staged.number, hash: staged.hash };
    }
  } finally {
    enough.abort();
  }
  return { number: 0, hash: "" };
}

/** The index of the last world that was drawn up to this moment; the first one before that. */
export function worldAt(reel: Reel, moment: Moment): number {
  return Math.max(0, reel.worlds.findLastIndex(({ turn }) => turn !== undefined && !isAfter(turn, moment)));
}

/** The recordings of this game, those of the team first and the newest first; why there are none. */
export async function listedRecordings(cockpit: Cockpit): Promise<{ recordings: Recording[]; trouble: string }> {
  try {
    const { recordings } = await cockpit.api.recordings.listRecordings({ pageSize: 1_000 });
    const own = (it: Recording): number => (it.team === cockpit.name() ? 0 : 1);
    const began = (it: Recording): number => Number(it.beginTime?.seconds ?? 0n);
    const fitting = recordings.filter((it) => it.game === cockpit.game());
    return { recordings: fitting.sort((a, b) => own(a) - own(b) || began(b) - began(a)), trouble: "" };
  } catch (error) {
    return { recordings: [], trouble: faultOf(error).text };
  }
}

/** `A, 12:40, 340 turns`. */
export function recordingText(it: Recording): string {
  const when = it.beginTime === undefined ? "" : new Date(Number(it.beginTime.seconds) * 1_000).toISOString().slice(5, 16).replace("T", " ");
  const turns = it.turns === 0n ? "" : counted(Number(it.turns), "turn");
  const growing = it.state === RecordingState.WRITTEN ? "being written" : "";
  return [it.team || shortName(it.name), when, turns, growing].filter((part) => part !== "").join(" · ");
}
