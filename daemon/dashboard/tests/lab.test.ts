/** The lab: ladders, tune runs and leagues, each choice and each filter. */
import { describe, expect, test } from "vitest";
import { Lab } from "../src/gen/phalanx/v1/lab_pb";
import { Leagues } from "../src/gen/phalanx/v1/league_pb";
import { Recordings } from "../src/gen/phalanx/v1/recordings_pb";
import { faults, overhang, text } from "./browser";
import { AWAY, laboratory, league, match, PROVED, REPORTED, STRATEGIES } from "./labs";
import { opened } from "./opened";
import { until } from "./stage";

describe("the lab", () => {
  const stand = opened(laboratory);
  const item = (choice: string): Promise<void> => stand.page.locator(`[data-item="${choice}"]`).click();
  const rows = (): Promise<string[]> => stand.page.locator("[data-strategy]").evaluateAll((all) => all.map((one) => one.getAttribute("data-strategy") ?? ""));
  const open = async (place = "lab"): Promise<void> => {
    await stand.show(`/${place}`);
    await stand.page.locator("[data-item]").first().waitFor();
  };

  test("it opens without a team, on what is played, and the list says how far everything is", async () => {
    await open();
    await stand.page.getByRole("heading", { name: "Ladder club" }).waitFor();
    const list = await text(stand.page, ".lab-list");
    expect(list).toMatch(/club\s*playing\s*assemble, 800 matches/);
    expect(list).toMatch(/mine-win\s*playing\s*bomberland, 1,312 of 2,000 matches/);
    expect(list).toMatch(/night\s*playing\s*assemble, 120 of 200 matches/);
    await item("tune:mine-win");
    await stand.page.waitForURL(/lab\/tune%3Amine-win$/);
    await item("league:night");
    await stand.page.waitForURL(/lab\/league%3Anight$/);
    await stand.page.goBack();
    await stand.page.getByRole("heading", { name: "Tune run mine-win" }).waitFor();
  });

  test("a server that is away is named with its reason, and its ladder stays", async () => {
    stand.canned.answer(Lab.method.listLadders, AWAY);
    await open("lab/ladder%3Akv%3Aclub");
    await stand.page.getByRole("heading", { name: "Ladder kv:club" }).waitFor();
    expect(await text(stand.page, "[data-server]")).toBe("The ladders of nats://lab1:4222 cannot be read: nats://lab1:4222: no nats-server answers");
    expect(await text(stand.page, ".lab-list")).toContain("kv:club");
  });

  test("a run on a queue says how many workers play, and what each of them did", async () => {
    await open("lab/tune%3Amine-win");
    const workers = stand.page.locator('[data-figure="workers"]');
    await workers.waitFor();
    expect(await text(stand.page, '[data-figure="workers"]')).toMatch(/^\s*2\s+workers played in the last minute\s*$/);
    await workers.click();
    expect(await text(stand.page, '[data-worker="lab1-4711"]')).toMatch(/lab1-4711\s*0\.9\.0\s*812/);
    await item("league:night");
    await stand.page.getByRole("heading", { name: "Progress of night" }).waitFor();
    expect(await workers.count()).toBe(0);
  });

  test("the table has the latest versions, and earlier ones on demand", async () => {
    await open("lab/ladder:club");
    await until(async () => (await rows()).length === STRATEGIES.length - 1);
    expect(await rows()).not.toContain("mine@6");
    await stand.page.getByLabel("Earlier versions").check();
    expect(await rows()).toEqual(STRATEGIES);
    expect(await text(stand.page, '[data-strategy="mine@6"]')).toContain("earlier version");
    expect(await text(stand.page, '[data-strategy="wall@5"]')).toContain("suspended");
    expect(await text(stand.page, '[data-strategy="rusher@4"]')).toMatch(/260 ± 31/);
    expect(await text(stand.page, ".lab-figures")).toContain("process 4711 on lab1 plays 6 more of this round");
  });

  test("a strategy filters the matches and stands out in the chart; a field of the square names its rival too", async () => {
    await open("lab/ladder:club");
    const strategy = stand.page.locator('[data-strategy="mine@7"]').getByRole("button");
    await strategy.click();
    await stand.page.getByRole("heading", { name: "Matches of mine@7" }).waitFor();
    await until(() => Promise.resolve(stand.canned.requests(Lab.method.listLadderMatches).some((asked) => asked.strategy === "mine@7" && asked.against === "")));
    expect(await strategy.getAttribute("aria-pressed")).toBe("true");
    await stand.page.locator('[data-cell="mine@7 herd@2"]').click();
    await stand.page.getByRole("heading", { name: "Matches of mine@7 against herd@2" }).waitFor();
    await until(() => Promise.resolve(stand.canned.requests(Lab.method.listLadderMatches).some((asked) => asked.strategy === "mine@7" && asked.against === "herd@2")));
    expect(await stand.page.locator('[data-cell="mine@7 herd@2"]').getAttribute("title")).toBe("mine@7 won 6, drew 0 and lost 4 against herd@2");
    expect(await text(stand.page, '[data-cell="herd@2 mine@7"]')).toMatch(/40\s*4–0–6/);
    await stand.page.getByRole("button", { name: "Show all" }).click();
    await stand.page.getByRole("heading", { name: "Matches", exact: true }).waitFor();
  });

  test("older matches are on the next pages", async () => {
    await open("lab/ladder:club");
    await stand.page.locator('[data-match="799"]').waitFor();
    stand.canned.answerTo(Lab.method.listLadderMatches, "after/775", { matches: [match(3), match(2), match(1), match(0)], nextPageToken: "" });
    await stand.page.getByRole("button", { name: "Older" }).click();
    await stand.page.locator('[data-match="3"]').waitFor();
    await until(() => stand.page.getByRole("button", { name: "Older" }).isDisabled());
    expect(await text(stand.page, '[data-match="0"]')).toContain("failed: mine@7 used too much time");
    await stand.page.getByRole("button", { name: "Newer" }).click();
    await stand.page.locator('[data-match="799"]').waitFor();
  });

  test("a match leads to its recordings", async () => {
    stand.canned.answer(Recordings.method.listRecordings, { recordings: [] });
    await open("lab/ladder:club");
    const recorded = stand.page.locator('[data-match="798"]');
    expect(await recorded.innerText()).toMatch(/Team A\s*Team B/);
    expect(await text(stand.page, '[data-match="799"]')).toMatch(/–\s*$/);
    await recorded.getByRole("link", { name: "Team B" }).click();
    await stand.page.waitForURL(/recordings\/club\.match-798\.B-assemble-20261122T013000Z$/);
    await stand.page.getByRole("heading", { level: 2, name: "Recordings" }).waitFor();
  });

  test("a tune run shows the best so far, the influences, the strongest first, and its test", async () => {
    await open("lab/tune:mine-win");
    await stand.page.locator("[data-parameter]").first().waitFor();
    expect(await stand.page.locator("[data-parameter]").evaluateAll((all) => all.map((one) => one.getAttribute("data-parameter")))).toEqual(["danger", "bombs", "style"]);
    expect(await text(stand.page, '[data-parameter="danger"]')).toMatch(/0\.71.*0\.53 to 0\.82.*near 0\.72.*0\.5.*0\.72/s);
    expect(await text(stand.page, '[data-parameter="style"]')).toContain("unclear");
    expect(await text(stand.page, "[data-candidate]")).toMatch(/770.*29.*\+8\.8 ± 3\.1.*bombs = 3/s);
    expect(await stand.page.locator(".gauge-track").getAttribute("aria-label")).toBe("Log-likelihood ratio 1.62; not better below −2.94, better above 2.94");
    expect(await text(stand.page, "[data-verdict]")).toBe("not decided yet");
    stand.canned.answer(Lab.method.getTuneRun, { run: PROVED, report: REPORTED });
    await until(async () => (await text(stand.page, "[data-verdict]")) === "better, proved");
  });

  test("a league grows while it is played, wherever that is", async () => {
    await open("lab/league:night");
    await until(async () => (await text(stand.page, '[data-figure="played"]')) === "120");
    expect(await text(stand.page, ".lab-shown")).toMatch(/Another process plays it.*\/srv\/contest\/lab\/night/s);
    expect(await text(stand.page, '[data-league="night"]')).toMatch(/mine\s+34 ± 22/);
    stand.canned.answer(Leagues.method.listLeagues, league(151));
    await until(async () => (await text(stand.page, '[data-figure="played"]')) === "151");
    await until(async () => /[\d,]+ a minute/.test(await text(stand.page, ".lab-figures")));
  });

  test("what is not there any more is said, and what cannot be read too", async () => {
    await open("lab/league:gone");
    await stand.page.getByText("There is no league gone any more.").waitFor();
    stand.canned.answer(Lab.method.getTuneRun, { run: { ...PROVED, trouble: "results.jsonl, line 7: the file was changed" }, report: {} });
    await item("tune:mine-win");
    await stand.page.getByText("line 7: the file was changed").waitFor();
    stand.canned.miss(Lab.method.getLadder);
    await item("ladder:club");
    await stand.page.getByText("there is none").waitFor();
  });

  test("a daemon without a lab explains the setting", async () => {
    stand.canned.answer(Lab.method.listLadders, {}).answer(Lab.method.listTuneRuns, {}).answer(Leagues.method.listLeagues, {});
    await stand.show("/lab");
    await stand.page.locator("[data-empty]").waitFor();
    expect(await text(stand.page, "[data-empty]")).toContain("phalanx ladder submit");
  });

  test("nothing sticks out on a phone", async () => {
    await stand.page.setViewportSize({ width: 390, height: 844 });
    for (const choice of ["ladder:club", "tune:mine-win", "league:night"]) {
      await open(`lab/${choice}`);
      await stand.page.locator(".lab-shown .card").first().waitFor();
      expect(await overhang(stand.page), choice).toBe(0);
    }
  });
});

describe.each([
  { colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  { colorScheme: "light", viewport: { width: 390, height: 844 } },
] as const)("axe finds nothing in the lab: $colorScheme, $viewport.width wide", (look) => {
  const stand = opened(laboratory, { ...look, bypassCSP: true });
  test.each(["ladder:club", "tune:mine-win", "league:night"])("%s", async (choice) => {
    await stand.show(`/lab/${choice}`);
    await stand.page.locator(".lab-shown .card").nth(1).waitFor();
    expect(await faults(stand.page)).toEqual([]);
  });
});
