/** Streams that resume where they ended: after a lost connection, a restarted daemon, a hidden tab. */
import { Code } from "@connectrpc/connect";
import { faultOf, type Fault } from "../api/fault";

/** State of a stream. */
export type StreamState =
  | { readonly kind: "idle" }
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  | { readonly kind: "ended" }
  | { readonly kind: "lost"; readonly text: string }
  | { readonly kind: "refused"; readonly fault: Fault };

/** What is followed. */
export interface Plan<T> {
  /** Opens the stream after this cursor; `began` is to be called when the daemon has answered. */
  open(cursor: string, signal: AbortSignal, began: () => void): AsyncIterable<T>;
  /** Takes one message. */
  take(item: T): void;
  /** The place of a message; empty: it has none. */
  cursorOf(item: T): string;
  /** Where to begin. */
  readonly start: string;
  /** Messages are missing: drop what was kept. */
  gap(): void;
  /** Receives the state of the stream. */
  state(state: StreamState): void;
}

/** The environment; tests replace it. */
export interface Outside {
  /** Whether the page is visible. */
  visible(): boolean;
  /** Calls back when that changes; the answer ends it. */
  onVisible(then: () => void): () => void;
  /** Waits; ends early when the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** Waits between two attempts: the first, the longest, and after a refusal or an end, in milliseconds. */
export const RETRY = { first: 250, longest: 5_000, refused: 5_000 } as const;

export const LIVE: StreamState = { kind: "live" };

/** Follows until the returned function is called. No stream is open while the page is hidden. */
export function follow<T>(plan: Plan<T>, outside: Outside): () => void {
  const ended = new AbortController();
  void run(plan, outside, ended.signal);
  return () => {
    ended.abort();
  };
}

async function run<T>(plan: Plan<T>, outside: Outside, ended: AbortSignal): Promise<void> {
  let cursor = plan.start;
  let failures = 0;
  let expired = 0;
  let over = false;
  while (!ended.aborted) {
    if (!outside.visible()) {
      plan.state({ kind: "idle" });
      await untilVisible(outside, ended);
      continue;
    }
    const open = new AbortController();
    const close = (): void => {
      open.abort();
    };
    ended.addEventListener("abort", close);
    const unwatch = outside.onVisible(() => {
      if (!outside.visible()) close();
    });
    let wait = 0;
    try {
      // A finished match may start again, so keep asking; until then the state stays "ended".
      if (!over) plan.state({ kind: "connecting" });
      const began = (): void => {
        if (!over) plan.state(LIVE);
      };
      for await (const item of plan.open(cursor, open.signal, began)) {
        if (open.signal.aborted) break;
        failures = 0;
        expired = 0;
        over = false;
        began();
        cursor = plan.cursorOf(item) || cursor;
        plan.take(item);
      }
      // The daemon ends a stream without an error when the match is over.
      wait = RETRY.refused;
      if (!open.signal.aborted) {
        over = true;
        plan.state({ kind: "ended" });
      }
    } catch (error) {
      if (!open.signal.aborted) {
        over = false;
        const fault = faultOf(error);
        failures += 1;
        const next = afterFault(fault, cursor);
        if (next.gap) plan.gap();
        // In a busy match the oldest event may be gone before the call arrives: then start with the next event.
        expired = next.gap ? expired + 1 : 0;
        cursor = expired > 1 ? "" : next.cursor;
        wait = next.atOnce && failures < 3 ? 0 : next.refused ? RETRY.refused : pause(failures, outside);
        if (next.refused) plan.state({ kind: "refused", fault });
        else if (wait > 0) plan.state({ kind: "lost", text: fault.text });
      }
    } finally {
      ended.removeEventListener("abort", close);
      unwatch();
      close();
    }
    if (wait > 0 && outside.visible()) await outside.sleep(wait, ended);
  }
}

/** Where to go on after a fault. */
export function afterFault(
  fault: Fault,
  cursor: string,
): { cursor: string; gap: boolean; atOnce: boolean; refused: boolean } {
  switch (fault.reason) {
    case "CURSOR_EXPIRED":
    case "CURSOR_MALFORMED":
      return { cursor: fault.metadata.get("oldest") ?? "", gap: true, atOnce: true, refused: false };
    case "CLIENT_TOO_SLOW": {
      const there = fault.metadata.get("cursor");
      return { cursor: there ?? "", gap: there === undefined, atOnce: true, refused: false };
    }
    default: {
      const refused =
        fault.code === Code.Unauthenticated || fault.code === Code.PermissionDenied || fault.code === Code.NotFound;
      return { cursor, gap: false, atOnce: false, refused };
    }
  }
}

function pause(failures: number, outside: Outside): number {
  const longest = Math.min(RETRY.longest, RETRY.first * 2 ** Math.min(failures - 1, 10));
  return longest * (0.5 + outside.random() / 2);
}

/** Waits until the page is visible. */
export function untilVisible(outside: Outside, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      unwatch();
      ended.removeEventListener("abort", done);
      resolve();
    };
    const unwatch = outside.onVisible(() => {
      if (outside.visible()) done();
    });
    ended.addEventListener("abort", done);
    if (outside.visible() || ended.aborted) done();
  });
}
