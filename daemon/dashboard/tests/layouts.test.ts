/** Layouts of the match view, by pointer and by keys, and plots over time. */
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { Boards } from "../src/gen/phalanx/v1/boards_pb";
import { Matches } from "../src/gen/phalanx/v1/matches_pb";
import { Teams } from "../src/gen/phalanx/v1/teams_pb";
import { faults, overhang, text } from "./browser";
import { match } from "./contest";
import { opened, type Opened } from "./opened";
import { until } from "./stage";

/** Where a panel is, in whole pixels. */
async function place(stand: Opened, id: string): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await stand.page.locator(`.tile[data-panel="${id}"]`).boundingBox();
  if (box === null) throw new Error(`there is no panel ${id}`);
  return box;
}

/** The panels that are shown. */
async function shown(stand: Opened): Promise<string[]> {
  return (await stand.page.locator(".tile").evaluateAll((tiles) => tiles.map((tile) => tile.getAttribute("data-panel") ?? ""))).sort();
}

async function choose(stand: Opened, layout: string): Promise<void> {
  await stand.page.getByLabel("Layout", { exact: true }).selectOption(layout);
}

async function arrange(stand: Opened): Promise<void> {
  await stand.page.getByRole("button", { name: "Arrange" }).click();
  await stand.page.locator(".layout-tools").waitFor();
}

