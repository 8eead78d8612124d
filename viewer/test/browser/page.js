/** Opens the built viewer with a graph in Debian's Chromium, from a folder, over HTTP or as one file. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const hasChromium = existsSync(CHROMIUM);
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8" };
const asJson = (value) => JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A folder as `atlas export --site` writes it; `single` the one-file form. Returns the page's path. */
export function exportFolder(graph, { single = false, meta = null } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "atlas-viewer-"));
  if (single) {
    writeFileSync(join(folder, "atlas.html"), readFileSync(join(DIST, "single.html"), "utf8").replace("__ATLAS_GRAPH__", () => asJson(graph)));
    return join(folder, "atlas.html");
  }
  for (const name of ["index.html", "atlas.js", "atlas.css"]) copyFileSync(join(DIST, name), join(folder, name));
  writeFileSync(join(folder, "graph.js"), `globalThis.MCP_ATLAS_GRAPH = ${asJson(graph)};\n${meta ? `globalThis.MCP_ATLAS_META = ${asJson(meta)};\n` : ""}`);
  return join(folder, "index.html");
}

export function launch() {
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
}

/** A static server for a folder on loopback. */
export async function serve(folder) {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://x").pathname).slice(1) || "index.html";
    try {
      const body = readFileSync(join(folder, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => new Promise((done) => server.close(done)) };
}

/** Open a page and wait for its map. Errors, violations and requests beyond the page's own are collected. */
export async function open(browser, path, { hash = "", width = 1440, height = 900, dark = false, calm = true, url = null } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", reducedMotion: calm ? "reduce" : "no-preference", acceptDownloads: true, hasTouch: width < 500, isMobile: width < 500 });
  const page = await context.newPage();
  const seen = { errors: [], outside: [] };
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && seen.errors.push(message.text()));
  page.on("dialog", (dialog) => (seen.errors.push(`dialog ${dialog.message()}`), dialog.dismiss()));
  const start = url ?? pathToFileURL(path).href;
  const own = url ? new URL(url).origin : "file://";
  page.on("request", (request) => {
    if (!request.url().startsWith(own) && !/^(blob|data):/.test(request.url())) seen.outside.push(request.url());
  });
  await page.goto(start + hash);
  await ready(page);
  return { page, seen, context };
}

export const ready = (page) => page.waitForFunction(() => document.documentElement.dataset.ready === "1");

/** Wait until the page shows this level, and its scene is drawn. */
export const level = (page, name) => page.waitForFunction((wanted) => document.querySelector(`#levels [aria-pressed="true"]`)?.dataset.level === wanted && document.querySelector(`#atlas .${wanted}`), name);
