import { dirname } from "node:path";
import { readFileSync } from "node:fs";
import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edge, garden, graphOf, tool } from "../fixtures/graphs.js";
import { HOSTILE } from "../fixtures/hostile.js";
import { hasChromium, exportFolder, launch, level, open, serve } from "./page.js";

/** Thirty servers with a few hundred tools and routes among them, by rule. */
function archipelago(servers = 20, tools = 14) {
  const nodes = [];
  const edges = [];
  for (let s = 0; s < servers; s += 1) {
    const n = 1 + ((s * 7) % tools) + (s === 3 ? 34 : 0);
    for (let t = 0; t < n; t += 1) {
      const name = `${["list", "read", "update", "remove_old"][t % 4]}_${["parcel", "vessel", "harbour_master"][t % 3]}_${t}`;
      nodes.push(tool(`port-${String(s).padStart(2, "0")}`, name, t % 4 ? ["parcel_id", "note"] : []));
      if (t % 4) edges.push(edge(nodes[nodes.length - 1 - (t % 4)].id, nodes[nodes.length - 1].id, "parcel_id", { type: t % 2 ? "direct" : "semantic", confidence: 0.4 + (t % 6) / 10 }));
      if (s && t % 5 === 1) edges.push(edge(nodes[(s * 31 + t * 3) % (nodes.length - n)]?.id ?? nodes[0].id, nodes[nodes.length - 1].id, "note", { confidence: 0.5 }));
    }
  }
  return graphOf(nodes, edges.filter((each) => each.from !== each.to));
}

/** Boxes of the names that are shown, by kind. */
const names = (page) =>
  page.evaluate(() => {
    const map = document.getElementById("atlas").getBoundingClientRect();
    return [...document.querySelectorAll("#atlas [data-label]")].filter((each) => each.getAttribute("display") !== "none" && each.textContent && getComputedStyle(each).visibility !== "hidden").map((each) => {
      const box = each.getBoundingClientRect();
      return { kind: each.dataset.label, text: each.textContent, x0: box.left, x1: box.right, y0: box.top, y1: box.bottom };
    }).filter((box) => box.x1 > box.x0 && box.x1 > map.left && box.x0 < map.right && box.y1 > map.top && box.y0 < map.bottom);
  });

/** Pairs of names that lie over each other by more than a px; a line's height includes air above and below. */
function overlaps(boxes) {
  const tight = boxes.map((box) => {
    const lines = Math.max(1, Math.round((box.y1 - box.y0) / 16));
    const air = Math.min(4, (box.y1 - box.y0) / lines / 4);
    return { ...box, y0: box.y0 + air, y1: box.y1 - air };
  });
  const out = [];
  tight.forEach((a, i) => tight.slice(i + 1).forEach((b) => {
    if (a.x0 < b.x1 - 1 && a.x1 > b.x0 + 1 && a.y0 < b.y1 - 1 && a.y1 > b.y0 + 1) out.push(`${a.kind} ${a.text} / ${b.kind} ${b.text}`);
  }));
  return out;
}

it("has a Chromium to run in", () => expect(hasChromium).toBe(true));

