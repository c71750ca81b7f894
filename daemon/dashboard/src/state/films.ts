/** Loads recordings. */
import { createSignal, onCleanup, type Accessor } from "solid-js";
import { faultOf } from "../api/fault";
import { CHANNELS, Film } from "../match/film";
import { useCockpit } from "./cockpit";

/** How often a growing film is shown, in milliseconds. */
const SHOW_EVERY = 250;

/** A recording while it is loaded. */
export interface Loading {
  readonly film: Film;
  /** Grows with the film. */
  readonly version: Accessor<number>;
  /** Milliseconds of the match that are there. */
  readonly reached: Accessor<number>;
  readonly done: Accessor<boolean>;
  readonly trouble: Accessor<string>;
}

/** Loads these channels of a recording from its start; stops when the calling component is disposed. */
export function loadFilm(name: string, channels = CHANNELS): Loading {
  const { api } = useCockpit();
  const film = new Film();
  const [version, setVersion] = createSignal(0);
  const [reached, setReached] = createSignal(0);
  const [done, setDone] = createSignal(false);
  const [trouble, setTrouble] = createSignal("");
  const ended = new AbortController();
  onCleanup(() => {
    ended.abort();
  });
  const load = async (): Promise<void> => {
    let shown = performance.now();
    try {
      const stream = api.recordings.replayRecording({ name: `recordings/${name}`, channels }, { signal: ended.signal });
      for await (const message of stream) {
        film.take(message);
        if (performance.now() - shown < SHOW_EVERY) continue;
        shown = performance.now();
        setReached(Number(message.nanos) / 1e6);
        setVersion((before) => before + 1);
      }
    } catch (error) {
      if (ended.signal.aborted) return;
      setTrouble(faultOf(error).text);
    }
    setDone(true);
    setVersion((before) => before + 1);
  };
  void load();
  return { film, version, reached, done, trouble };
}
