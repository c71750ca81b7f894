/** The browser, as streams and polls see it. */
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
