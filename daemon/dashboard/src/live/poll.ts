/** Questions that are asked again and again while somebody looks. */
import type { Outside } from "./follow";

/** Asks every `ms` milliseconds while the page is visible, never twice at a time, until the answer is called. */
export function poll(ms: number, ask: (signal: AbortSignal) => Promise<void>, outside: Outside): () => void {
  const ended = new AbortController();
  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      if (outside.visible()) await ask(ended.signal);
      await rest(ms, outside, ended.signal);
    }
  };
  void run();
  return () => {
    ended.abort();
  };
}

/** Waits, and while nobody looks, until somebody does. */
async function rest(ms: number, outside: Outside, ended: AbortSignal): Promise<void> {
  if (outside.visible()) {
    await outside.sleep(ms, ended);
    return;
  }
  await new Promise<void>((resolve) => {
    const done = (): void => {
      unwatch();
      ended.removeEventListener("abort", done);
      resolve();
    };
    const unwatch = outside.onVisible(done);
    ended.addEventListener("abort", done);
    if (ended.aborted) done();
  });
}
