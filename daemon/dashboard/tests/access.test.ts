/** A daemon that requires a token, and one that goes away. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { close, launch, text, watched } from "./browser";
import { built, Daemon, until } from "./stage";

describe.skipIf(!built())("a daemon that requires a token, and one that goes away", () => {
  let browser: Browser;
  let daemon: Daemon;
  beforeAll(async () => {
    browser = await launch();
    daemon = await Daemon.start("none");
    await daemon.play();
  });
  afterAll(async () => {
    await browser.close();
    await daemon.end();
  });

  test("without a token the page shows nothing; a viewer cannot steer; a stopped daemon shows as a lost connection that recovers", async () => {
    const { page, complaints } = await watched(browser, daemon.address);
    await page.goto(`${daemon.address}/#/A/agents/agentA1`);
    const field = page.locator('input[type="password"]');
    await field.fill("wrong");
    await page.getByRole("button", { name: "Enter" }).click();
    await until(async () => (await page.getByRole("dialog").innerText()).includes("token"));
    expect(await page.locator("[data-agent-row]").count()).toBe(0);
    const token = (await daemon.phalanx("token", "create", "page", "--role", "viewer")).trim();
    await field.fill(token);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.locator("[data-agent-row]").first().waitFor();
    await page.getByText("Enter an operator's token to steer agents.").waitFor();
    expect(await page.getByRole("button", { name: "Pause" }).isDisabled()).toBe(true);
    await page.goto(`${daemon.address}/#/A/strategy`);
    await until(async () => (await text(page, ".code .cm-content")).length > 20);
    expect(await page.getByRole("button", { name: "Activate" }).isDisabled()).toBe(true);
    // Its recording is written once a second: what is played next is on the disk in any case.
    await until(async () => {
      const { turn } = JSON.parse(await daemon.phalanx("team", "show", "A", "--output", "json")) as { turn?: { step?: number } };
      return (turn?.step ?? 0) >= 20;
    });
    await daemon.fall();
    await page.locator('.link[data-link="lost"]').waitFor();
    await daemon.rise();
    await daemon.play();
    await page.locator('.link[data-link="live"]').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("recordings are listed, played to any turn with map and reasons, and compared", async () => {
    const token = (await daemon.phalanx("token", "create", "films", "--role", "viewer")).trim();
    const it = await watched(browser, daemon.address);
    const said = (selector: string): Promise<string> => text(it.page, selector);
    await it.page.goto(`${daemon.address}/#/A/recordings`);
    await it.page.locator('input[type="password"]').fill(token);
    await it.page.getByRole("button", { name: "Enter" }).click();
    const rows = it.page.locator('[data-recording^="A-assemble"]');
    await until(async () => {
      await it.page.getByRole("button", { name: "Reload" }).click();
      // One ended with the daemon that was killed, the other is being written.
      return (await rows.count()) >= 2;
    });
    await rows.last().locator("button").first().click();
    await until(async () => /^[1-9]\d* turns/.test(await said(".player > .card [role=status]")));
    const slider = it.page.getByLabel("Turn of the recording");
    // The last turn was cut off; the one before it is whole.
    await slider.press("End");
    await slider.press("ArrowLeft");
    await it.page.waitForURL(/#\/A\/recordings\/A-assemble[^/]*%40\d+%3A\d+/);
    expect(await said(".scrubber output")).not.toBe("0:0");
    await until(async () => (await it.page.locator("[data-decision]").count()) === 15);
    expect(await said('[data-decision="agentA1"] .mono')).toMatch(/\w+\(/);
    // The view is that of a running match: scores, race, agents with reasons, and what each team believed.
    await until(async () => (await it.page.locator("[data-roster]").count()) === 15);
    await until(async () => /^Score over \d+ turns: A from .*, B from/.test((await it.page.locator(".score-card .chart-frame").getAttribute("aria-label")) ?? ""));
    expect(await it.page.locator(".scoreboard li").count()).toBe(2);
    const units = (): Promise<string> => it.page.locator(".map-side .words").first().evaluate((list) => list.textContent);
    await until(async () => /agentA\d+ · worker · ours/.test(await units()));
    await it.page.locator('[data-layer="B"]').click();
    await until(async () => /agentB\d+ · worker · theirs/.test(await units()));
    await it.page.locator('[data-layer="A"]').click();
    await it.page.locator("[data-roster=agentA1] button").first().click();
    await it.page.locator("[data-chosen-agent=agentA1]").waitFor();
    expect(await it.page.locator('[data-decision="agentA1"]').getAttribute("data-chosen")).toBe("");
    await slider.press("Home");
    const first = await said(".scrubber output");
    const pages = (): Promise<number> => it.page.evaluate(() => history.length);
    const before = await pages();
    await it.page.getByRole("button", { name: "Play" }).click();
    await until(async () => (await said(".scrubber output")) !== first);
    await it.page.getByRole("button", { name: "Stop" }).click();
    const [round = "", step = ""] = (await said(".scrubber output")).split(":");
    await it.page.waitForURL(new RegExp(`%40${round}%3A${step}$`));
    expect(await pages()).toBe(before);
    await rows.first().getByRole("button", { name: "Compare" }).click();
    await until(async () => (await said(".compared [role=status]")) === "Both are loaded.");
    expect(Number(await said('[data-figure="decided"] td'))).toBeGreaterThan(14);
    expect(await said("[data-differences]")).toMatch(/\d+ of [1-9]\d* decisions/);
    await close(it);
  });
});
