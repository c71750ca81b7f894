/** The match view: scores, layers, the team's work, the roster, and the strip that says what is wrong. */
import { describe, expect, test } from "vitest";
import { EventSeverity, EventTopic, Matches } from "../src/gen/phalanx/v1/matches_pb";
import { faults, overhang, text } from "./browser";
import { LONG, match } from "./contest";
import { opened } from "./opened";
import { until } from "./stage";

describe("the match view", () => {
  const stand = opened(match);
  const show = (place: string): Promise<unknown> => stand.show(place);
  const said = (selector: string): Promise<string> => text(stand.page, selector);
  const units = (): Promise<string> => stand.page.locator(".map-side .words").first().evaluate((list) => list.textContent);
  const pressed = (name: string): Promise<string | null> => stand.page.locator(`[data-layer="${name}"]`).getAttribute("aria-pressed");

  test("both scores, the clock of the arena, and the race of both with who took the lead", async () => {
    await show("A/match");
    await until(async () => (await said(".scoreboard")).replaceAll(/\s+/g, " ").includes("1,200"));
    await until(async () => /^Step \d+\s*of 400$/.test((await said(".clock")).trim()));
    const race = stand.page.locator(".score-card .chart-frame");
    await until(async () => (await race.getAttribute("aria-label")) === "Score over 4 turns: A from 0 to 30, B from 0 to 1200");
    await until(async () => (await said(".newest")).includes("B takes the lead"));
  });

  test("the switch shows what each team believes, and the truth with what is believed wrongly", async () => {
    await show("A/match");
    await until(async () => (await units()).includes("b1"));
    expect(await pressed("A")).toBe("true");
    await stand.page.locator('[data-layer="truth"]').click();
    // A sees the enemy and the obstacle where they are not: three cells, for a wall has an old and a new one.
    await until(async () => (await said(".differences")) === "Differences 3");
    expect(await pressed("truth")).toBe("true");
    expect(await pressed("A")).toBe("false");
    await stand.page.locator('[data-layer="B"]').click();
    await until(async () => (await units()).includes("b1 · worker"));
    expect(await pressed("B")).toBe("true");
    // B's own unit has the colour of the page's rival.
    await until(async () => (await units()).includes("b1 · worker · theirs"));
    await stand.page.locator(".differences").click();
    await until(async () => (await said(".differences")) === "Differences 0");
    await until(async () => (await stand.page.locator("[data-roster]").count()) === 2);
  });

  test("a row of the team's work selects its agent or its place on the map", async () => {
    await show("A/match");
    await stand.page.locator('[data-table="orders"] tbody tr').first().click();
    await stand.page.waitForURL(/#\/A\/match\/a1$/);
    await stand.page.locator("[data-chosen-agent=a1]").waitFor();
    const second = stand.page.locator('[data-table="orders"] tbody tr').nth(1);
    await second.click();
    await until(async () => (await second.getAttribute("data-chosen")) !== null);
    await stand.page.locator(".map-inspector").getByText("2, 2").first().waitFor();
    await second.click();
    await until(async () => (await second.getAttribute("data-chosen")) === null);
    expect(await stand.page.locator('[data-table="orders"] tbody tr').nth(2).getAttribute("data-pick")).toBe(null);
  });

  test("the roster has number, role, job, load, health and reason; a click selects, and a tab shows the rival", async () => {
    await show("A/match");
    await until(async () => (await said("[data-roster=a1]")).includes("carries ore home"));
    const row = await said("[data-roster=a1]");
    for (const part of ["a1", "worker", "a1 is on its way", "ore 0b9cf3a1", "health 20 %"]) expect(row).toContain(part);
    expect(row).not.toContain(LONG);
    await stand.page.locator("[data-roster=a1] button").first().click();
    await stand.page.waitForURL(/#\/A\/match\/a1$/);
    await until(async () => (await said("[data-chosen-agent]")).includes("move(n)"));
    await stand.page.locator('[data-roster-of="B"]').click();
    await until(async () => (await stand.page.locator("[data-roster]").count()) === 2);
    expect(await pressed("B")).toBe("true");
  });

  test("the strip is one line while all is well, and grows and says what when something is wrong", async () => {
    await show("A/match");
    await stand.page.locator(".link[data-link=live]").waitFor();
    const strip = stand.page.locator(".pulse");
    expect(await strip.getAttribute("data-bad")).toBe(null);
    const before = (await strip.boundingBox())?.height ?? 0;
    const event = (cursor: string, kind: object): object => ({ event: { cursor, turn: { round: 0, step: 4 }, agent: "a1", ...kind } });
    stand.canned.send(Matches.method.watchMatch, event("1.7", { kind: { case: "fallback", value: { reason: "the script looped" } } }), "teams/A");
    await stand.page.locator("[data-trouble=fallback]").waitFor();
    expect(await said(".troubles")).toContain("the script looped");
    expect(await said(".pulse-text")).toBe("1 fallback among 1 answer in the last 5 turns");
    expect((await strip.boundingBox())?.height ?? 0).toBeGreaterThan(before * 1.5);
    stand.canned.send(Matches.method.watchMatch, { event: { cursor: "1.8", turn: { round: 0, step: 4 }, severity: EventSeverity.ERROR, topic: EventTopic.TROUBLE, text: "plan: no such key", kind: { case: "scriptError", value: {} } } }, "teams/A");
    await stand.page.locator('[data-trouble="script error"]').waitFor();
    stand.canned.send(Matches.method.watchMatch, { event: { cursor: "1.9", turn: { round: 0, step: 4 }, agent: "a1", text: "late: too slow", kind: { case: "late", value: {} } } }, "teams/A");
    await stand.page.locator("[data-trouble=late]").waitFor();
    stand.canned.close();
    await stand.page.locator("[data-trouble=connection]").waitFor();
    await until(async () => (await said(".troubles")).includes("The page keeps trying"));
  });

  test("it fits a phone and a projector", async () => {
    const sizes = [[390, 844], [1440, 900], [1920, 1080]] as const;
    for (const [width, height] of sizes) {
      await stand.page.setViewportSize({ width, height });
      await show("A/match/a1");
      await stand.page.locator("[data-table]").waitFor();
      await until(async () => (await units()).includes("b1"));
      expect(await overhang(stand.page), `${width} wide`).toBe(0);
      const header = await stand.page.locator(".top").boundingBox();
      expect(header?.height ?? 0, "the header is one line").toBeLessThan(60);
    }
  });
});

describe("the match view for those who do not see it", () => {
  const stand = opened(match, { bypassCSP: true });

  test("axe finds nothing", async () => {
    await stand.show("A/match/a1");
    await stand.page.locator("[data-table]").waitFor();
    await stand.page.locator('[data-layer="truth"]').click();
    await until(async () => /^Differences [1-9]/.test(await text(stand.page, ".differences")));
    expect(await faults(stand.page)).toEqual([]);
  });
});
