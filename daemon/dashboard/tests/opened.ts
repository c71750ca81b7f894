/** A page on canned answers, both made anew for each test. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { close, launch, watched, type Watched } from "./browser";
import type { Canned } from "./canned";

/** What a test finds there. */
export interface Opened {
  readonly canned: Canned;
  readonly page: Page;
  /** Goes to a place of the page. */
  show(place: string): Promise<unknown>;
}

/** For all tests of the block in which it is called. */
export function opened(answers: () => Canned, options: BrowserContextOptions = {}): Opened {
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
    canned = await answers().open();
    it = await watched(browser, canned.address, options);
  });
  afterEach(async () => {
    await close(it);
    canned.close();
  });
  return {
    get canned() {
      return canned;
    },
    get page() {
      return it.page;
    },
    show: (place) => it.page.goto(`${canned.address}/#/${place}`),
  };
}
