/** Mouse, wheel and keys on the map. */
import { describe, expect, test } from "vitest";
import { opened } from "./opened";
import { text, type Watched } from "./browser";
import { until } from "./stage";
import { still } from "./worlds";

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
    await it.page.locator(".map-canvas").press("ArrowLeft");
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
});
