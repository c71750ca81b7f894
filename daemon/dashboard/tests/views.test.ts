/** Each view against a running demo of each game. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch, text, watched, type Watched } from "./browser";
import { built, Demo, GAMES, ROOT, until, type Game } from "./stage";

/** Words that the map of each game must say of the bodies on it. */
const BODIES: Readonly<Record<Game, RegExp>> = {
  assemble: /agentA\d+ · (worker|scout) · ours · energy \d+/,
  mars: /agentA\d+ · \w+ · ours · health \d+\/\d+ energy \d+\/\d+/,
  bomberland: /· ours · hp \d+ bombs \d+/,
  asimulator: / · ours · facing (north|east|south|west)/,
  colosseum: /· ours · of .* health [\d.]+ food/,
};
/** What the place under the pointer is called. */
const PLACES: Readonly<Partial<Record<Game, RegExp>>> = {
  assemble: /^-?\d+, -?\d+$/,
  bomberland: /^-?\d+, -?\d+$/,
  asimulator: /^-?\d+, -?\d+$/,
  colosseum: /^-?[\d.]+, -?[\d.]+$/,
};

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
});

describe.skipIf(!built()).each(GAMES)("a demo of %s", (game) => {
  let demo: Demo;
  let it: Watched;
  let agents: string[];
  beforeAll(async () => {
    demo = await Demo.play(game);
    it = await watched(browser, demo.address);
    await it.page.goto(`${demo.address}/`);
    await it.page.locator('.link[data-link="live"]').waitFor();
    agents = await demo.agents("A");
  });
  afterAll(async () => {
    await it.page.context().close();
    await demo.end();
  });
  const show = (view: string): Promise<unknown> => it.page.goto(`${demo.address}/#/A/${view}`);
  const said = (selector: string): Promise<string> => text(it.page, selector);

  test("the match comes up by itself: map, scores, every agent, events and turns that advance", async () => {
    await it.page.waitForURL(/#\/A\/match$/);
    await until(async () => (await it.page.locator(".match .map-canvas").getAttribute("data-paint-ms")) !== null);
    const turn = await said('[data-fact="turn"]');
    await until(async () => (await said('[data-fact="turn"]')) !== turn);
    expect(await it.page.locator(".scoreboard li").count()).toBe(game === "asimulator" ? 1 : 2);
    await until(async () => (await it.page.locator("[data-roster]").count()) === agents.length);
    await until(async () => /[1-9]\d* answers (of|in) the last [1-9]\d* turns/.test(await said(".pulse-text")));
    if (game === "assemble" || game === "mars") {
      const chart = it.page.locator(".score-card .chart-frame");
      await until(async () => /Score over \d+ turns: A from -?\d+ to -?\d+, B from/.test((await chart.getAttribute("aria-label")) ?? ""));
    }
    await it.page.locator("[data-roster] button").first().click();
    await until(async () => (await said("[data-chosen-agent]")).includes(agents[0] ?? ""));
    // The map marks its unit, whatever the referee calls it.
    await it.page.locator(".match .map-side .words li[data-chosen]").first().waitFor({ state: "attached" });
    await it.page.locator("[data-roster] button").first().click();
    await it.page.locator("[data-chosen-agent]").waitFor({ state: "detached" });
  });

  test("the punctuality view counts turns, answers and seats", async () => {
    await show("punctuality");
    const strip = it.page.locator(".heat-strip");
    await until(async () => /Last [1-9]\d* turns of [1-9]\d* agents: .*decided/.test((await strip.getAttribute("aria-label")) ?? ""));
    expect(await it.page.locator("tr[data-team]").count()).toBe(game === "asimulator" ? 1 : 2);
    expect(await it.page.locator(".seat").count()).toBe(agents.length);
    await until(async () => /^[1-9][\d,]*$/.test(await said('tr[data-team="A"] td:nth-of-type(7)')));
  });

  test("the map is painted, describes units and the cell under the pointer, and goes back in time", async () => {
    await show("map");
    const canvas = it.page.locator(".map-canvas");
    await until(async () => (await canvas.getAttribute("data-paint-ms")) !== null);
    await it.page.locator(".map-words").evaluate((box) => { box.setAttribute("open", ""); });
    await until(async () => BODIES[game].test(await said(".map-side .words")));
    expect(await colours(it)).toBeGreaterThan(4);
    const place = PLACES[game];
    if (place !== undefined) {
      await canvas.hover();
      await until(async () => place.test(await said(".map-hint strong")));
    }
    const slider = it.page.getByLabel("Turn that is shown");
    await until(async () => Number(await slider.getAttribute("max")) >= 3);
    const now = await said(".scrubber output");
    await slider.press("Home");
    await until(async () => (await said(".scrubber output")) !== now);
    const then = await said(".scrubber output");
    await until(async () => Number(await slider.getAttribute("max")) >= 5);
    expect(await said(".scrubber output")).toBe(then);
    await it.page.getByRole("button", { name: "Live" }).click();
    await until(async () => (await said(".scrubber output")) !== then);
  });

  test("an agent says why it did what it did, and what it sees", async () => {
    await show("agents");
    await until(async () => (await it.page.locator("[data-agent-row]").count()) === agents.length);
    await it.page.locator("[data-agent-row] button").first().click();
    await until(async () => /Turn \d+:\d+/.test(await said("[data-why-turn]")));
    await until(async () => /\w/.test(await said(".why-event strong.mono")));
    await it.page.getByRole("tab", { name: "Percept" }).click();
    await until(async () => (await said("pre.tall")).length > 10);
  });

  test("the board shows entries, and the events report each write", async () => {
    await demo.phalanx("board", "set", "A", `test/${game}`, '{"seen": [1, 2]}');
    await show("board");
    // A world of Asimulator is over in a blink, and its board with it.
    if (game !== "asimulator") await until(async () => (await said(`[data-key="test/${game}"]`)).includes('{"seen":[1,2]}'));
    await show("events");
    await until(async () => (await said(".lines")).includes(`"test/${game}" = `));
  });

  test("the strategy's files are those that play, with their source", async () => {
    const folder = join(ROOT, "scripts", game);
    const roles = readdirSync(folder).filter((name) => name.endsWith(".luau"));
    await show("strategy");
    for (const name of roles) await it.page.getByRole("button", { name, exact: true }).waitFor();
    const [first = ""] = roles;
    await it.page.getByRole("button", { name: first, exact: true }).click();
    const line = readFileSync(join(folder, first), "utf8").split("\n").find((known) => known.trim() !== "") ?? "";
    await until(async () => (await said(".code .cm-content")).includes(line.trim()));
    await until(async () => (await said("[data-generation]")) === "1");
  });

  test("the timeline shows where each agent's time went, and leads to its turn", async () => {
    await show("timeline");
    const chart = it.page.locator(".timeline .chart-frame");
    await until(async () => Number(/last (\d+) turns/.exec((await chart.getAttribute("aria-label")) ?? "")?.[1]) >= 3);
    await until(async () => (await it.page.locator(".waterfall tr").count()) >= 1);
    expect(await said(".waterfall caption")).toMatch(/^<?[\d.]+ ms, of which <?[\d.]+ ms for the team's plan/);
    const plot = chart.locator(".u-over");
    await plot.hover();
    // The newest turn: with quick turns, the page may have dropped the oldest one already.
    const box = await plot.boundingBox();
    await plot.click({ position: { x: (box?.width ?? 10) - 4, y: 20 } });
    await it.page.waitForURL(/#\/A\/timeline\/%40\d+%3A\d+/);
    // The page drops a turn of this game before a person could click it.
    if (game === "asimulator") return;
    await it.page.locator(".waterfall .as-link").first().click();
    await it.page.waitForURL(/#\/A\/agents\/[^/]+%40\d+%3A\d+/);
  });

  test("the policy refused nothing, and no other host was contacted", () => {
    expect(it.complaints).toEqual([]);
    expect(it.strangers).toEqual([]);
  });
});

/** How many colours the map has. */
function colours({ page }: Watched): Promise<number> {
  return page.locator(".map-canvas").evaluate((it) => {
    const canvas = it as HTMLCanvasElement;
    const found = new Set<number>();
    const data = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    for (let at = 0; at < data.length; at += 4 * 7) found.add(((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0));
    return found.size;
  });
}
