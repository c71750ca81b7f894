import { expect, test } from "vitest";
import type { Outside } from "./follow";
import { poll } from "./poll";

/** A tab that sleeps until it is woken. */
function tab(visible = true): Outside & { show(): void } {
  let shown = visible;
  const heard = new Set<() => void>();
  return {
    visible: () => shown,
    onVisible: (then) => (heard.add(then), () => heard.delete(then)),
    sleep: (_, signal) => new Promise((done) => { signal.addEventListener("abort", () => { done(); }); }),
    random: () => 1,
    show() {
      shown = true;
      for (const then of [...heard]) then();
    },
  };
}

const settled = (): Promise<void> => new Promise((done) => setTimeout(done));

test("soon() does not wait for the next interval", async () => {
  let asked = 0;
  const { soon, stop } = poll(1_000, () => Promise.resolve(void (asked += 1)), tab());
  await settled();
  expect(asked).toBe(1);
  soon();
  await settled();
  expect(asked).toBe(2);
  stop();
  await settled();
  expect(asked).toBe(2);
});

test("an answer on its way is given up for the next one: two are never under way", async () => {
  const signals: AbortSignal[] = [];
  const ask = (signal: AbortSignal): Promise<void> => {
    expect(signals.every((before) => before.aborted)).toBe(true);
    signals.push(signal);
    return new Promise((done) => { signal.addEventListener("abort", () => { done(); }); });
  };
  const { soon, stop } = poll(1_000, ask, tab());
  soon();
  await settled();
  expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
  stop();
  expect(signals.every((signal) => signal.aborted)).toBe(true);
});

test("a hidden page does not poll; it polls at once when it becomes visible", async () => {
  let asked = 0;
  const hidden = tab(false);
  const { soon, stop } = poll(1_000, () => Promise.resolve(void (asked += 1)), hidden);
  soon();
  await settled();
  expect(asked).toBe(0);
  hidden.show();
  await settled();
  expect(asked).toBe(1);
  stop();
});
