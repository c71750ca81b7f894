/** What the page costs: bytes, frames, first paint, and the daemon's processor time. */
import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../src/api/clients";
import { RATE } from "../src/map/reel";
import { launch, watched } from "./browser";
import { built, Demo, until } from "./stage";
import { Worlds } from "../src/gen/phalanx/v1/worlds_pb";
import { field, moved, still } from "./worlds";

/** How long each thing is watched, in seconds. */
const SECONDS = 15;
const PAGES = 10;
/** How often without and with pages, in turn. */
const ROUNDS = 3;

describe.skipIf(!built())("the page in figures", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
  });

  test("frames of a map with 100 × 100 cells and 100 agents, while it is moved", async () => {
    const canned = await still("assemble", field(100, 100)).open();
    const { page } = await watched(browser, canned.address);
    await page.goto(`${canned.address}/#/A/map`);
    const canvas = page.locator(".map-canvas");
    await until(async () => (await canvas.getAttribute("data-paint-ms")) !== null);
    const worked = await work(page);
    const frames = await canvas.evaluate(async (it, seconds) => {
      const [gaps, paints]: [number[], number[]] = [[], []];
      let before = performance.now();
      const end = before + seconds * 1_000;
      while (performance.now() < end) {
        const key = gaps.length % 80 < 40 ? "ArrowLeft" : "ArrowRight";
        it.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey: true, bubbles: true, cancelable: true }));
        const now = await new Promise<number>((done) => requestAnimationFrame(done));
        gaps.push(now - before);
        before = now;
        paints.push(Number((it as HTMLElement).dataset["paintMs"]));
      }
      return { gaps: gaps.slice(1), paints };
    }, SECONDS);
    report("the page's work for a frame", [(await worked()) / frames.gaps.length], "ms");
    report("frame to frame", frames.gaps, "ms");
    report("painting one", frames.paints, "ms");
    report("frames a second", [1_000 / (frames.gaps.reduce((sum, gap) => sum + gap, 0) / frames.gaps.length)], "");
    expect(frames.gaps.length).toBeGreaterThan(SECONDS);
    await page.context().close();
    canned.close();
  });

  test.each([
    ["one map of 100 × 100 cells with 100 agents", () => [field(100, 100)]],
    ["two maps of 70 × 70 cells with 50 agents each, side by side", () => [{ ...field(70, 50), name: "west" }, { ...field(70, 50), name: "east" }]],
  ] as const)("frames while agents move, five turns a second: %s", async (what, make) => {
    const parts = make();
    const canned = await still("assemble", ...parts).open();
    const { page } = await watched(browser, canned.address, { viewport: { width: 1440, height: 900 } });
    await page.goto(`${canned.address}/#/A/match`);
    const canvas = page.locator(".map-canvas");
    await until(async () => (await canvas.getAttribute("data-paint-ms")) !== null);
    let tick = 5;
    const turns = setInterval(() => {
      tick += 1;
      canned.send(Worlds.method.watchWorld, moved(parts, tick, tick % 40));
    }, 1_000 / RATE);
    const worked = await work(page);
    const gaps = await canvas.evaluate(async (_, seconds) => {
      const found: number[] = [];
      let before = await new Promise<number>((done) => requestAnimationFrame(done));
      const end = before + seconds * 1_000;
      while (before < end) {
        const now = await new Promise<number>((done) => requestAnimationFrame(done));
        found.push(now - before);
        before = now;
      }
      return found;
    }, SECONDS);
    const spent = await worked();
    clearInterval(turns);
    report(`the page's work for a frame, ${what}`, [spent / gaps.length], "ms");
    report(`the page's work in a second, ${what}`, [spent / SECONDS], "ms");
    report(`frame to frame, ${what}`, gaps, "ms");
    report(`frames a second, ${what}`, [1_000 / (gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length)], "");
    await page.context().close();
    canned.close();
  });

  test("time from opening the page to the first moving map", async () => {
    const demo = await Demo.play("assemble");
    try {
      const { page } = await watched(browser, demo.address);
      // The time at which the canvas says for the first time that something glides.
      await page.addInitScript(() => {
        new MutationObserver(() => {
          if (document.querySelector('.map-canvas[data-moving="yes"]') !== null) document.documentElement.dataset["movedAt"] ??= `${performance.now()}`;
        }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-moving"] });
      });
      await page.goto(`${demo.address}/#/A/match`);
      await until(async () => (await page.locator("html").getAttribute("data-moved-at")) !== null);
      report("the first moving map", [Number(await page.locator("html").getAttribute("data-moved-at"))], "ms");
      await page.context().close();
    } finally {
      await demo.end();
    }
  });

  test("first paint, bytes, processor and answers beside a match of Agents Assemble", async () => {
    const demo = await Demo.play("assemble");
    const pid = demo.pid();
    try {
      const first = await watched(browser, demo.address);
      await first.page.goto(`${demo.address}/`);
      await first.page.locator("[data-fact=turn]").waitFor();
      const shown = await first.page.evaluate(() => performance.now());
      const paint = await first.page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
      report("first paint", [paint], "ms");
      report("the match is shown", [shown], "ms");
      for (const view of ["match", "map", "agents/agentA1", "punctuality"]) {
        await first.page.goto(`${demo.address}/#/A/${view}`);
        report(`received in ${view}`, [(await received(first.page)) / 1_000], "kB/s");
      }
      await first.page.context().close();
      // Real viewers run on other machines. Ten browsers on this one would take the processor from the
      // match, so this process makes the calls of ten pages at low priority and draws nothing. Measure
      // both kinds in turn: scripts take longer the longer a match lasts.
      setPriority(19);
      const [alone, watching] = [[] as Beside[], [] as Beside[]];
      for (let round = 0; round < ROUNDS; round += 1) {
        alone.push(await beside(demo, pid, SECONDS));
        const closing = new AbortController();
        const pages = Array.from({ length: PAGES }, () => look(demo.address, closing.signal));
        watching.push(await beside(demo, pid, SECONDS));
        closing.abort();
        report(`messages a second for each of ${PAGES} pages`, (await Promise.all(pages)).map((messages) => messages / SECONDS), "");
      }
      const [without, looking] = [mean(alone), mean(watching)];
      report("processor without a page", [without.share * 100], "%");
      report(`processor with ${PAGES} pages`, [looking.share * 100], "%");
      report("processor for a viewer", [((looking.share - without.share) / PAGES) * 100], "%");
      report("mean answer without a page", [without.answer * 1_000], "ms");
      report(`mean answer with ${PAGES} pages`, [looking.answer * 1_000], "ms");
    } finally {
      await demo.end();
    }
  });
});

