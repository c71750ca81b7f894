/** What somebody operates stays as it is while the match goes on around it. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Worlds } from "../src/gen/phalanx/v1/worlds_pb";
import { close, launch, text, watched, type Watched } from "./browser";
import type { Canned } from "./canned";
import { until } from "./stage";
import { field, still } from "./worlds";

describe("while a match goes on", () => {
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
    canned = await still("assemble").open();
    it = await watched(browser, canned.address);
  });
  afterEach(async () => {
    await close(it);
    canned.close();
  });
  const show = (view: string): Promise<unknown> => it.page.goto(`${canned.address}/#/A/${view}`);

  test("a layer that was switched off stays off, and opened words stay open, with the next worlds", async () => {
    await show("map");
    const layer = it.page.getByRole("checkbox", { name: "bodies" });
    const words = it.page.locator(".map-side details").first();
    const open = (): Promise<boolean> => words.evaluate((box) => (box as HTMLDetailsElement).open);
    await layer.uncheck();
    expect(await open()).toBe(true);
    await words.locator("summary").click();
    for (const step of [4, 5]) {
      canned.tell(Worlds.method.watchWorld, { world: { team: "teams/A", game: "assemble", turn: { round: 0, step }, tick: BigInt(step + 1), parts: [field(24, 8)] } });
      await until(async () => (await text(it.page, ".scrubber output")) === `0:${step}`);
    }
    expect(await layer.isChecked()).toBe(false);
    expect(await open()).toBe(false);
  });
});
