/** Streams that go on where they ended: after a lost connection, a restarted daemon, a hidden tab. */
import { Code } from "@connectrpc/connect";
import { faultOf, type Fault } from "../api/fault";

/** How a stream is doing. */
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
  /** What follows is not what came after the last message: whatever was kept is out of date. */
  gap(): void;
  /** Hears how the stream is doing. */
  state(state: StreamState): void;
}

/** What the outside gives: everything that a test wants in its own hands. */
export interface Outside {
  /** Whether anybody can see the page. */
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

/** A stream that tells. */
export const LIVE: StreamState = { kind: "live" };

/** Follows until the answer is called. Nothing is open while nobody can see the page. */
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
      // What is over is asked for again, in case that it begins anew; until then it stays over.
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
      // The daemon ends a stream without a fault when there is nothing more to tell.
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
        // Where much happens, the oldest is gone before it can be asked for: then only what comes counts.
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

/** Waits until somebody looks. */
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
