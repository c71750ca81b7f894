/** What the page costs: bytes, frames, first paint, and what the daemon notices of it. */
import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch, watched } from "./browser";
import { built, Demo, until } from "./stage";
import { field, still } from "./worlds";

/** How long each thing is watched, in seconds. */
const SECONDS = 15;
const PAGES = 10;

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
    const frames = await canvas.evaluate(async (it, seconds) => {
      const [gaps, paints]: [number[], number[]] = [[], []];
      let before = performance.now();
      const end = before + seconds * 1_000;
      while (performance.now() < end) {
        const key = gaps.length % 80 < 40 ? "ArrowLeft" : "ArrowRight";
        it.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        const now = await new Promise<number>((done) => requestAnimationFrame(done));
        gaps.push(now - before);
        before = now;
        paints.push(Number((it as HTMLElement).dataset["paintMs"]));
      }
      return { gaps: gaps.slice(1), paints };
    }, SECONDS);
    tell("frame to frame", frames.gaps, "ms");
    tell("painting one", frames.paints, "ms");
    tell("frames a second", [1_000 / (frames.gaps.reduce((sum, gap) => sum + gap, 0) / frames.gaps.length)], "");
    expect(frames.gaps.length).toBeGreaterThan(SECONDS);
    await page.context().close();
    canned.close();
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
      tell("first paint", [paint], "ms");
      tell("the match is shown", [shown], "ms");
      for (const view of ["overview", "map", "agents/agentA1"]) {
        await first.page.goto(`${demo.address}/#/A/${view}`);
        tell(`received in ${view}`, [(await received(first.page)) / 1_000], "kB/s");
      }
      await first.page.context().close();
      const alone = await beside(demo, pid, SECONDS);
      // Who looks on does so from another machine: here their browser gets what the match leaves.
      setPriority(19);
      const lookers = await launch();
      const open = await Promise.all(Array.from({ length: PAGES }, () => watched(lookers, demo.address)));
      for (const { page } of open) {
        await page.goto(`${demo.address}/#/A/overview`);
        await page.locator("[data-fact=turn]").waitFor();
      }
      const watching = await beside(demo, pid, SECONDS);
      await lookers.close();
      tell("processor without a page", [alone.share * 100], "%");
      tell(`processor with ${PAGES} pages`, [watching.share * 100], "%");
      tell("processor for a viewer", [((watching.share - alone.share) / PAGES) * 100], "%");
      tell("mean answer without a page", [alone.answer * 1_000], "ms");
      tell(`mean answer with ${PAGES} pages`, [watching.answer * 1_000], "ms");
    } finally {
      await demo.end();
    }
  });
});

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

/** The processor's share of a process, and its mean answer time in seconds, over a while. */
async function beside(demo: Demo, pid: number, seconds: number): Promise<{ share: number; answer: number }> {
  const [ticks, sums] = [cpu(pid), await answers(demo)];
  await pause(seconds);
  const [later, after] = [cpu(pid), await answers(demo)];
  // A tick of the kernel's clock is a hundredth of a second.
  return { share: (later - ticks) / 100 / seconds, answer: (after.sum - sums.sum) / Math.max(1, after.count - sums.count) };
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
function tell(what: string, values: readonly number[], unit: string): void {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2);
  const text = values.length === 1 ? at(0) : `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`;
  process.stdout.write(`${what}: ${text} ${unit}\n`);
}
