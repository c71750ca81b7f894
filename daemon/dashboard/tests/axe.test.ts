/** Accessibility of every view, dark on a desktop and light on a phone: axe finds nothing, and nothing sticks out. */
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VIEWS } from "../src/state/place";
import { faults, launch, overhang, text, watched } from "./browser";
import { built, Daemon, Demo, GAMES, ROOT, until } from "./stage";

const [DESKTOP, PHONE] = [{ width: 1440, height: 900 }, { width: 390, height: 844 }];
const LOOKS = [
  { colorScheme: "dark", viewport: DESKTOP },
  { colorScheme: "light", viewport: PHONE },
] as const;

/** Fails with the faults of what is shown now. */
async function clean(page: Page, what: string): Promise<void> {
  expect(await faults(page), what).toEqual([]);
  expect(await overhang(page), `${what}: nothing sticks out`).toBe(0);
}

describe.skipIf(!built())("axe finds nothing", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
  });

  describe("on a daemon with tokens, recordings and a league", () => {
    let daemon: Daemon;
    let token: string;
    beforeAll(async () => {
      daemon = await Daemon.start("none");
      await daemon.play();
      token = (await daemon.phalanx("token", "create", "axe", "--role", "operator")).trim();
      const shipped = join(ROOT, "scripts/assemble");
      await daemon.phalanx("league", "create", "--name", "night", "--game", "assemble", "--strategy", `mine=${shipped}`, "--strategy", "idle", "--seeds", "1..1", "--steps", "20");
      // What is played is on the disk after a second.
      await until(async () => {
        const { turn } = JSON.parse(await daemon.phalanx("team", "show", "A", "--output", "json")) as { turn?: { step?: number } };
        return (turn?.step ?? 0) >= 20;
      });
    });
    afterAll(async () => {
      await daemon.end();
    });

    test.each(LOOKS)("$colorScheme, $viewport.width wide", async ({ colorScheme, viewport }) => {
      const { page } = await watched(browser, daemon.address, { colorScheme, viewport, bypassCSP: true });
      const show = (place: string): Promise<unknown> => page.goto(`${daemon.address}/#/A/${place}`);
      await show("match");
      await page.locator('input[type="password"]').waitFor();
      await clean(page, "the dialog that asks for a token");
      await page.locator('input[type="password"]').fill(token);
      await page.getByRole("button", { name: "Enter" }).click();
      for (const view of VIEWS) {
        await show(view);
        await page.locator("main .card, main .map-side").filter({ visible: true }).first().waitFor();
        await clean(page, view);
      }
      await show("agents/agentA1");
      for (const name of ["Why", "Percept", "Memory", "Console"]) {
        await page.getByRole("tab", { name }).click();
        await clean(page, `an agent: ${name}`);
      }
      await show("match/agentA1");
      await page.locator("[data-chosen-agent=agentA1]").waitFor();
      await clean(page, "a match with a chosen agent");
      await show("map/agentA1");
      await page.locator(".map-inspector").waitFor();
      await clean(page, "the inspector");
      await show("strategy");
      await until(async () => (await text(page, ".code .cm-content")).length > 20);
      for (const name of ["Reasons", "Reference", "Parameters", "Versions", "Leagues"]) {
        await page.getByRole("tab", { name }).click();
        if (name === "Leagues") await page.locator('[data-league="night"]').waitFor();
        await clean(page, `the desk: ${name}`);
      }
      await show("recordings");
      await page.locator('[data-recording^="A-"] button').first().click();
      await until(async () => /^[1-9]\d* turns/.test(await text(page, ".player > .card [role=status]")));
      await page.locator("[data-decision]").first().waitFor();
      await clean(page, "a recorded match");
      await page.locator('[data-recording^="B-"]').getByRole("button", { name: "Compare" }).click();
      await until(async () => (await text(page, ".compared [role=status]")) === "Both are loaded.");
      await clean(page, "two recordings compared");
      await page.context().close();
    });
  });

  describe.each(GAMES)("in a demo of %s", (game) => {
    let demo: Demo;
    beforeAll(async () => {
      demo = await Demo.play(game);
    });
    afterAll(async () => {
      await demo.end();
    });

    test.each(LOOKS)("$colorScheme, $viewport.width wide", async ({ colorScheme, viewport }) => {
      const { page } = await watched(browser, demo.address, { colorScheme, viewport, bypassCSP: true });
      for (const view of ["match", "map", "agents"]) {
        await page.goto(`${demo.address}/#/A/${view}`);
        if (view === "agents") await page.locator("[data-agent-row] button").first().click();
        else await page.locator(".map-canvas[data-paint-ms]").waitFor();
        await clean(page, view);
      }
      await page.context().close();
    });
  });
});
