/** Mouse, wheel and keys on the map, the inspector, and orders from there. */
import { describe, expect, test } from "vitest";
import { Access, Role } from "../src/gen/phalanx/v1/access_pb";
import { Strategies } from "../src/gen/phalanx/v1/strategies_pb";
import { Teams } from "../src/gen/phalanx/v1/teams_pb";
import { Worlds } from "../src/gen/phalanx/v1/worlds_pb";
import { opened } from "./opened";
import { text, type Watched } from "./browser";
import { until } from "./stage";
import { field, moved, still } from "./worlds";

describe("the map", () => {
  const it = opened(() => still("assemble"));
  const centre = async (): Promise<{ x: number; y: number }> => {
    const box = await it.page.locator(".map-canvas").boundingBox();
    if (box === null) throw new Error("no map");
    return { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
  };
  const cell = (page: Watched["page"]): Promise<string> => text(page, ".map-hint strong");
  /** The cell under the centre, after the pointer has moved there. */
  const under = async (): Promise<string> => {
    const { x, y } = await centre();
    await it.page.mouse.move(x + 1, y);
    await it.page.mouse.move(x, y);
    await it.page.locator(".map-hint").waitFor();
    return cell(it.page);
  };
  const shown = async (): Promise<void> => {
    await it.show("A/map");
    await until(async () => (await it.page.locator(".map-canvas").getAttribute("data-paint-ms")) !== null);
  };

  test("a drag pans, the wheel zooms around the pointer, and 0 shows everything again", async () => {
    await shown();
    const first = await under();
    const { x, y } = await centre();
    await it.page.mouse.down();
    await it.page.mouse.move(x + 90, y + 60, { steps: 4 });
    await it.page.mouse.up();
    const dragged = await under();
    expect(dragged).not.toBe(first);
    await it.page.mouse.wheel(0, -400);
    await until(async () => (await under()) === dragged);
    await it.page.locator(".map-canvas").press("Shift+ArrowLeft");
    await until(async () => (await under()) !== dragged);
    await it.page.locator(".map-canvas").press("0");
    await until(async () => (await under()) === first);
  });

  test("a click chooses the agent under the pointer, and a drag does not", async () => {
    await shown();
    const chooser = it.page.locator(".map-side").getByLabel("Agent");
    await chooser.selectOption("agent2");
    await it.page.getByLabel("Follow it").check();
    await until(async () => (await under()) === "14, 10");
    await chooser.selectOption("");
    const { x, y } = await centre();
    await it.page.mouse.move(x, y);
    await it.page.mouse.down();
    await it.page.mouse.move(x + 40, y, { steps: 4 });
    await it.page.mouse.move(x, y, { steps: 4 });
    await it.page.mouse.up();
    // The end of a drag swallows clicks until the browser is idle, far sooner than people click again.
    await it.page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
    expect(it.page.url()).not.toContain("agent2");
    await it.page.mouse.click(x, y);
    await it.page.waitForURL(/#\/A\/map\/agent2$/);
  });

  test("a click opens the inspector, arrow keys move the chosen place, and Escape closes it", async () => {
    await shown();
    const { x, y } = await centre();
    await it.page.mouse.click(x, y);
    const place = (): Promise<string> => text(it.page, "[data-inspected-place]");
    await until(async () => (await place()) !== "");
    const [column = 0, row = 0] = (await place()).split(", ").map(Number);
    const canvas = it.page.locator(".map-canvas");
    await canvas.press("ArrowRight");
    await until(async () => (await place()) === `${column + 1}, ${row}`);
    await canvas.press("ArrowUp");
    await until(async () => (await place()) === `${column + 1}, ${row - 1}`);
    await canvas.press("Escape");
    await it.page.locator(".map-inspector").waitFor({ state: "detached" });
  });

  test("the legend names what is shown, and stays as it was left", async () => {
    await shown();
    const legend = it.page.locator(".map-legend");
    await until(async () => {
      const words = await legend.innerText();
      return ["our agents, by number", "opponents", "obstacle", "goal", "dispenser", "carried by an agent"].every((word) => words.includes(word));
    });
    await legend.locator("summary").click();
    await until(async () => (await it.page.evaluate(() => localStorage.getItem("phalanx.legend"))) === "closed");
    await it.page.reload();
    await legend.locator("summary").waitFor();
    expect(await legend.getAttribute("open")).toBeNull();
  });

  test("bodies glide to their next cells and then rest", async () => {
    await shown();
    const moving = (): Promise<string | null> => it.page.locator(".map-canvas").getAttribute("data-moving");
    await until(async () => (await moving()) === "no");
    // Each state of the canvas, since a glide is shorter than a look from here.
    await it.page.locator(".map-canvas").evaluate((canvas) => {
      new MutationObserver(() => { canvas.dataset["seen"] = `${canvas.dataset["seen"] ?? ""} ${canvas.dataset["moving"] ?? ""}`; }).observe(canvas, { attributeFilter: ["data-moving"] });
    });
    it.canned.send(Worlds.method.watchWorld, moved([field(24, 8)], 5, 1));
    await until(async () => ((await it.page.locator(".map-canvas").getAttribute("data-seen")) ?? "").includes("yes"));
    await until(async () => (await moving()) === "no");
  });
});

describe("maps that are not joined", () => {
  const it = opened(() => still("assemble", { ...field(12, 3), name: "map of a1" }, { ...field(9, 2), name: "map of a2" }));

  test("are side by side until one is wanted alone", async () => {
    await it.show("A/map");
    await until(async () => ((await it.page.locator(".map-canvas").getAttribute("aria-label")) ?? "").includes("5 units"));
    await it.page.locator(".map-side select").first().selectOption("map of a2");
    await until(async () => ((await it.page.locator(".map-canvas").getAttribute("aria-label")) ?? "").includes("2 units"));
  });
});

describe("the tools of the map", () => {
  const it = opened(() => still("assemble", { ...field(12, 3), name: "map of a1" }, { ...field(9, 2), name: "map of a2" }));

  test("layers open from a button that covers no name of a map, on a wide map and on a narrow one", async () => {
    for (const [width, height] of [[1280, 800], [390, 844]] as const) {
      await it.page.setViewportSize({ width, height });
      await it.show("A/match");
      const tools = it.page.locator(".map-tools");
      await it.page.locator(".map-canvas[data-paint-ms]").waitFor();
      const [canvas, box] = [await it.page.locator(".map-canvas").boundingBox(), await tools.boundingBox()];
      if (canvas === null || box === null) throw new Error("no map");
      // Names are at the top: the tools are at the bottom, or in the row that a narrow map leaves free.
      const below = box.y > canvas.y + canvas.height / 2;
      expect(below || box.y + box.height <= canvas.y + 44, `${width} wide`).toBe(true);
      await it.page.getByLabel("Layers").click();
      await it.page.getByRole("checkbox", { name: "bodies" }).uncheck();
      await it.page.getByLabel("Layers").click();
      expect(await it.page.getByRole("checkbox", { name: "bodies" }).isVisible()).toBe(false);
    }
  });
});

describe("orders from the map", () => {
  const it = opened(() =>
    still("assemble")
      .answer(Access.method.getCaller, { who: "operator", role: Role.OPERATOR })
      .answer(Strategies.method.evalScript, { text: '"move(e)"', step: 3 })
      .answer(Teams.method.pilotAgent, {})
      .answer(Teams.method.sendOrder, {})
      .answer(Teams.method.releaseAgent, {}),
  );

  test("the chosen agent goes to the chosen place step by step, until the user stops it", async () => {
    await it.show("A/map/agent2");
    await until(async () => (await it.page.locator(".map-canvas").getAttribute("data-paint-ms")) !== null);
    const canvas = it.page.locator(".map-canvas");
    await canvas.press("ArrowRight");
    const go = it.page.getByRole("button", { name: "Go to 15, 10" });
    await go.click();
    await until(() => Promise.resolve(it.canned.asked(Teams.method.pilotAgent) === 1 && it.canned.asked(Teams.method.sendOrder) === 1));
    it.canned.send(Worlds.method.watchWorld, moved([field(24, 8)], 5, 0));
    await until(() => Promise.resolve(it.canned.asked(Teams.method.sendOrder) === 2));
    await it.page.getByRole("button", { name: "Stop going there" }).click();
    await until(() => Promise.resolve(it.canned.asked(Teams.method.releaseAgent) === 1));
    await go.waitFor();
  });
});
