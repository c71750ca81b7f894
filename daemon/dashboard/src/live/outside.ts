/** The browser's part of streams and polls. */
import type { Outside } from "./follow";

/** This tab. */
export const tab: Outside = {
  visible: () => document.visibilityState === "visible",
  onVisible(then) {
    document.addEventListener("visibilitychange", then);
    return () => {
      document.removeEventListener("visibilitychange", then);
    };
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
    }),
  random: Math.random,
};

/** Calls back once before the next frame, however often it is called, so that thousands of changes cause one paint. */
export function perFrame(then: () => void): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      then();
    });
  };
}
