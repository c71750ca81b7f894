import { defineConfig } from "vitest/config";
import solid from "vite-plugin-solid";

/** Where a daemon listens while the page is worked on: `PHALANX_CONTROL=http://127.0.0.1:7420`. */
const daemon = process.env["PHALANX_CONTROL"] ?? "http://127.0.0.1:7420";

/** What the daemon answers, and not the page. The daemon takes calls without an origin as a tool's. */
const proxied = {
  target: daemon,
  changeOrigin: true,
  configure: (proxy: { on(event: "proxyReq", then: (request: { removeHeader(name: string): void }) => void): void }) => {
    proxy.on("proxyReq", (request) => {
      request.removeHeader("origin");
    });
  },
};

/** What needs a browser and running matches, one after the other: the machine is small. */
const inBrowser = (name: string, kind: string) => ({
  extends: true as const,
  test: {
    name,
    include: [`tests/**/*.${kind}.ts`],
    environment: "node" as const,
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});

export default defineConfig({
  plugins: [solid()],
  base: "./",
  server: { fs: { allow: ["../.."] }, host: "127.0.0.1", port: 5173, strictPort: true, proxy: { "/phalanx.v1": proxied, "/metrics": proxied } },
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    // Everything is a file of its own, so that the page needs no `data:` in its content policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  test: {
    environment: "node",
    projects: [
      { extends: true, test: { name: "logic", include: ["src/**/*.test.ts"], environment: "node" } },
      inBrowser("browser", "test"),
      inBrowser("pictures", "pictures"),
      inBrowser("measure", "measure"),
    ],
  },
});