describe("the viewer in Chromium", () => {
  let browser;
  let small;
  let large;
  beforeAll(async () => {
    browser = await launch();
    small = exportFolder(garden(), { meta: { scanned: "30 Nov 2026", dagster: "http://127.0.0.1:3000" } });
    large = exportFolder(archipelago());
  });
  afterAll(() => browser?.close());

  it("opens from file:// with nothing asked of outside", async () => {
    const { page, seen, context } = await open(browser, small);
    await level(page, "country");
    expect(await page.locator("#atlas .tool").count()).toBe(9);
    expect(await page.locator("#panel h2").textContent()).toBe("Index of tools");
    expect(seen).toEqual({ errors: [], outside: [] });
    await context.close();
  });

  it("opens over HTTP and as one file", async () => {
    const server = await serve(dirname(small));
    const { page, seen, context } = await open(browser, small, { url: server.url });
    expect(await page.locator("#atlas .tool").count()).toBe(9);
    expect(seen).toEqual({ errors: [], outside: [] });
    await context.close();
    await server.close();
    const one = await open(browser, exportFolder(garden(), { single: true }));
    expect(await one.page.locator("#atlas .tool").count()).toBe(9);
    expect(one.seen).toEqual({ errors: [], outside: [] });
    await one.context.close();
  });

  it("finds with / and Enter, shows the tool, and Back undoes it", async () => {
    const { page, context } = await open(browser, small);
    await page.keyboard.press("/");
    await page.keyboard.type("remove plant");
    await page.keyboard.press("Enter");
    await page.locator("#panel h2.tool-title", { hasText: "remove_plant" }).waitFor();
    expect(page.url()).toContain("tool=garden%3A%3Aremove_plant");
    expect(await page.locator("#panel .param-block .edges li").count()).toBe(2);
    await page.goBack();
    await page.locator("#panel h2", { hasText: "Index of tools" }).waitFor();
    await page.goForward();
    await page.locator("#panel h2.tool-title", { hasText: "remove_plant" }).waitFor();
    await context.close();
  });

  it("offers the nearest names where nothing is found", async () => {
    const { page, context } = await open(browser, small);
    await page.fill("#find", "watr_plnt");
    await page.locator("#found .none").waitFor();
    expect(await page.locator("#found .option").first().textContent()).toContain("water_plant");
    await context.close();
  });

  it("opens a deep link, with its filters", async () => {
    const { page, context } = await open(browser, small, { hash: "#level=place&tool=garden::read_plant&types=manual" });
    await level(page, "place");
    expect(await page.locator("#atlas .tool.consumer").count()).toBe(1);
    expect(await page.locator("#atlas .tool.producer").count()).toBe(0);
    expect(await page.locator("#panel a.link").getAttribute("href")).toBe("http://127.0.0.1:3000/assets/semantic_edges?view=partitions&partition=garden%3A%3Aread_plant");
    await context.close();
  });

  it("filters routes and counts what is left out", async () => {
    const { page, context } = await open(browser, small);
    const before = await page.locator("#atlas .route.semantic").count();
    await page.click("#filters-button");
    await page.locator("#filters label", { hasText: "direct" }).click();
    await page.waitForFunction(() => document.querySelectorAll("#atlas .country .route.semantic").length === 0);
    expect(before).toBeGreaterThan(0);
    expect(await page.locator("#atlas .remark").textContent()).toMatch(/^6 routes not drawn/);
    expect(page.url()).toContain("types=direct");
    await context.close();
  });

  it("can be toured by keyboard alone", async () => {
    const { page, context } = await open(browser, small);
    await page.evaluate(() => document.querySelector("#atlas .tool[tabindex='0']").focus());
    const focused = () => page.evaluate(() => document.activeElement.dataset.id);
    const first = await focused();
    await page.keyboard.press("ArrowRight");
    expect(await focused()).not.toBe(first);
    await page.evaluate(() => document.querySelector("#atlas [data-id='garden::find_plant']").focus());
    await page.keyboard.press("Enter");
    await page.locator("#panel h2.tool-title", { hasText: "find_plant" }).waitFor();
    await page.waitForFunction(() => document.activeElement.dataset.id === "garden::find_plant");
    await page.keyboard.press("o");
    await page.waitForFunction(() => document.activeElement.dataset.id === "garden::read_plant");
    await page.keyboard.press("i");
    await page.waitForFunction(() => document.activeElement.dataset.id === "garden::find_plant");
    await page.keyboard.press("Enter");
    await level(page, "place");
    await page.keyboard.press("Escape");
    await level(page, "country");
    await page.keyboard.press("Escape");
    await page.locator("#panel h2", { hasText: "Index of tools" }).waitFor();
    await page.keyboard.press("Escape");
    await level(page, "world");
    await context.close();
  });

  it("goes from the world into a territory and out again", async () => {
    const { page, seen, context } = await open(browser, large);
    await level(page, "world");
    expect(await page.locator("#atlas .territory").count()).toBe(20);
    await page.locator("#atlas .territory[data-id='port-03'] .hit").click();
    await level(page, "country");
    expect(await page.locator("#panel .index tbody tr").count()).toBe(42);
    await page.click("#levels [data-level=world]");
    await level(page, "world");
    expect(seen.errors).toEqual([]);
    await context.close();
  });

  it("moves between the levels by zooming alone", async () => {
    const { page, context } = await open(browser, large);
    const box = await page.locator("#atlas .territory[data-id='port-03'] .hit").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const wheelTo = async (name, by) => {
      for (let step = 0; step < 40; step += 1) {
        await page.mouse.wheel(0, by);
        const now = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(document.querySelector("#levels [aria-pressed='true']").dataset.level))));
        if (now === name) return;
      }
    };
    await wheelTo("country", -240);
    await level(page, "country");
    expect(page.url()).toContain("server=port-03");
    await page.evaluate(() => (globalThis.MCP_ATLAS_APP.crossed = 0));
    await wheelTo("world", 240);
    await level(page, "world");
    await context.close();
  });

  it("shows the same data as a table", async () => {
    const { page, context } = await open(browser, small);
    await page.click("#table-button");
    expect(await page.locator("#table tbody tr").count()).toBe(12);
    await page.keyboard.press("Escape");
    expect(await page.locator("#table").isHidden()).toBe(true);
    await context.close();
  });

  it("says what to do when the graph is empty", async () => {
    const { page, seen, context } = await open(browser, exportFolder(graphOf([], [])));
    expect(await page.locator("#map .empty").textContent()).toContain("No servers have been scanned.");
    expect(seen.errors).toEqual([]);
    await context.close();
  });

  it.each(Object.keys(HOSTILE))("runs nothing of the hostile graph %s and shows its text as text", async (name) => {
    for (const path of [exportFolder(HOSTILE[name]), exportFolder(HOSTILE[name], { single: true })]) {
      const { page, seen, context } = await open(browser, path);
      const id = HOSTILE[name].nodes[0].id;
      const fragment = new URLSearchParams({ level: "country", tool: id });
      await page.goto(`${page.url().split("#")[0]}#${fragment}`);
      await page.waitForFunction(() => document.querySelector("#panel .tool-title"));
      for (const where of ["place", "world", "country"]) {
        const button = page.locator(`#levels [data-level=${where}]`);
        if (!(await button.isEnabled())) continue;
        await button.click();
        await level(page, where);
      }
      await page.click("#table-button");
      await page.fill("#find", "list");
      const state = await page.evaluate(() => ({ pwned: globalThis.PWNED, strange: document.querySelectorAll("#panel script, #panel img, #map img, #map script, #panel b[onclick], [onload], [onerror]").length, wide: document.documentElement.scrollWidth <= innerWidth }));
      expect(state).toEqual({ pwned: undefined, strange: 0, wide: true });
      expect(seen).toEqual({ errors: [], outside: [] });
      await context.close();
    }
  });

  it.each([["small", "country", ""], ["small", "place", "#level=place&tool=garden::find_plant"], ["small", "table", "#table=1"], ["large", "world", ""], ["large", "country", "#level=country&server=port-05"], ["small", "phone", "#tool=garden::find_plant"], ["large", "dark", ""]])("axe finds nothing: %s %s", async (which, kind, hash) => {
    const { page, context } = await open(browser, which === "small" ? small : large, { hash, dark: kind === "dark", ...(kind === "phone" ? { width: 390, height: 844 } : {}) });
    if (kind === "country") await page.click("#filters-button");
    await page.evaluate(axe.source);
    const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations.map((each) => `${each.id}: ${each.nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; ")}`)));
    expect(found).toEqual([]);
    await context.close();
  });

  it.each([["small", ""], ["small", "#tool=garden::remove_plant"], ["small", "#level=place&tool=garden::find_plant"], ["small", "#level=world"], ["large", ""], ["large", "#level=country&server=port-03"], ["large", "#level=country&server=port-06"], ["large", "#level=country&server=port-03&view=0.62,300,200"], ["large", "#level=country&server=port-03&view=1.6,300,200"]])("lets no name lie over another: %s %s", async (which, hash) => {
    for (const size of [{}, { width: 390, height: 844 }]) {
      const { page, context } = await open(browser, which === "small" ? small : large, { hash, ...size });
      const boxes = await names(page);
      expect(boxes.length).toBeGreaterThan(0);
      expect(overlaps(boxes)).toEqual([]);
      await context.close();
    }
  });

  it("gives SVG and PNG that stand alone, and a print sheet of one page", async () => {
    const { page, seen, context } = await open(browser, small);
    const take = async (words) => {
      await page.click("#export-button");
      const [file] = await Promise.all([page.waitForEvent("download"), page.locator("#export .action", { hasText: words }).click()]);
      return { name: file.suggestedFilename(), body: readFileSync(await file.path()) };
    };
    const picture = await take("SVG");
    expect(picture.name).toBe("mcp-atlas-garden-kitchen.svg");
    const text = picture.body.toString("utf8");
    expect(text).toContain("find_plant");
    expect(text).not.toMatch(/class=|<style|<script|var\(/);
    const png = (await take("PNG")).body;
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2112, 1648]);
    await page.evaluate(() => globalThis.MCP_ATLAS_APP.printSheet());
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    expect(pdf).toMatch(/\/MediaBox\s*\[0 0 119\d(\.\d+)? 84\d/);
    expect(await page.locator("#print .print-entry").count()).toBe(9);
    expect(seen.errors).toEqual([]);
    await context.close();
  });

  it("has targets of 44 px and no sideways scroll on a phone", async () => {
    const { page, context } = await open(browser, small, { width: 390, height: 844, hash: "#tool=garden::find_plant" });
    const small_ = await page.evaluate(() => [...document.querySelectorAll("button, input, a.link")].map((each) => [each, each.getBoundingClientRect()]).filter(([, box]) => box.width > 0).filter(([each, box]) => box.height < 42 && !each.classList.contains("grip")).map(([each, box]) => `${each.textContent || each.id} ${Math.round(box.height)}`));
    expect(small_).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.locator(".grip").click();
    await page.waitForFunction(() => document.body.classList.contains("sheet-full"));
    await context.close();
  });
});
