/** A real browser, and what every page must hold. */
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page, type Route } from "playwright-core";
import { expect } from "vitest";

/** The built page. */
export const DIST = join(import.meta.dirname, "../dist");
/** Types of its files. */
export const KINDS: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
/** Whether to test the page that was built last, not the one in the programs. */
const FRESH = process.env["PHALANX_PAGE"] === "built";
const PROGRAM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb", "--font-render-hinting=none"];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts the browser. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: PROGRAM, args: FLAGS });
}

/** Gives the files as they were built last, with the headers of the daemon's own page. */
async function fresh(route: Route): Promise<void> {
  const { origin, pathname } = new URL(route.request().url());
  const file = join(DIST, pathname === "/" ? "index.html" : pathname);
  const own = await route.fetch({ url: `${origin}/` }).catch(() => undefined);
  if (own === undefined) {
    await route.abort();
    return;
  }
  const kind = KINDS[extname(file)] ?? "text/html";
  await route.fulfill({ body: await readFile(file), headers: { ...own.headers(), "content-type": kind, etag: "", "content-length": "", "content-encoding": "identity" } });
}

/** A page with its errors: the policy may refuse nothing, and nothing may fail. */
export interface Watched {
  readonly page: Page;
  /** Errors of scripts and refusals of the policy. */
  readonly complaints: string[];
  /** Requests to other hosts than the daemon. */
  readonly strangers: string[];
}

/** Opens a page. */
export async function watched(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "dark", ...options });
  if (FRESH) await context.route((url) => url.origin === address && /^\/(assets\/.*)?$/.test(url.pathname), fresh);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  const strangers: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (line) => {
    const text = line.text();
    // A daemon that is away is a failed request, and no fault of the page.
    if (line.type() === "error" && !text.includes("Failed to load resource")) complaints.push(text);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(address)) strangers.push(request.url());
  });
  return { page, complaints, strangers };
}

/** Closes a page that must not have complained. */
export async function close({ page, complaints, strangers }: Watched): Promise<void> {
  await page.context().close();
  expect(complaints).toEqual([]);
  expect(strangers).toEqual([]);
}

/** The text of the first such element, as it is shown. */
export function text(page: Page, selector: string): Promise<string> {
  return page.locator(selector).first().innerText({ timeout: 1_000 });
}

/** What axe finds wrong on the page; the context must bypass the policy. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 2).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  });
}

/** How far the page is wider than its window, in pixels. */
export function overhang(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
