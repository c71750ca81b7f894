/** A daemon that wants a token, and one that goes away. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch, text, watched } from "./browser";
import { built, Daemon, until } from "./stage";

describe.skipIf(!built())("a daemon that wants a token, and one that goes away", () => {
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

  test("without a token nothing is shown; a viewer looks and steers nothing; a stopped daemon shows, and heals", async () => {
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
    await page.getByText("Steering takes an operator's token.").waitFor();
    expect(await page.getByRole("button", { name: "Pause" }).isDisabled()).toBe(true);
    await page.goto(`${daemon.address}/#/A/strategy`);
    await until(async () => (await text(page, ".code .cm-content")).length > 20);
    expect(await page.getByRole("button", { name: "Activate" }).isDisabled()).toBe(true);
    await daemon.fall();
    await page.locator('.link[data-link="lost"]').waitFor();
    await daemon.rise();
    await daemon.play();
    await page.locator('.link[data-link="live"]').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
