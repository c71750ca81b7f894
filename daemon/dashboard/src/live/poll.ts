/** Polls while the page is visible. */
import { untilVisible, type Outside } from "./follow";

export interface Poll {
  /** Asks at once; cancels a call in flight. */
  readonly soon: () => void;
  readonly stop: () => void;
}

/** Asks every `ms` milliseconds while the page is visible, never twice at a time. */
export function poll(ms: number, ask: (signal: AbortSignal) => Promise<void>, outside: Outside): Poll {
  const ended = new AbortController();
  let round = new AbortController();
  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      round = new AbortController();
      const { signal } = round;
      if (outside.visible()) await ask(signal);
      if (signal.aborted) continue;
      if (outside.visible()) await outside.sleep(ms, signal);
      else await untilVisible(outside, ended.signal);
    }
  };
  void run();
  return {
    soon() {
      round.abort();
    },
    stop() {
      ended.abort();
      round.abort();
    },
  };
}
