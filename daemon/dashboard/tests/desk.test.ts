/** The script author's desk: the editor beside the match, with what the scripts say at their lines. */
import { create, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Access, Role } from "../src/gen/phalanx/v1/access_pb";
import { Leagues, LeagueState } from "../src/gen/phalanx/v1/league_pb";
import { EventSeverity, EventTopic, Matches, MatchEventSchema } from "../src/gen/phalanx/v1/matches_pb";
import { TeamLifeSchema } from "../src/gen/phalanx/v1/recording_pb";
import { Recordings } from "../src/gen/phalanx/v1/recordings_pb";
import { FaultSeverity, Strategies } from "../src/gen/phalanx/v1/strategies_pb";
import { SeatState, TeamState } from "../src/gen/phalanx/v1/team_pb";
import { Teams } from "../src/gen/phalanx/v1/teams_pb";
import { WorldSchema } from "../src/gen/phalanx/v1/worlds_pb";
import { close, faults, launch, overhang, text, watched } from "./browser";
import { opened } from "./opened";
import { built, Demo, until } from "./stage";
import { field, still } from "./worlds";

const HASH = "aa11";
const WORKER = ["local goal = board.get('goal')", "return {", "    decide = function(me)", "        explain('north is free')", "        return act.move('n')", "    end,", "}"].join("\n");
type Event = MessageInitShape<typeof MatchEventSchema>;

/** A decision of an agent, explained in a line of the worker. */
function decided(agent: string, step: number, reason: string, line = 4): Event {
  const grounds = { file: "lib/walk.luau", line: 2, reasonFile: "worker.luau", reasonLine: line };
  return { cursor: `1.${step}`, turn: { round: 0, step }, agent, generation: 1, kind: { case: "decided", value: { action: "move(n)", role: "worker", generation: 1, reason, grounds } } };
}

/** A decision that failed in a line of the worker. */
function failed(agent: string, step: number): Event {
  const reason = "worker.luau:5: attempt to index nil";
  return {
    cursor: `1.${step}`, turn: { round: 0, step }, agent, generation: 1, severity: EventSeverity.WARNING, topic: EventTopic.TROUBLE, text: reason,
    kind: { case: "fallback", value: { reason, role: "worker", generation: 1, grounds: { file: "worker.luau", line: 5 } } },
  };
}

