/** Actions on the page change the match. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { close, launch, text, watched, type Watched } from "./browser";
import { built, Demo, until } from "./stage";

describe.skipIf(!built())("a match that is steered from the page", () => {
  let browser: Browser;
  let demo: Demo;
  beforeAll(async () => {
    browser = await launch();
    demo = await Demo.play("assemble");
  });
  afterAll(async () => {
    await browser.close();
    await demo.end();
  });

  async function open(view: string, options = {}): Promise<Watched> {
    const it = await watched(browser, demo.address, options);
    await it.page.goto(`${demo.address}/#/A/${view}`);
    await it.page.locator('.link[data-link="live"]').waitFor();
    return it;
  }

  test("an agent is paused, driven with the arrow keys, handed back, and asked in the console", async () => {
    const it = await open("agents/agentA3");
    const said = (selector: string): Promise<string> => text(it.page, selector);
    const steering = async (): Promise<string> => demo.phalanx("agent", "show", "A/agentA3", "--output", "json");
    await it.page.getByRole("button", { name: "Pause" }).click();
    await until(async () => (await steering()).includes("paused"));
    await it.page.getByRole("button", { name: "Hand back" }).click();
    await it.page.getByRole("button", { name: "Drive" }).click();
    await it.page.locator(".drive").press("ArrowUp");
    await until(async () => (await said('[data-agent-row="agentA3"]')).includes("move(n)"));
    await it.page.getByRole("button", { name: "Hand back" }).click();
    await until(async () => !(await steering()).includes("piloted"));
    await it.page.getByText("Role and pinned order").click();
    await it.page.getByLabel("Order").fill("skip()");
    await it.page.getByRole("button", { name: "Pin", exact: true }).click();
    await until(async () => (await steering()).includes("pinned"));
    await it.page.getByRole("button", { name: "Hand back" }).click();
    await it.page.getByRole("tab", { name: "Console" }).click();
    await it.page.getByLabel("Script").fill("me.name .. 1 + 1");
    await it.page.getByRole("button", { name: "Run" }).click();
    await until(async () => (await said(".console")).includes("agentA32"));
    await close(it);
  });

  test("the page writes board entries and deletes them", async () => {
    const it = await open("board");
    await it.page.getByText("Write a new entry").click();
    await it.page.getByLabel("Key", { exact: true }).fill("page/test");
    await it.page.getByLabel("Value, as JSON or text").fill('{"x": 3}');
    await it.page.locator("form").getByRole("button", { name: "Write" }).click();
    await until(async () => (await text(it.page, '[data-key="page/test"]')).includes('{"x":3}'));
    expect(await demo.phalanx("board", "get", "A", "page/test", "--output", "json")).toContain('"x"');
    await it.page.locator('[data-key="page/test"]').getByRole("button").first().click();
    await it.page.getByRole("button", { name: "Delete" }).click();
    await until(async () => (await it.page.locator('[data-key="page/test"]').count()) === 0);
    await close(it);
  });

  test("a mistake is refused with its line; a change plays, can be compared, and is rolled back", async () => {
    const it = await open("strategy");
    const said = (selector: string): Promise<string> => text(it.page, selector);
    const source = it.page.locator(".code .cm-content");
    await it.page.getByRole("button", { name: "worker.luau", exact: true }).click();
    await source.click();
    await it.page.keyboard.press("Control+Home");
    await it.page.keyboard.type("local = 3\n");
    await it.page.getByRole("button", { name: "Check" }).click();
    await until(async () => /The trial failed[\s\S]*worker\.luau:1/.test(await said(".report")));
    await it.page.getByRole("button", { name: "Throw changes away" }).click();
    await source.click();
    await it.page.keyboard.press("Control+Home");
    await it.page.keyboard.type("-- from the page\n");
    await it.page.getByRole("button", { name: "Activate" }).click();
    await until(async () => (await said("[data-generation]")) === "2");
    await it.page.getByRole("tab", { name: "Versions" }).click();
    await it.page.getByRole("button", { name: "Compare" }).click();
    await until(async () => (await it.page.locator('[role="dialog"] .cm-content').innerText()).includes("-- from the page"));
    await it.page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await it.page.getByRole("button", { name: "Roll back" }).click();
    await until(async () => (await said("[data-generation]")) !== "2");
    expect(await demo.phalanx("strategy", "show", "A", "--output", "json")).not.toContain("-- from the page");
    await close(it);
  });

  test("the editor's suggestions come from the game's signatures", async () => {
    const it = await open("strategy");
    const source = it.page.locator(".code .cm-content");
    await until(async () => (await source.innerText()).length > 20);
    await source.click();
    await it.page.keyboard.press("Control+Home");
    await it.page.keyboard.type("act.");
    await until(async () => (await it.page.locator(".cm-tooltip-autocomplete").innerText()).includes("rotate"));
    await close(it);
  });
});
