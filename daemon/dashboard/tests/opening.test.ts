/** How the page begins to look: the first team, a token, an end, a daemon that became a newer one. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Boards } from "../src/gen/phalanx/v1/boards_pb";
import { Matches } from "../src/gen/phalanx/v1/matches_pb";
import { Teams } from "../src/gen/phalanx/v1/teams_pb";
import { Worlds } from "../src/gen/phalanx/v1/worlds_pb";
import { close, launch, watched, type Watched } from "./browser";
import { pathOf, type Canned } from "./canned";
import { until } from "./stage";
import { still } from "./worlds";

describe("the page begins to look", () => {
  let browser: Browser;
  let canned: Canned;
  let it: Watched;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
  });
  beforeEach(async () => {
    canned = await still("assemble").answer(Boards.method.watchBoard).open();
    it = await watched(browser, canned.address);
  });
  afterEach(async () => {
    await close(it);
    canned.close();
  });
  const show = (place: string): Promise<unknown> => it.page.goto(`${canned.address}/#/${place}`);
  const enter = async (token: string): Promise<void> => {
    await it.page.locator('input[type="password"]').fill(token);
    await it.page.getByRole("button", { name: "Enter", exact: true }).click();
  };

  test("the first team and its match are asked for as soon as it is known", async () => {
    await show("");
    await it.page.locator('.link[data-link="live"]').waitFor();
    const [list, team, match] = [Teams.method.listTeams, Teams.method.getTeam, Matches.method.watchMatch].map(pathOf);
    for (const next of [team, match]) {
      const before = canned.calls.slice(0, canned.calls.indexOf(next ?? ""));
      expect(before.filter((path) => path === list)).toHaveLength(1);
    }
    expect(new URL(it.page.url()).hash).toBe("#/A/overview");
  });

  test("a good token is taken although the address names a team that is none", async () => {
    canned.want("secret").miss(Teams.method.getTeam).miss(Matches.method.watchMatch);
    await show("gone/overview");
    await enter("wrong");
    await it.page.getByRole("dialog").getByText("This daemon wants a token").waitFor();
    await enter("secret");
    await it.page.getByRole("dialog").waitFor({ state: "detached" });
    await it.page.locator('.link[data-link="refused"]').waitFor();
  });

  test("a team that is deleted while it is watched does not go on playing", async () => {
    await show("A/overview");
    await it.page.locator('[data-fact="state"]').waitFor();
    canned.miss(Teams.method.getTeam);
    await it.page.locator('[data-fact="state"]').waitFor({ state: "detached" });
  });

  test("who is no operator can enter a better token, and what is shown is asked for with it", async () => {
    await show("A/map");
    await it.page.getByRole("button", { name: "viewer" }).click();
    await it.page.getByRole("dialog").getByText("Enter another token").waitFor();
    await it.page.keyboard.press("Escape");
    await it.page.getByRole("dialog").waitFor({ state: "detached" });
    const before = canned.asked(Worlds.method.watchWorld);
    await it.page.getByRole("button", { name: "viewer" }).click();
    canned.want("better");
    await enter("better");
    await it.page.getByRole("dialog").waitFor({ state: "detached" });
    await until(() => Promise.resolve(canned.asked(Worlds.method.watchWorld) > before));
    await it.page.getByRole("button", { name: "viewer" }).click();
    await it.page.getByRole("button", { name: "Forget the token" }).click();
    await it.page.getByRole("dialog").getByText("This daemon wants a token").waitFor();
    expect(await it.page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test("a match that is over is no lost connection", async () => {
    await show("A/overview");
    await it.page.locator('.link[data-link="live"]').waitFor();
    canned.finish(Matches.method.watchMatch);
    await it.page.locator('.link[data-link="ended"]').waitFor();
  });

  test("a part of the page that is gone with its daemon can be loaded again, and the other views go on", async () => {
    await it.page.route("**/assets/recordings-*.js", (route) => route.fulfill({ status: 404 }));
    await show("A/recordings");
    await it.page.getByRole("button", { name: "Load the page again" }).waitFor();
    await it.page.getByRole("link", { name: "Map" }).click();
    await it.page.locator(".map-canvas").waitFor();
    await it.page.getByRole("link", { name: "Recordings" }).click();
    const again = it.page.getByRole("button", { name: "Load the page again" });
    await again.waitFor();
    await it.page.unroute("**/assets/recordings-*.js");
    await again.click();
    await it.page.locator(".recordings").waitFor();
  });
});