describe("layouts of the match view", () => {
  const stand = opened(match, { viewport: { width: 1440, height: 900 } });

  test("four come with the page, each fills the window, and the choice stays", async () => {
    await stand.show("A/match");
    const expected = {
      Coach: ["changes", "map", "race", "roster", "work"],
      Operator: ["agents", "events", "map", "plot-1", "turns"],
      "Script author": ["changes", "plot-1", "race", "strategy"],
      Projector: ["changes", "map", "race"],
    };
    for (const [name, panels] of Object.entries(expected)) {
      await choose(stand, name);
      await until(async () => (await shown(stand)).join() === panels.join());
      const boxes = await Promise.all(panels.map((id) => place(stand, id)));
      const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
      expect(Math.abs(bottom - 900), `${name} ends at the window's end`).toBeLessThan(24);
      expect(await overhang(stand.page)).toBe(0);
    }
    await stand.page.reload();
    await until(async () => (await shown(stand)).join() === expected.Projector.join());
  });

  test("a panel that is dragged onto another one's middle takes its place, and beside it where it is dropped at a side", async () => {
    await stand.show("A/match");
    await choose(stand, "Projector");
    await arrange(stand);
    const drag = async (id: string, x: number, y: number): Promise<void> => {
      const grip = await stand.page.locator(`.tile[data-panel="${id}"] .tile-grip`).boundingBox();
      await stand.page.mouse.move((grip?.x ?? 0) + 20, (grip?.y ?? 0) + 8);
      await stand.page.mouse.down();
      await stand.page.mouse.move(x, y, { steps: 4 });
      await stand.page.locator(".tile-drop").waitFor();
      await stand.page.mouse.up();
      await stand.page.locator(".tile-drop").waitFor({ state: "detached" });
    };
    const [map, race] = [await place(stand, "map"), await place(stand, "race")];
    await drag("map", race.x + race.width / 2, race.y + race.height / 2);
    await until(async () => (await place(stand, "race")).width > 800);
    expect((await place(stand, "map")).x).toBeCloseTo(race.x, 0);
    await drag("changes", map.x + map.width / 2, map.y + map.height - 40);
    await until(async () => (await place(stand, "changes")).x < 20);
    const below = await place(stand, "changes");
    expect(below.y).toBeGreaterThan((await place(stand, "race")).y + 100);
    // It is changed, and can be put back.
    await stand.page.getByRole("button", { name: "Put back" }).click();
    await until(async () => (await place(stand, "map")).width > 800);
  });

  test("keys move panels and borders, and the focus stays", async () => {
    await stand.show("A/match");
    await choose(stand, "Projector");
    await arrange(stand);
    const before = await place(stand, "map");
    const grip = stand.page.locator('.tile[data-panel="map"] .tile-grip');
    await grip.press("ArrowRight");
    await until(async () => (await place(stand, "map")).x > 500);
    await until(() => grip.evaluate((it) => it === document.activeElement));
    await grip.press("Shift+ArrowLeft");
    await until(async () => (await place(stand, "map")).x === before.x);
    const border = stand.page.getByRole("separator").first();
    const width = (await place(stand, "map")).width;
    await border.press("ArrowRight");
    await until(async () => (await place(stand, "map")).width > width + 10);
    await border.press("Home");
    await until(async () => (await border.getAttribute("aria-valuenow")) === "10");
  });

  test("a border is dragged while nothing is arranged", async () => {
    await stand.show("A/match");
    const roster = await place(stand, "roster");
    await stand.page.mouse.move(roster.x + roster.width, roster.y + 200);
    await stand.page.mouse.down();
    await stand.page.mouse.move(roster.x + roster.width + 100, roster.y + 200, { steps: 4 });
    await stand.page.mouse.up();
    await until(async () => Math.abs((await place(stand, "roster")).width - roster.width - 100) < 4);
    await stand.page.reload();
    await until(async () => Math.abs((await place(stand, "roster")).width - roster.width - 100) < 4);
  });

  test("a layout is saved, exported, deleted and imported; what is none is refused with the reason", async () => {
    const folder = mkdtempSync(join(tmpdir(), "phalanx-layout-"));
    try {
      await stand.show("A/match");
      await arrange(stand);
      await stand.page.getByRole("button", { name: "Remove Work" }).click();
      await stand.page.getByLabel("Add a panel").selectOption("board");
      await stand.page.getByRole("button", { name: "Larger text" }).click();
      await until(async () => (await shown(stand)).includes("board"));
      await stand.page.getByRole("button", { name: "Save as…" }).click();
      await stand.page.getByLabel("Name").fill("mine");
      await stand.page.getByRole("button", { name: "Save", exact: true }).click();
      const mine = (await shown(stand)).join();
      expect(mine).toBe("board,changes,map,race,roster");
      const [file] = await Promise.all([stand.page.waitForEvent("download"), stand.page.getByRole("button", { name: "Export" }).click()]);
      const path = join(folder, file.suggestedFilename());
      await file.saveAs(path);
      expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ phalanxLayout: 1, name: "mine", letters: 1.1 });
      // The layout that it was made from is as it was.
      await choose(stand, "Coach");
      await until(async () => (await shown(stand)).includes("work"));
      await choose(stand, "mine");
      await stand.page.getByRole("button", { name: "Delete" }).click();
      await until(async () => (await shown(stand)).includes("work"));
      await stand.page.getByLabel("Import").setInputFiles(path);
      await until(async () => (await shown(stand)).join() === mine);
      const bad = join(folder, "bad.json");
      writeFileSync(bad, JSON.stringify({ phalanxLayout: 1, name: "bad", tree: "<img src=x>" }));
      await stand.page.getByLabel("Import").setInputFiles(bad);
      await stand.page.getByText("there is no panel “<img src=x>”").waitFor();
      expect((await shown(stand)).join()).toBe(mine);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("on a phone, the panels are one below the other", async () => {
    await stand.page.setViewportSize({ width: 390, height: 844 });
    await stand.show("A/match");
    await stand.page.locator("[data-table]").waitFor();
    const [map, race, roster] = [await place(stand, "map"), await place(stand, "race"), await place(stand, "roster")];
    expect(race.y).toBeGreaterThanOrEqual(map.y + map.height);
    expect(roster.y).toBeGreaterThanOrEqual(race.y + race.height);
    expect(await overhang(stand.page)).toBe(0);
  });
});

describe("plots", () => {
  const stand = opened(() => match().answer(Boards.method.listEntries, {}), { viewport: { width: 1440, height: 900 } });
  const label = (): Promise<string> => stand.page.locator(".plot .chart-frame").first().getAttribute("aria-label").then((it) => it ?? "");
  const lines = (): Promise<void> => stand.page.locator(".plot").getByRole("button", { name: "Lines…" }).click();
  const add = async (): Promise<void> => {
    await stand.show("A/match");
    await stand.page.locator(".link[data-link=live]").waitFor();
    await arrange(stand);
    await stand.page.getByLabel("Add a panel").selectOption("plot");
    await stand.page.getByRole("button", { name: "Done" }).click();
    await lines();
  };
  const turn = (step: number): void => {
    stand.canned.send(Matches.method.watchMatch, { event: { cursor: `2.${step}`, turn: { round: 0, step }, kind: { case: "turnDone", value: { asked: 1, decided: 1, score: 0n } } } }, "teams/A");
  };

  test("the score of both teams has axes with units, from the first turn on, in one chart", async () => {
    await add();
    const picker = stand.page.locator(".plot-picker");
    await picker.getByLabel("score", { exact: false }).first().check();
    await picker.getByRole("button", { name: "B" }).click();
    await picker.getByLabel("score", { exact: false }).first().check();
    await stand.page.locator(".plot").getByRole("button", { name: "Close" }).click();
    await until(async () => (await label()) === "score of A: 4 numbers from 0 to 30 points; score of B: 4 numbers from 0 to 1,200 points");
    expect(await stand.page.locator(".plot .chart-frame").count()).toBe(1);
    // The lines are part of the layout.
    await stand.page.reload();
    await until(async () => (await label()).startsWith("score of A"));
  });

  test("what scripts report with metric(...) is a line over the turns", async () => {
    await add();
    const report = (step: number, value: number): void => {
      const team = { name: "teams/A", game: "assemble", server: "127.0.0.1:12300", turn: { round: 0, step }, metrics: { "free ore": value } };
      stand.canned.answerTo(Teams.method.getTeam, "teams/A", { team });
    };
    report(4, 7);
    await stand.page.locator(".plot-picker").getByLabel("free ore").check();
    await stand.page.locator(".plot").getByRole("button", { name: "Close" }).click();
    await stand.page.getByText("The lines begin with the second number").waitFor();
    report(9, 11.256);
    await until(async () => (await label()) === "free ore of A: 2 numbers from 7 to 11.3 ");
  });

  test("values of the board and metrics of the daemon are lines, too", async () => {
    const stock = (ore: number): void => {
      stand.canned.answerTo(Boards.method.listEntries, "teams/A", { entries: [{ name: "teams/A/board/stock", key: "stock", etag: `${ore}`, value: fromJson(ValueSchema, { ore }) }] });
    };
    stock(3);
    let gauge = 10;
    await stand.page.route("**/metrics", (route) => route.fulfill({ body: `# HELP phalanx_checkpoint_bytes Size.\n# TYPE phalanx_checkpoint_bytes gauge\nphalanx_checkpoint_bytes{team="A"} ${gauge}\n` }));
    await add();
    const picker = stand.page.locator(".plot-picker");
    await picker.getByLabel("stock.ore").check();
    await picker.getByLabel("checkpoint").check();
    await stand.page.locator(".plot").getByRole("button", { name: "Close" }).click();
    stock(5);
    gauge = 4_096;
    turn(5);
    const labels = (): Promise<string[]> => stand.page.locator(".plot .chart-frame").evaluateAll((all) => all.map((it) => it.getAttribute("aria-label") ?? ""));
    await until(async () => (await labels()).join(" | ") === "stock.ore of A: 2 numbers from 3 to 5  | checkpoint of A: 2 numbers from 10 to 4,096 bytes");
    expect((await text(stand.page, ".plot h2"))).toBe("stock.ore, checkpoint");
  });
});

describe("layouts for those who do not see them", () => {
  const stand = opened(match, { bypassCSP: true, viewport: { width: 1440, height: 900 } });

  test.each(["dark", "light"] as const)("axe finds nothing in any layout, arranged or not (%s)", async (colorScheme) => {
    await stand.page.emulateMedia({ colorScheme });
    await stand.show("A/match/a1");
    for (const name of ["Coach", "Operator", "Script author", "Projector"]) {
      await choose(stand, name);
      await until(async () => (await shown(stand)).length > 2);
      expect(await faults(stand.page), name).toEqual([]);
    }
    await arrange(stand);
    await stand.page.getByLabel("Add a panel").selectOption("plot");
    await stand.page.locator(".plot").getByRole("button", { name: "Lines…" }).evaluate((it) => { (it as HTMLElement).click(); });
    await stand.page.locator(".plot-picker").waitFor();
    expect(await faults(stand.page)).toEqual([]);
  });
});
