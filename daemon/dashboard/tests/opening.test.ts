/** How the page starts: the first team, a token, the end of a match, an upgraded daemon. */
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Access, Role } from "../src/gen/phalanx/v1/access_pb";
import { Arenas, ArenaState } from "../src/gen/phalanx/v1/arenas_pb";
import { Boards } from "../src/gen/phalanx/v1/boards_pb";
import { Matches } from "../src/gen/phalanx/v1/matches_pb";
import { TeamEnd, TeamState } from "../src/gen/phalanx/v1/team_pb";
import { Teams } from "../src/gen/phalanx/v1/teams_pb";
import { Worlds } from "../src/gen/phalanx/v1/worlds_pb";
import { pathOf } from "./canned";
import { opened } from "./opened";
import { until } from "./stage";
import { still } from "./worlds";

describe("the page starts", () => {
  const stand = opened(() => still("assemble").answer(Boards.method.watchBoard));
  const enter = async (token: string): Promise<void> => {
    await stand.page.locator('input[type="password"]').fill(token);
    await stand.page.getByRole("button", { name: "Enter", exact: true }).click();
  };

  test("the page loads the first team and its match as soon as it knows the list", async () => {
    await stand.show("");
    await stand.page.locator('.link[data-link="live"]').waitFor();
    const [list, team, match] = [Teams.method.listTeams, Teams.method.getTeam, Matches.method.watchMatch].map(pathOf);
    const paths = stand.canned.calls.map(({ path }) => path);
    for (const next of [team, match]) {
      const before = paths.slice(0, paths.indexOf(next ?? ""));
      expect(before.filter((path) => path === list)).toHaveLength(1);
    }
    expect(new URL(stand.page.url()).hash).toBe("#/A/match");
  });

  test("a valid token is accepted although the address names a missing team", async () => {
    stand.canned.want("secret").miss(Teams.method.getTeam).miss(Matches.method.watchMatch);
    await stand.show("gone/match");
    await enter("wrong");
    await stand.page.getByRole("dialog").getByText("This daemon requires a token").waitFor();
    await enter("secret");
    await stand.page.getByRole("dialog").waitFor({ state: "detached" });
    await stand.page.locator('.link[data-link="refused"]').waitFor();
  });

  test("a team that is deleted while it is watched disappears", async () => {
    await stand.show("A/match");
    await stand.page.locator('[data-fact="state"]').waitFor();
    stand.canned.miss(Teams.method.getTeam);
    await stand.page.locator('[data-fact="state"]').waitFor({ state: "detached" });
  });

  test("a viewer can enter another token, and the page loads everything again with it", async () => {
    await stand.show("A/map");
    await stand.page.getByRole("button", { name: "viewer" }).click();
    await stand.page.getByRole("dialog").getByText("Enter another token").waitFor();
    await stand.page.keyboard.press("Escape");
    await stand.page.getByRole("dialog").waitFor({ state: "detached" });
    const before = stand.canned.asked(Worlds.method.watchWorld);
    await stand.page.getByRole("button", { name: "viewer" }).click();
    stand.canned.want("better");
    await enter("better");
    await stand.page.getByRole("dialog").waitFor({ state: "detached" });
    await until(() => Promise.resolve(stand.canned.asked(Worlds.method.watchWorld) > before));
    await stand.page.getByRole("button", { name: "viewer" }).click();
    await stand.page.getByRole("button", { name: "Delete the token" }).click();
    await stand.page.getByRole("dialog").getByText("This daemon requires a token").waitFor();
    expect(await stand.page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test("a finished match is not shown as a lost connection", async () => {
    await stand.show("A/match");
    await stand.page.locator('.link[data-link="live"]').waitFor();
    stand.canned.finish(Matches.method.watchMatch);
    await stand.page.locator('.link[data-link="ended"]').waitFor();
  });

  test("a view whose file is missing can be loaded again, and the other views work", async () => {
    await stand.page.route("**/assets/recordings-*.js", (route) => route.fulfill({ status: 404 }));
    await stand.show("A/recordings");
    await stand.page.getByRole("button", { name: "Load the page again" }).waitFor();
    await stand.page.getByRole("link", { name: "Map" }).click();
    await stand.page.locator(".map-canvas").waitFor();
    await stand.page.getByRole("link", { name: "Recordings" }).click();
    const again = stand.page.getByRole("button", { name: "Load the page again" });
    await again.waitFor();
    await stand.page.unroute("**/assets/recordings-*.js");
    await again.click();
    await stand.page.locator(".recordings").waitFor();
  });
});

describe("the end of a match", () => {
  const over = { name: "teams/A", game: "assemble", server: "127.0.0.1:12300", state: TeamState.OVER, end: TeamEnd.MATCH_OVER, agentCount: 1 };
  const stand = opened(() => still("assemble").answer(Teams.method.listTeams, { teams: [over] }).answer(Teams.method.getTeam, { team: over }));
  const again = (): Locator => stand.page.getByRole("button", { name: "Play again" });

  test("it can be played again where this daemon hosts the arena", async () => {
    stand.canned.answer(Arenas.method.listArenas, { arenas: [{ name: "arenas/field", address: over.server, state: ArenaState.OVER }] });
    await stand.show("A/map");
    await again().waitFor();
  });

  test("where a demo offers it, the next match may have another seed", async () => {
    stand.canned.answer(Access.method.getCaller, { who: "operator", role: Role.OPERATOR });
    const arena = { name: "arenas/demo", address: over.server, state: ArenaState.OVER, otherSeeds: true };
    stand.canned.answer(Arenas.method.listArenas, { arenas: [arena] });
    await stand.show("A/map");
    await stand.page.getByRole("button", { name: "Another seed" }).click();
    await until(() => Promise.resolve(stand.canned.requests(Teams.method.startTeam).some(({ otherSeed }) => otherSeed)));
  });

  test("no other server is asked to play again", async () => {
    stand.canned.answer(Arenas.method.listArenas, { arenas: [{ name: "arenas/other", address: "127.0.0.1:1", state: ArenaState.PLAYING }] });
    await stand.show("A/map");
    await stand.page.locator(".result-banner").waitFor();
    await until(() => Promise.resolve(stand.canned.asked(Arenas.method.listArenas) > 0));
    expect(await again().count()).toBe(0);
  });
});
