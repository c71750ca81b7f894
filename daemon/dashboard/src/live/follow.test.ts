import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { afterFault, follow, RETRY, type Outside, type StreamState } from "./follow";

/** A tab in the test's hands; sleeping takes no time and is counted. */
class FakeTab implements Outside {
  shown = true;
  readonly slept: number[] = [];
  private readonly heard = new Set<() => void>();
  visible = (): boolean => this.shown;
  random = (): number => 1;
  onVisible = (then: () => void): (() => void) => {
    this.heard.add(then);
    return () => this.heard.delete(then);
  };
  sleep = (ms: number): Promise<void> => {
    this.slept.push(ms);
    return Promise.resolve();
  };
  show(shown: boolean): void {
    this.shown = shown;
    for (const then of [...this.heard]) then();
  }
}

type Life = (cursor: string, signal: AbortSignal) => AsyncIterable<number>;

/** Follows lives one after the other; the last one ends the test. */
async function lives(tab: FakeTab, ...all: Life[]): Promise<{ taken: number[]; cursors: string[]; states: string[]; gaps: number }> {
  const seen = { taken: [] as number[], cursors: [] as string[], states: [] as string[], gaps: 0 };
  await new Promise<void>((resolve) => {
    let life = 0;
    const stop = follow<number>(
      {
        start: "",
        open(cursor, signal) {
          seen.cursors.push(cursor);
          const next = all[life];
          life += 1;
          if (next === undefined) {
            queueMicrotask(() => {
              stop();
              resolve();
            });
            return forever(signal);
          }
          return next(cursor, signal);
        },
        cursorOf: (item) => `c${item}`,
        take: (item) => void seen.taken.push(item),
        gap: () => void (seen.gaps += 1),
        state: (state: StreamState) => void seen.states.push(state.kind),
      },
      tab,
    );
  });
  return seen;
}

async function* forever(signal: AbortSignal): AsyncIterable<number> {
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => { resolve(); });
  });
  yield* [];
}

async function* some(...items: number[]): AsyncIterable<number> {
  await Promise.resolve();
  yield* items;
}

async function* broken(error: ConnectError, ...items: number[]): AsyncIterable<number> {
  yield* some(...items);
  throw error;
}

test("a lost stream goes on after the last message, with growing waits", async () => {
  const tab = new FakeTab();
  const lost = new ConnectError("gone", Code.Unavailable);
  const seen = await lives(tab, () => broken(lost, 1, 2), () => broken(lost), () => broken(lost), () => broken(lost, 3));
  expect(seen.taken).toEqual([1, 2, 3]);
  expect(seen.cursors).toEqual(["", "c2", "c2", "c2", "c3"]);
  expect(tab.slept).toEqual([RETRY.first, RETRY.first * 2, RETRY.first * 4, RETRY.first]);
  expect(seen.states.filter((state) => state === "lost")).toHaveLength(4);
});

test("what the daemon ends without a fault is over and not lost, until it goes on", async () => {
  const tab = new FakeTab();
  const seen = await lives(tab, () => some(1), () => some(), () => some(2));
  expect(seen.taken).toEqual([1, 2]);
  expect(seen.cursors).toEqual(["", "c1", "c1", "c2"]);
  expect(tab.slept).toEqual([RETRY.refused, RETRY.refused, RETRY.refused]);
  expect(seen.states).toEqual(["connecting", "live", "ended", "ended", "live", "ended"]);
});

test("after stopping, no more messages arrive", async () => {
  const tab = new FakeTab();
  const { states } = await lives(tab);
  await new Promise((done) => setTimeout(done));
  expect(states).toEqual(["connecting"]);
});

test("waits never grow beyond the longest one", async () => {
  const tab = new FakeTab();
  const dead: Life = () => broken(new ConnectError("refused", Code.Unavailable));
  await lives(tab, ...Array.from({ length: 14 }, () => dead));
  expect(Math.max(...tab.slept)).toBe(RETRY.longest);
});

test("no stream is open while the page is hidden; it resumes afterwards", async () => {
  const tab = new FakeTab();
  let aborted = false;
  const seen = await lives(tab, (_, signal) => {
    signal.addEventListener("abort", () => {
      aborted = true;
      queueMicrotask(() => setTimeout(() => { tab.show(true); }));
    });
    queueMicrotask(() => { tab.show(false); });
    return forever(signal);
  });
  expect(aborted).toBe(true);
  expect(seen.states).toContain("idle");
  expect(seen.states).not.toContain("lost");
  expect(tab.slept).toEqual([]);
});

test("where the oldest event is gone again before it is asked for, the stream goes on with the next one", async () => {
  const fault = new ConnectError("gone", Code.OutOfRange);
  fault.details.push({ type: "google.rpc.ErrorInfo", value: expiredInfo("e.7") });
  const expired = (): Life => () => broken(fault);
  const seen = await lives(new FakeTab(), expired(), expired(), () => some(4));
  expect(seen.cursors).toEqual(["", "e.7", "", "c4"]);
  expect(seen.gaps).toBe(2);
});

test("an expired cursor restarts at the oldest event and reports the gap", () => {
  const fault = { code: Code.OutOfRange, reason: "CURSOR_EXPIRED", metadata: new Map([["oldest", "e.7"]]), text: "" };
  expect(afterFault(fault, "e.1")).toEqual({ cursor: "e.7", gap: true, atOnce: true, refused: false });
});

test("a client that was too slow resumes at its cursor, without a gap", () => {
  const fault = { code: Code.ResourceExhausted, reason: "CLIENT_TOO_SLOW", metadata: new Map([["cursor", "e.9"]]), text: "" };
  expect(afterFault(fault, "e.1")).toEqual({ cursor: "e.9", gap: false, atOnce: true, refused: false });
});

test.each([Code.Unauthenticated, Code.PermissionDenied, Code.NotFound])("status %i is a refusal and no lost connection", (code) => {
  expect(afterFault({ code, reason: "", metadata: new Map(), text: "" }, "c").refused).toBe(true);
});

/** `google.rpc.ErrorInfo` of an expired cursor. */
function expiredInfo(oldest: string): Uint8Array {
  const pair = new BinaryWriter().tag(1, WireType.LengthDelimited).string("oldest").tag(2, WireType.LengthDelimited).string(oldest).finish();
  return new BinaryWriter().tag(1, WireType.LengthDelimited).string("CURSOR_EXPIRED").tag(3, WireType.LengthDelimited).bytes(pair).finish();
}
