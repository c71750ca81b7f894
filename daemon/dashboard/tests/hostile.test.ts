/** The page shows texts of scripts, servers and settings as text, never as markup. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Access, Role } from "../src/gen/phalanx/v1/access_pb";
import { Boards } from "../src/gen/phalanx/v1/boards_pb";
import { BoardLookKind, Matches } from "../src/gen/phalanx/v1/matches_pb";
import { Strategies } from "../src/gen/phalanx/v1/strategies_pb";
import { AlertKind, SeatState, TeamState } from "../src/gen/phalanx/v1/team_pb";
import { Teams } from "../src/gen/phalanx/v1/teams_pb";
import { launch, text, watched, type Watched } from "./browser";
import { Canned } from "./canned";
import { until } from "./stage";

const EVIL = "<img src=x onerror=\"document.title='hit'\"><script>document.title='hit'</script>";
const TURN = { round: 0, step: 3 };
const GENERATION = { name: "teams/A/generations/1", number: 1, origin: EVIL, active: true, fileCount: 1, files: [{ path: `${EVIL}.luau`, source: EVIL }] };

describe("texts that want to be markup", () => {
  let browser: Browser;
  let canned: Canned;
  let it: Watched;
  beforeAll(async () => {
    const team = {
      name: "teams/A", game: "assemble", server: EVIL, state: TeamState.PLAYING, turn: TURN, agentCount: 1, generation: 1, endReason: EVIL,
      alerts: [{ kind: AlertKind.SILENT_AGENT, agent: EVIL, text: EVIL, since: TURN }],
      agents: [{
        name: EVIL, role: EVIL, seatState: SeatState.SEATED, seatReason: EVIL, summary: EVIL, lastAction: EVIL, lastResult: EVIL, reason: EVIL,
        resourceName: "teams/A/agents/x", lastAsked: TURN,
      }],
    };
    canned = await new Canned()
      .answer(Access.method.getCaller, { who: EVIL, role: Role.ADMIN })
      .answer(Teams.method.listTeams, { teams: [team] })
      .answer(Teams.method.getTeam, { team })
      .answer(
        Matches.method.watchMatch,
        { event: { cursor: "1.1", turn: TURN, agent: EVIL, kind: { case: "scriptLog", value: { level: "info", text: EVIL } } } },
        { event: { cursor: "1.2", turn: TURN, kind: { case: "turnDone", value: { asked: 1, decided: 1, spent: { nanos: 1_000_000 } } } } },
        { event: { cursor: "1.3", turn: TURN, agent: EVIL, kind: { case: "decided", value: { action: EVIL, reason: EVIL, role: EVIL } } } },
      )
      .answer(Matches.method.explainDecision, {
        explanation: {
          agent: EVIL, turn: TURN, percept: EVIL, result: EVIL,
          events: [{ turn: TURN, agent: EVIL, kind: { case: "decided", value: { action: EVIL, reason: EVIL, role: EVIL, grounds: { file: EVIL, line: 1, board: [{ key: EVIL, kind: BoardLookKind.VALUE }] } } } }],
        },
      })
      .answer(
        Boards.method.watchBoard,
        { news: { case: "entry", value: { name: "teams/A/board/x", key: EVIL, value: { kind: { case: "stringValue", value: EVIL } }, author: EVIL, turn: TURN } } },
        { cursor: "1", news: { case: "synced", value: { entries: 1 } } },
      )
      .answer(Strategies.method.getStrategy, { strategy: { name: "teams/A/strategy", folder: EVIL, generation: GENERATION } })
      .answer(Strategies.method.getGeneration, { generation: GENERATION })
      .answer(Strategies.method.listGenerations, { generations: [GENERATION] })
      .answer(Strategies.method.evalScript, { text: EVIL, error: EVIL })
      .open();
    browser = await launch();
    it = await watched(browser, canned.address);
  });
  afterAll(async () => {
    await browser.close();
    canned.close();
  });

  test.each([
    ["match", ".alerts"],
    ["match", ".roster"],
    ["match", ".newest"],
    [`match/${encodeURIComponent(EVIL)}`, "[data-chosen-agent]"],
    ["punctuality", ".seats"],
    [`agents/${encodeURIComponent(EVIL)}`, "[data-agent-row]"],
    [`agents/${encodeURIComponent(EVIL)}`, ".why"],
    ["board", ".board table"],
    ["strategy", ".files"],
    ["strategy", ".code .cm-content"],
    ["strategy", ".desk-reasons"],
    ["timeline", ".waterfall"],
    ["events", ".lines"],
  ])("in %s, %s shows them as text", async (view, place) => {
    await it.page.goto(`${canned.address}/#/A/${view}`);
    await until(async () => (await text(it.page, place)).includes(EVIL));
    expect(await it.page.locator("#page img, #page script").count()).toBe(0);
    expect(await it.page.title()).not.toBe("hit");
    expect(it.complaints).toEqual([]);
    expect(it.strangers).toEqual([]);
  });
});
