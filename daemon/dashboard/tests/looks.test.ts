/** The map of each game looks as before: small pictures of fixed worlds, compared with tolerance. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch, watched } from "./browser";
import { GAMES, until } from "./stage";
import { still } from "./worlds";

const FOLDER = join(import.meta.dirname, "looks");
/** Width and height of what is compared: letters are a few pixels then, whatever the machine's fonts. */
const SIZE = [160, 100] as const;
/** A pixel differs if a colour differs by FAR of 255; at most SHARE of all pixels may. Another font makes a quarter of that. */
const [FAR, SHARE] = [48, 0.0025];
const UPDATE = process.env["UPDATE_LOOKS"] !== undefined;

describe("the map looks as it did", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
  });

  test.each(GAMES.flatMap((game) => (["dark", "light"] as const).map((colours) => [game, colours] as const)))("%s, %s", async (game, colours) => {
    const canned = await still(game).open();
    try {
      const { page } = await watched(browser, canned.address, { colorScheme: colours, viewport: { width: 1000, height: 600 }, bypassCSP: true });
      await page.goto(`${canned.address}/#/A/map`);
      await until(async () => (await page.locator(".map-canvas").getAttribute("data-paint-ms")) !== null);
      const now = await shrunk(page);
      const file = join(FOLDER, `${game}-${colours}.png`);
      if (UPDATE || !existsSync(file)) {
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(file, Buffer.from(now.slice(now.indexOf(",") + 1), "base64"));
        expect(UPDATE, `${file} was missing`).toBe(true);
      }
      const before = `data:image/png;base64,${readFileSync(file).toString("base64")}`;
      expect(await difference(page, before, now), "share of pixels that differ").toBeLessThan(SHARE);
      // Bodies are small: a measure that overlooks them is none.
      await page.getByRole("checkbox", { name: "bodies" }).uncheck();
      await until(async () => (await difference(page, now, await shrunk(page))) > (game === "colosseum" ? 0 : SHARE));
      await page.context().close();
    } finally {
      canned.close();
    }
  });
});

/** The map, small. */
function shrunk(page: Page): Promise<string> {
  return page.locator(".map-canvas").evaluate((it, [width, height]) => {
    const small = document.createElement("canvas");
    [small.width, small.height] = [width, height];
    const pen = small.getContext("2d");
    if (pen === null) throw new Error("no pen");
    pen.imageSmoothingQuality = "high";
    pen.drawImage(it as HTMLCanvasElement, 0, 0, width, height);
    return small.toDataURL("image/png");
  }, SIZE);
}

/** The share of pixels in which two small pictures differ visibly. */
function difference(page: Page, one: string, other: string): Promise<number> {
  return page.evaluate(
    async ([first, second, far]) => {
      const pixels = async (source: string): Promise<Uint8ClampedArray> => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const pen = canvas.getContext("2d");
        if (pen === null) throw new Error("no pen");
        pen.drawImage(image, 0, 0);
        return pen.getImageData(0, 0, image.width, image.height).data;
      };
      const [a, b] = [await pixels(first), await pixels(second)];
      if (a.length !== b.length) return 1;
      let different = 0;
      for (let at = 0; at < a.length; at += 4) {
        const apart = [0, 1, 2].some((colour) => Math.abs((a[at + colour] ?? 0) - (b[at + colour] ?? 0)) > far);
        if (apart) different += 1;
      }
      return (different * 4) / a.length;
    },
    [one, other, FAR] as const,
  );
}
