/** Makes the pictures of the documentation: each view for each game, and the match view in all shapes and colours, from running matches. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch, text, watched } from "./browser";
import { built, Daemon, Demo, GAMES, until } from "./stage";

const FOLDER = join(import.meta.dirname, "../docs");
/** Where the pictures also go as they were taken, for a closer look. */
const WHOLE = process.env["PICTURES_WHOLE"];
const VIEWS = ["match", "map", "agents", "board", "strategy", "timeline", "events", "punctuality"] as const;
/** Turns that are played before the first picture. */
const TURNS = 40;
/** Width of a picture in pixels, and how much of its detail is kept. */
const [WIDTH, QUALITY] = [960, 0.72];
/** Windows in which the match view is looked at. */
const SHAPES = { desktop: { width: 1440, height: 900 }, projector: { width: 1920, height: 1080 }, phone: { width: 390, height: 844 } } as const;
/** The one that is too large to be checked in; it is only taken where pictures also go whole. */
const LARGE = "projector";

describe.skipIf(!built())("pictures", () => {
  let browser: Browser;
  let studio: Page;
  let bytes = 0;
  beforeAll(async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER);
    browser = await launch();
    studio = await browser.newPage();
  });
  afterAll(async () => {
    await browser.close();
  });

  /** Takes a picture of the page and keeps it small. */
  async function take(page: Page, name: string, width = WIDTH): Promise<void> {
    // A phone shows the view one screen after the other.
    const whole = await page.screenshot({ fullPage: width < WIDTH });
    if (WHOLE !== undefined) writeFileSync(join(WHOLE, `${name}.png`), whole);
    if (name.includes(LARGE)) return;
    const small = await studio.evaluate(
      async ([source, width, quality]) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const canvas = document.createElement("canvas");
        canvas.width = width;
        canvas.height = Math.round((image.height * width) / image.width);
        const pen = canvas.getContext("2d");
        if (pen === null) throw new Error("no pen");
        pen.imageSmoothingQuality = "high";
        pen.drawImage(image, 0, 0, canvas.width, canvas.height);
        return canvas.toDataURL("image/webp", quality);
      },
      [`data:image/png;base64,${whole.toString("base64")}`, width, QUALITY] as const,
    );
    const kept = Buffer.from(small.slice(small.indexOf(",") + 1), "base64");
    bytes += kept.length;
    writeFileSync(join(FOLDER, `${name}.webp`), kept);
  }

  test.each(GAMES)("of %s", async (game) => {
    const demo = await Demo.play(game);
    // Half of them are light.
    const { page } = await watched(browser, demo.address, { colorScheme: GAMES.indexOf(game) % 2 === 0 ? "dark" : "light" });
    try {
      await page.goto(`${demo.address}/#/A/punctuality`);
      await until(async () => Number(/Last (\d+) turns/.exec((await page.locator(".heat-strip").getAttribute("aria-label")) ?? "")?.[1]) >= TURNS);
      const [agent = ""] = await demo.agents("A");
      const ready: Readonly<Record<(typeof VIEWS)[number], () => Promise<boolean>>> = {
        match: async () => Number(await page.getByLabel("Turn that is shown").getAttribute("max")) >= 6,
        map: async () => Number(await page.getByLabel("Turn that is shown").getAttribute("max")) >= 6,
        agents: async () => /\w/.test(await text(page, ".why-event strong.mono")),
        board: async () => (await page.locator(".board table").count()) > 0,
        strategy: async () => (await text(page, ".code .cm-content")).length > 50,
        timeline: async () => (await page.locator(".waterfall tr").count()) > 0,
        events: async () => (await text(page, ".lines")) !== "",
        punctuality: async () => (await page.locator(".bars tr").count()) > 0,
      };
      for (const view of VIEWS) {
        await page.goto(`${demo.address}/#/A/${view}${view === "agents" ? `/${agent}` : ""}`);
        await until(ready[view]);
        await page.locator(".facts").waitFor();
        await take(page, `${game}-${view}`);
      }
      await page.goto(`${demo.address}/#/A/match`);
      await until(ready.match);
      for (const colours of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme: colours });
        for (const [shape, size] of Object.entries(SHAPES)) {
          if (shape === LARGE && WHOLE === undefined) continue;
          await page.setViewportSize(size);
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
          await take(page, `${game}-match-${colours}-${shape}`, Math.min(size.width, WIDTH));
        }
      }
    } finally {
      await page.context().close();
      await demo.end();
    }
  });

  test("of a recording", async () => {
    const daemon = await Daemon.start("admin");
    try {
      await daemon.play();
      const { page } = await watched(browser, daemon.address);
      await page.goto(`${daemon.address}/#/A/punctuality`);
      await until(async () => Number(/Last (\d+) turns/.exec((await page.locator(".heat-strip").getAttribute("aria-label")) ?? "")?.[1]) >= TURNS + 30);
      await page.goto(`${daemon.address}/#/A/recordings`);
      await page.locator('[data-recording^="A-"] button').first().click();
      await until(async () => /^[1-9]\d* turns/.test(await text(page, ".player [role=status]")));
      await page.getByLabel("Turn of the recording").press("End");
      await page.getByLabel("Turn of the recording").press("ArrowLeft");
      await until(async () => (await page.locator("[data-decision]").count()) === 15);
      await take(page, "assemble-recordings");
      await page.locator('[data-recording^="B-"]').getByRole("button", { name: "Compare" }).click();
      await until(async () => (await text(page, ".compared [role=status]")) === "Both are loaded.");
      await take(page, "assemble-recordings-compared");
    } finally {
      await daemon.end();
    }
  });

  test("are small enough to be checked in", () => {
    expect(bytes).toBeLessThan(2_500_000);
  });
});