describe("the desk", () => {
  const stand = opened(() => still("assemble"));
  const source = (): ReturnType<Page["locator"]> => stand.page.locator(".code .cm-content");
  const open = async (): Promise<void> => {
    await stand.show("A/strategy");
    await until(async () => (await source().innerText()).length > 10);
  };
  const tab = (name: string): Promise<void> => stand.page.getByRole("tab", { name }).click();
  const file = (name: string): Promise<void> => stand.page.getByRole("button", { name: new RegExp(`^${name}`) }).first().click();
  const note = (words: string): ReturnType<Page["locator"]> => stand.page.locator(".cm-note", { hasText: words });

  /** Ends the recording that is being loaded: the page asks for its messages and for its strategy. */
  async function loaded(): Promise<void> {
    await until(() => Promise.resolve(stand.canned.asked(Recordings.method.replayRecording) === 2));
    stand.canned.finish(Recordings.method.replayRecording);
    await stand.page.getByText(/^\d turns?$/).waitFor();
  }

  /** The files of a generation, which decides. */
  function decide(number: number, sources: Readonly<Record<string, string>>): void {
    const files = Object.entries(sources).map(([path, text]) => ({ path, source: text }));
    const generation = { name: `teams/A/generations/${number}`, number, hash: HASH, origin: "folder", active: true, fileCount: files.length, files };
    stand.canned
      .answer(Strategies.method.getStrategy, { strategy: { name: "teams/A/strategy", folder: "/home/me/mine", generation } })
      .answer(Strategies.method.getGeneration, { generation })
      .answer(Strategies.method.listGenerations, { generations: [generation] })
      .answer(Strategies.method.listParams, {});
  }

  beforeEach(() => {
    const agent = (name: string, role: string): object => ({ name, resourceName: `teams/A/agents/${name}`, role, seatState: SeatState.SEATED });
    const agents = [agent("a1", "scout"), agent("a2", "worker"), agent("a3", "worker")];
    stand.canned
      .answer(Access.method.getCaller, { who: "operator", role: Role.OPERATOR })
      .answer(Teams.method.getTeam, { team: { name: "teams/A", game: "assemble", state: TeamState.PLAYING, turn: { round: 0, step: 3 }, agentCount: 3, generation: 1, agents } })
      .answer(Recordings.method.listRecordings, { recordings: [] });
    decide(1, { "lib/walk.luau": "-- module\nreturn 1", "scout.luau": "return 'scout'", "team.luau": "return 'the plan'", "worker.luau": WORKER });
  });

  test("it opens on the team's plan, and without one on the role of most agents", async () => {
    await open();
    await until(async () => (await source().innerText()).includes("the plan"));
    decide(1, { "scout.luau": "return 'scout'", "worker.luau": WORKER });
    await stand.page.reload();
    await until(async () => (await source().innerText()).includes("north is free"));
  });

  test("reasons and errors are beside their lines, with agent and turn, and a click goes to the agent", async () => {
    stand.canned.answer(Matches.method.watchMatch, ...[decided("a2", 3, "north is free"), decided("a3", 3, "south is not"), failed("a1", 3)].map((event) => ({ event })));
    await open();
    await file("worker.luau");
    await until(async () => /a2 \+1.*north is free.*0:3/s.test(await note("north is free").innerText()));
    await until(async () => /a1.*attempt to index nil.*0:3/s.test(await note("attempt to index nil").innerText()));
    const line = stand.page.locator(".cm-line", { has: note("north is free") });
    expect(await line.innerText()).toContain("explain('north is free')");
    expect(await stand.page.getByRole("button", { name: /^worker\.luau/ }).first().getAttribute("data-state")).toBe("failing");
    await note("attempt to index nil").click();
    await stand.page.waitForURL(/#\/A\/strategy\/a1$/);
    await stand.page.locator('[data-reason="a1"][data-chosen]').waitFor();
    expect(await text(stand.page, '[data-failure="worker.luau:5"]')).toContain("a1 in 0:3");
    await stand.page.locator(".cm-mark", { hasText: "2" }).click();
    await stand.page.waitForURL(/#\/A\/strategy\/a2$/);
    await stand.page.locator(".cm-line.cm-chosen").waitFor();
  });

  test("a row of the reasons leads to its line, and a note stays at its line while lines are written above", async () => {
    stand.canned.answer(Matches.method.watchMatch, { event: decided("a2", 3, "north is free") });
    await open();
    await stand.page.locator('[data-reason="a2"]').getByRole("button", { name: "worker.luau:4" }).click();
    await until(async () => (await stand.page.locator(".cm-activeLine").innerText()).includes("explain("));
    await stand.page.keyboard.press("Control+Home");
    await stand.page.keyboard.type("-- mine\n-- too\n");
    stand.canned.send(Matches.method.watchMatch, { event: decided("a2", 4, "still free") });
    const line = stand.page.locator(".cm-line", { has: note("still free") });
    await until(async () => (await line.innerText()).includes("explain('north is free')"));
  });

  test("in a recording, map, reasons and notes follow turn by turn", async () => {
    const say = (event: Event): object => ({ channel: "/journal", messageType: MatchEventSchema.typeName, data: toBinary(MatchEventSchema, create(MatchEventSchema, event)) });
    const world = (step: number): object => {
      const drawn = create(WorldSchema, { team: "teams/A", game: "assemble", turn: { round: 0, step }, tick: BigInt(step), parts: [field(24, step * 2)] });
      return { channel: "/world", messageType: WorldSchema.typeName, data: toBinary(WorldSchema, drawn) };
    };
    const life = create(TeamLifeSchema, { event: { case: "began", value: { staged: { number: 1, hash: HASH } } } });
    stand.canned
      .answer(Recordings.method.listRecordings, { recordings: [{ name: "recordings/one", team: "A", game: "assemble", turns: 3n }, { name: "recordings/alien", team: "A", game: "mars" }] })
      .answer(
        Recordings.method.replayRecording,
        { channel: "/team/life", messageType: TeamLifeSchema.typeName, data: toBinary(TeamLifeSchema, life) },
        ...[1, 2, 3].flatMap((step) => [say(decided("a2", step, `reason ${step}`)), world(step)]),
      );
    await open();
    await file("worker.luau");
    const choice = stand.page.getByLabel("Match that is shown");
    await until(async () => (await choice.locator("option").count()) === 2);
    await choice.selectOption("one");
    await loaded();
    const map = stand.page.locator(".map-canvas");
    const shows = async (step: number): Promise<void> => {
      await until(async () => (await text(stand.page, ".desk .scrubber output")) === `0:${step}`);
      await until(async () => (await text(stand.page, '[data-reason="a2"]')).includes(`reason ${step}`));
      await note(`reason ${step}`).waitFor();
      await until(async () => ((await map.getAttribute("aria-label")) ?? "").includes(`${step * 2} units`));
    };
    await shows(1);
    await stand.page.getByRole("button", { name: "The turn after" }).click();
    await shows(2);
    await stand.page.getByRole("button", { name: "The turn after" }).click();
    await shows(3);
    expect(await stand.page.getByRole("button", { name: "The turn after" }).isDisabled()).toBe(true);
    await stand.page.getByRole("button", { name: "The turn before" }).click();
    await shows(2);
    await stand.page.getByLabel("Turn that is shown").press("Home");
    await shows(1);
    await stand.page.getByRole("button", { name: "Play" }).click();
    await shows(3);
    await choice.selectOption("");
    await stand.page.getByRole("button", { name: "Pause" }).waitFor();
  });

  test("reasons of another version of the strategy are not put beside the wrong lines", async () => {
    const life = create(TeamLifeSchema, { event: { case: "began", value: { staged: { number: 1, hash: "bb22" } } } });
    const event = create(MatchEventSchema, decided("a2", 1, "an old reason"));
    stand.canned
      .answer(Recordings.method.listRecordings, { recordings: [{ name: "recordings/one", team: "A", game: "assemble" }] })
      .answer(
        Recordings.method.replayRecording,
        { channel: "/team/life", messageType: TeamLifeSchema.typeName, data: toBinary(TeamLifeSchema, life) },
        { channel: "/journal", messageType: MatchEventSchema.typeName, data: toBinary(MatchEventSchema, event) },
      );
    await open();
    await file("worker.luau");
    const choice = stand.page.getByLabel("Match that is shown");
    await until(async () => (await choice.locator("option").count()) === 2);
    await choice.selectOption("one");
    await loaded();
    await stand.page.getByText("Another version of the strategy played then").waitFor();
    expect(await text(stand.page, '[data-reason="a2"]')).toContain("an old reason");
    expect(await stand.page.locator(".cm-note").count()).toBe(0);
  });

  test("after a trial the first message is the error in the changed file, and the editor goes there", async () => {
    const fault = (path: string, line: number, message: string, severity = FaultSeverity.ERROR): object => ({ file: path, line, column: 1, message, severity });
    const found = [fault("scout.luau", 1, "unused", FaultSeverity.WARNING), fault("spec/worker_spec.luau", 9, "expected n"), fault("team.luau", 1, "needs a worker"), fault("worker.luau", 5, "x is not defined")];
    stand.canned.answer(Strategies.method.checkStrategy, { report: { passed: false, faults: found } });
    await open();
    await file("worker.luau");
    await source().click();
    await stand.page.keyboard.press("Control+End");
    await stand.page.keyboard.type("\n-- changed");
    await file("team.luau");
    await stand.page.getByRole("button", { name: "Check" }).click();
    await until(async () => (await text(stand.page, ".faults li")).includes("worker.luau:5 x is not defined"));
    await until(async () => (await stand.page.locator(".cm-activeLine").innerText()).includes("return act.move"));
    expect(await stand.page.locator(".faults li").last().innerText()).toContain("unused");
    await stand.page.locator(".faults li").nth(1).getByRole("button").click();
    await until(async () => (await source().innerText()).includes("the plan"));
    await stand.page.getByRole("button", { name: "Close the report" }).click();
    expect(await stand.page.locator(".report").count()).toBe(0);
  });

  test("the keys for saving try and activate what was changed", async () => {
    await open();
    await source().click();
    await stand.page.keyboard.type("-- new\n");
    await stand.page.keyboard.press("Control+s");
    await until(() => Promise.resolve(stand.canned.asked(Strategies.method.activateStrategy) === 1));
  });

  test("the reference is searched by name and by description, and an entry is written at the cursor", async () => {
    await open();
    await source().click();
    await stand.page.keyboard.press("Control+Home");
    await tab("Reference");
    await stand.page.locator('[data-group="world"] [data-entry="world.path"]').waitFor();
    const query = stand.page.getByLabel("Search the reference");
    await query.fill("path");
    await until(async () => (await text(stand.page, ".reference-entry code")).startsWith("world.path("));
    await stand.page.getByRole("button", { name: "Insert world.path", exact: true }).click();
    await until(async () => (await source().innerText()).startsWith("world.path(x, y)\nreturn 'the plan'"));
    await stand.page.keyboard.type("goal.x");
    await until(async () => (await source().innerText()).startsWith("world.path(goal.x, y)"));
    await query.fill("holds the claim");
    await until(async () => (await text(stand.page, ".reference-entry code")).startsWith("board.holder("));
    await query.fill("no such words");
    await stand.page.getByText("Nothing has these words").waitFor();
    await query.fill("path");
    await stand.page.locator('[data-entry="world.path"]').getByRole("button", { name: "WorldPath", exact: true }).click();
    await until(async () => (await text(stand.page, ".reference-entry code")).startsWith("WorldPath."));
  });

  test("a name under the pointer is described", async () => {
    await open();
    await file("worker.luau");
    await stand.page.locator(".cm-line", { hasText: "board.get" }).getByText("get", { exact: false }).first().hover({ position: { x: 110, y: 6 } });
    await until(async () => (await text(stand.page, ".cm-reference")).includes("The value of a key"));
  });

  test("leagues show the results of this strategy, or how to get some", async () => {
    await open();
    await tab("Leagues");
    await stand.page.locator("[data-empty]").getByText("phalanx league run --strategy /home/me/mine").waitFor();
    const row = (player: string, elo: number): object => ({ player, elo, error: 30, wins: 6n, draws: 1n, losses: 3n, matches: 10n, scoreMean: 41.25, againstMean: 33 });
    const plan = { game: "assemble", players: [{ name: "mine", strategy: "/home/me/mine" }, { name: "shipped", strategy: "shipped" }] };
    const standing = { played: 10n, total: 20n, rows: [row("mine", 25), row("shipped", -25)] };
    const league = { name: "leagues/night", plan, state: LeagueState.PLAYING, standing };
    stand.canned.answer(Leagues.method.listLeagues, { leagues: [{ ...league, name: "leagues/other", plan: { ...plan, game: "mars" } }, league] });
    await stand.page.getByRole("button", { name: "Reload" }).click();
    await until(async () => (await text(stand.page, "[data-league]")).includes("night playing, 10 of 20 matches"));
    expect(await stand.page.locator("[data-league]").count()).toBe(1);
    expect(await text(stand.page, '[data-league="night"] tr[data-chosen]')).toMatch(/mine this strategy\s+25 ± 30\s+6, 1, 3\s+41.3\s+33/);
  });

  test("what was written survives a look at another view", async () => {
    await open();
    await file("worker.luau");
    await source().click();
    await stand.page.keyboard.press("Control+Home");
    await stand.page.keyboard.type("-- a draft\n");
    await stand.show("A/agents");
    await stand.page.locator("[data-agent-row]").first().waitFor();
    await stand.show("A/strategy");
    await until(async () => (await source().innerText()).startsWith("-- a draft\nlocal goal"));
    expect(await stand.page.getByRole("button", { name: "Activate" }).isEnabled()).toBe(true);
  });

  test("a generation that was taken back stays in the editor", async () => {
    const files = (text: string): object[] => [{ path: "worker.luau", source: text }];
    decide(2, { "worker.luau": "return 'my change'" });
    stand.canned.answer(Teams.method.getTeam, { team: { name: "teams/A", game: "assemble", state: TeamState.PLAYING, generation: 2 } });
    await open();
    await until(async () => (await source().innerText()).includes("my change"));
    stand.canned
      .answer(Strategies.method.getStrategy, { strategy: { name: "teams/A/strategy", generation: { name: "teams/A/generations/1", number: 1 } } })
      .answer(Strategies.method.getGeneration, { generation: { number: 1, takenBack: "11 errors", files: files("return 'before'") } })
      .answer(Teams.method.getTeam, { team: { name: "teams/A", game: "assemble", state: TeamState.PLAYING, generation: 1 } });
    await stand.page.getByText("Taken back, and still in the editor: 11 errors").waitFor();
    await until(async () => (await source().innerText()).includes("my change"));
    expect(await stand.page.getByRole("button", { name: "Activate" }).isEnabled()).toBe(true);
    await stand.page.getByRole("button", { name: "Throw changes away" }).click();
    await until(async () => (await source().innerText()).includes("before"));
  });

  test("the border moves by keys and by pointer, stays where it was, and goes back with a double click", async () => {
    await open();
    const border = stand.page.getByRole("separator", { name: "Width of the editor" });
    const share = async (): Promise<number> => Number(await border.getAttribute("aria-valuenow"));
    const first = await share();
    await border.press("ArrowRight");
    expect(await share()).toBe(first + 2);
    const box = await border.boundingBox();
    const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 200];
    await stand.page.mouse.move(x, y);
    await stand.page.mouse.down();
    await stand.page.mouse.move(x - 300, y, { steps: 4 });
    await stand.page.mouse.up();
    const moved = await share();
    expect(moved).toBeLessThan(first - 10);
    await stand.page.reload();
    await until(async () => (await share()) === moved);
    await border.dblclick();
    expect(await share()).toBe(first);
  });

  test("on a phone, the editor is above the map, the map above the reasons, and nothing sticks out", async () => {
    await stand.page.setViewportSize({ width: 390, height: 844 });
    await open();
    const top = async (selector: string): Promise<number> => (await stand.page.locator(selector).boundingBox())?.y ?? 0;
    expect(await top(".desk-files")).toBeLessThan(await top(".desk-stage"));
    expect(await top(".desk-stage")).toBeLessThan(await top(".desk-panel"));
    expect(await overhang(stand.page)).toBe(0);
    expect(await stand.page.getByRole("separator").filter({ visible: true }).count()).toBe(0);
  });
});

describe.skipIf(!built())("the desk at a running demo", () => {
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

  test("lines of the running scripts get reasons, and the match can be stepped from its recording", async () => {
    const it = await watched(browser, demo.address);
    await it.page.goto(`${demo.address}/#/A/strategy`);
    await until(async () => (await text(it.page, ".files [aria-pressed=true]")) === "team.luau");
    await it.page.locator("[data-reason] .mono.as-link").first().click();
    await it.page.locator(".cm-note[data-fresh]").first().waitFor();
    const choice = it.page.getByLabel("Match that is shown");
    await until(async () => {
      await choice.blur();
      await choice.focus();
      return (await choice.locator("option").count()) > 1;
    });
    const after = it.page.getByRole("button", { name: "The turn after" });
    // A recording is written once a second: chosen anew, it has the turns that were played since.
    await until(async () => {
      await choice.selectOption({ index: 0 });
      await choice.selectOption({ index: 1 });
      await new Promise((done) => setTimeout(done, 500));
      return /\d:\d+/.test(await text(it.page, ".desk .scrubber output")) && await after.isEnabled();
    });
    const first = await text(it.page, ".desk .scrubber output");
    await after.click();
    await until(async () => (await text(it.page, ".desk .scrubber output")) !== first);
    await until(async () => (await it.page.locator("[data-reason]").count()) > 0);
    await close(it);
  });

  test.each([
    { colorScheme: "dark", viewport: { width: 1440, height: 900 }, tabs: ["Reasons", "Reference"] },
    { colorScheme: "light", viewport: { width: 1440, height: 900 }, tabs: ["Parameters", "Versions"] },
    { colorScheme: "light", viewport: { width: 390, height: 844 }, tabs: ["Reasons", "Reference"] },
    { colorScheme: "dark", viewport: { width: 390, height: 844 }, tabs: ["Versions", "Leagues"] },
  ] as const)("axe finds nothing: $colorScheme, $viewport.width, $tabs", async ({ colorScheme, tabs, viewport }) => {
    const { page } = await watched(browser, demo.address, { colorScheme, viewport, bypassCSP: true });
    await page.goto(`${demo.address}/#/A/strategy`);
    await page.locator("[data-reason]").first().waitFor();
    for (const name of tabs) {
      await page.getByRole("tab", { name }).click();
      expect(await faults(page), name).toEqual([]);
      expect(await overhang(page), name).toBe(0);
    }
    await page.context().close();
  });
});