/** Asks for what a page with the match view asks for, until it is closed; how many messages came. */
async function look(address: string, closed: AbortSignal): Promise<number> {
  const api = connect(address, () => "");
  let messages = 0;
  const drain = async (stream: AsyncIterable<unknown>): Promise<void> => {
    const each = stream[Symbol.asyncIterator]();
    while (!((await each.next()).done ?? false)) messages += 1;
  };
  const poll = async (): Promise<void> => {
    for (;;) {
      await api.teams.listTeams({}, { signal: closed });
      await api.teams.getTeam({ name: "teams/A" }, { signal: closed });
      await api.metrics(closed);
      await pause(1);
    }
  };
  const streams = [
    drain(api.matches.watchMatch({ team: "teams/A", decisions: true }, { signal: closed })),
    drain(api.worlds.watchWorld({ team: "teams/A", rateMax: RATE }, { signal: closed })),
    poll(),
  ];
  // All three run until the page is closed; the first that ends early is an error.
  await Promise.race(streams.map((stream) => stream.catch(() => undefined)));
  if (!closed.aborted) throw new Error("a page was cut off");
  return messages;
}

/**
 * Begins to count the processor time of the page's main thread; the answer says how much it was since, in milliseconds.
 * Other programs change it less than the time between frames. Where they leave the browser only a few frames a second,
 * the work for each turn is divided among those few: such a figure for a frame says nothing.
 */
async function work(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
  };
  const before = await spent();
  return async () => (await spent()) - before;
}

/** Bytes a second that a page receives. */
async function received(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  session.on("Network.dataReceived", ({ encodedDataLength, dataLength }) => {
    bytes += encodedDataLength > 0 ? encodedDataLength : dataLength;
  });
  await pause(SECONDS);
  await session.detach();
  return bytes / SECONDS;
}

/** The processor's share of a process, and its mean answer time in seconds. */
interface Beside {
  readonly share: number;
  readonly answer: number;
}

/** Both over a while. */
async function beside(demo: Demo, pid: number, seconds: number): Promise<Beside> {
  const [ticks, sums] = [cpu(pid), await answers(demo)];
  await pause(seconds);
  const [later, after] = [cpu(pid), await answers(demo)];
  // A tick of the kernel's clock is a hundredth of a second.
  return { share: (later - ticks) / 100 / seconds, answer: (after.sum - sums.sum) / Math.max(1, after.count - sums.count) };
}

function mean(of: readonly Beside[]): Beside {
  const [share, answer] = [of.reduce((sum, it) => sum + it.share, 0), of.reduce((sum, it) => sum + it.answer, 0)];
  return { share: share / of.length, answer: answer / of.length };
}

function cpu(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

async function answers(demo: Demo): Promise<{ sum: number; count: number }> {
  const text = await (await fetch(`${demo.address}/metrics`)).text();
  const of = (end: string): number => Number(new RegExp(`^phalanx_answer_seconds_${end}\\{team="A"\\} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
  return { sum: of("sum"), count: of("count") };
}

function pause(seconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, seconds * 1_000));
}

/** Prints a figure: one number, or its distribution. */
function report(what: string, values: readonly number[], unit: string): void {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2);
  const text = values.length === 1 ? at(0) : `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`;
  process.stdout.write(`${what}: ${text} ${unit}\n`);
}
