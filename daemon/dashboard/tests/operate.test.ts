/** Controls keep the user's input while the match continues. */
import { describe, expect, test } from "vitest";
import { SeatState, TeamState } from "../src/gen/phalanx/v1/team_pb";
import { Access, Role } from "../src/gen/phalanx/v1/access_pb";
import { Matches } from "../src/gen/phalanx/v1/matches_pb";
import { Strategies } from "../src/gen/phalanx/v1/strategies_pb";
import { Teams } from "../src/gen/phalanx/v1/teams_pb";
import { Worlds } from "../src/gen/phalanx/v1/worlds_pb";
import { text } from "./browser";
import { opened } from "./opened";
import { until } from "./stage";
import { field, still } from "./worlds";

describe("while a match goes on", () => {
  const stand = opened(() => still("assemble"));
  const show = (view: string): Promise<unknown> => stand.show(`A/${view}`);

  test("a layer that was switched off stays off, and opened words stay open, with the next worlds", async () => {
    await show("map");
    const layer = stand.page.getByRole("checkbox", { name: "bodies" });
    const words = stand.page.locator(".map-words");
    const open = (): Promise<boolean> => words.evaluate((box) => (box as HTMLDetailsElement).open);
    await layer.uncheck();
    expect(await open()).toBe(true);
    await words.locator("summary").click();
    for (const step of [4, 5]) {
      stand.canned.send(Worlds.method.watchWorld, { world: { team: "teams/A", game: "assemble", turn: { round: 0, step }, tick: BigInt(step + 1), parts: [field(24, 8)] } });
      await until(async () => (await text(stand.page, ".scrubber output")) === `0:${step}`);
    }
    expect(await layer.isChecked()).toBe(false);
    expect(await open()).toBe(false);
  });

  /** The team in this step, with one agent that was asked last in its first turn. */
  function play(step: number, generation: number): void {
    const lastAsked = { round: 0, step: 1 };
    const agent = { name: "a1", resourceName: "teams/A/agents/a1", role: "worker", seatState: SeatState.SEATED, lastAsked };
    stand.canned.answer(Teams.method.getTeam, {
      team: { name: "teams/A", game: "assemble", state: TeamState.PLAYING, turn: { round: 0, step }, agentCount: 1, generation, agents: [agent] },
    });
    stand.canned.answer(Access.method.getCaller, { who: "operator", role: Role.OPERATOR });
  }

  /** The strategy in this generation, with its files. */
  function decide(number: number, sources: Readonly<Record<string, string>>): void {
    const files = Object.entries(sources).map(([path, source]) => ({ path, source }));
    const generation = { name: `teams/A/generations/${number}`, number, origin: "folder", active: true, fileCount: files.length, files };
    stand.canned
      .answer(Strategies.method.getStrategy, { strategy: { name: "teams/A/strategy", generation } })
      .answer(Strategies.method.getGeneration, { generation })
      .answer(Strategies.method.listGenerations, { generations: [generation] });
  }

  const inStep = (step: number): Promise<void> => until(async () => (await text(stand.page, '[data-fact="turn"]')) === `0:${step}`);

  test("a role that is being typed is not overwritten by the next look at the team, and a decision is explained once", async () => {
    play(3, 1);
    stand.canned.answer(Matches.method.explainDecision, { explanation: { agent: "a1", turn: { round: 0, step: 1 }, percept: "wall" } });
    await show("agents/a1");
    await stand.page.getByText("Role and pinned order").click();
    const role = stand.page.getByLabel("Role", { exact: true });
    await role.fill("scou");
    for (const step of [4, 5]) {
      play(step, 1);
      await inStep(step);
    }
    expect(await role.inputValue()).toBe("scou");
    expect(stand.canned.asked(Matches.method.explainDecision)).toBe(1);
  });

  test("parameters are asked for once in each generation", async () => {
    play(3, 1);
    decide(1, { "worker.luau": "return 1" });
    stand.canned.answer(Strategies.method.listParams, { params: [{ name: "speed", accepts: "a number", min: 0, max: 10, defaultValue: { kind: { case: "numberValue", value: 4 } } }] });
    await show("strategy");
    await stand.page.locator('[data-param="speed"]').waitFor();
    for (const step of [4, 5]) {
      play(step, 1);
      await inStep(step);
    }
    expect(stand.canned.asked(Strategies.method.listParams)).toBe(1);
    decide(2, { "worker.luau": "return 1" });
    play(6, 2);
    await until(() => Promise.resolve(stand.canned.asked(Strategies.method.listParams) === 2));
  });

  test("when another generation decides, the editor says so, takes its files, and keeps what was written", async () => {
    play(3, 1);
    decide(1, { "scout.luau": "return 'old scout'", "worker.luau": "return 'old worker'" });
    await show("strategy");
    const source = stand.page.locator(".code .cm-content");
    const file = (name: string): Promise<void> => stand.page.getByRole("button", { name: new RegExp(`^${name}`) }).first().click();
    await file("worker.luau");
    await source.click();
    await stand.page.keyboard.press("Control+Home");
    await stand.page.keyboard.type("-- mine\n");
    decide(2, { "scout.luau": "return 'new scout'", "worker.luau": "return 'new worker'" });
    play(4, 2);
    await stand.page.getByText("Generation 2 decides now").waitFor();
    await stand.page.getByText("Also changed in the generation that decides now: worker.luau").waitFor();
    await stand.page.keyboard.type("-- still here\n");
    await until(async () => (await source.innerText()).includes("-- mine\n-- still here\nreturn 'old worker'"));
    await file("scout.luau");
    await until(async () => (await source.innerText()).includes("new scout"));
  });
});
