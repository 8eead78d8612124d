/**
 * The viewer's benchmarks: time to the first map, layout, frames while panning and zooming.
 *
 * `node benchmarks/viewer.mjs [--json]` (after `npm run build` in viewer/). Figures are medians of three;
 * what is judged are ratios taken on the same machine in the same run.
 */
import { dirname } from "node:path";
import { rmSync } from "node:fs";
import { makeGraphs } from "./viewer_graphs.mjs";
import { readGraph } from "../viewer/src/data/graph.js";
import { plateInput } from "../viewer/src/data/plates.js";
import { bundlesOf, worldInput } from "../viewer/src/data/world.js";
import { layoutPlate } from "../viewer/src/layout/plate.js";
import { layoutWorld } from "../viewer/src/layout/world.js";
import { exportFolder, launch, level, open } from "../viewer/test/browser/page.js";

const RUNS = 3;
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const timed = (work) => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

function layouts(raw) {
  const graph = readGraph(raw);
  const bundles = bundlesOf(graph);
  const largest = graph.servers.reduce((a, b) => (b.tools.length > a.tools.length ? b : a));
  const middling = [...graph.servers].sort((a, b) => a.tools.length - b.tools.length)[Math.floor(graph.servers.length / 2)];
  return {
    world: median(Array.from({ length: RUNS }, () => timed(() => layoutWorld(worldInput(graph, bundles))))),
    "median country": median(Array.from({ length: RUNS }, () => timed(() => layoutPlate(plateInput(graph, middling.name))))),
    "largest country": timed(() => layoutPlate(plateInput(graph, largest.name))),
  };
}

async function firstMap(browser, path) {
  const times = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { page, context } = await open(browser, path, { hash: "#level=world" });
    times.push(await page.evaluate(() => performance.getEntriesByName("atlas-ready")[0].startTime));
    await context.close();
  }
  return median(times);
}

/** The longest frame, and the median, of a drag and of wheel steps at world level. */
async function frames(browser, path) {
  const { page, context } = await open(browser, path, { hash: "#level=world" });
  await level(page, "world");
  await page.evaluate(() => {
    globalThis.FRAMES = [];
    let last = performance.now();
    const tick = (now) => (globalThis.FRAMES.push(now - last), (last = now), requestAnimationFrame(tick));
    requestAnimationFrame(tick);
  });
  await page.mouse.move(500, 450);
  await page.mouse.down();
  for (let i = 0; i < 40; i += 1) await page.mouse.move(500 + i * 5, 450 + i * 2);
  await page.mouse.up();
  for (let i = 0; i < 14; i += 1) await page.mouse.wheel(0, i < 7 ? -60 : 60);
  const list = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(globalThis.FRAMES.slice(1)))));
  await context.close();
  return { longest: Math.max(...list), median: median(list) };
}

const graphs = makeGraphs();
const sizes = { demo: graphs.demo, 370: graphs.g370, 3700: graphs.g3700, 7000: graphs.g7000 };
const browser = await launch();
const results = {};
for (const [name, raw] of Object.entries(sizes)) {
  const path = exportFolder(raw);
  const bare = exportFolder(raw, { meta: { bare: true } });
  results[name] = { tools: raw.nodes.length, edges: raw.edges.length, servers: raw.servers.length, ...layouts(raw), first: await firstMap(browser, path), bare: await firstMap(browser, bare) };
  if (name === "3700") results[name].frames = await frames(browser, path);
  for (const each of [path, bare]) rmSync(dirname(each), { recursive: true });
}
await browser.close();
const ratios = {
  "first map, 3700 tools against 370 (≤ 15)": results[3700].first / results[370].first,
  "world layout, 3700 tools against 370 (≤ 15)": results[3700].world / results[370].world,
  "3700 tools against parsing and bare territories (≤ 3)": results[3700].first / results[3700].bare,
  "longest frame at 3700 tools, world, ms (≤ 100)": results[3700].frames.longest,
};
if (process.argv.includes("--json")) console.log(JSON.stringify({ results, ratios }, null, 1));
else {
  for (const [name, r] of Object.entries(results)) console.log(`${name.padEnd(5)} ${r.tools} tools ${r.servers} servers ${r.edges} edges: first map ${r.first.toFixed(0)} ms, bare ${r.bare.toFixed(0)} ms, world layout ${r.world.toFixed(0)} ms, median country ${r["median country"].toFixed(0)} ms, largest country ${r["largest country"].toFixed(0)} ms`);
  for (const [words, value] of Object.entries(ratios)) console.log(`${words}: ${value.toFixed(2)}`);
  console.log(`frames at 3700: median ${results[3700].frames.median.toFixed(0)} ms`);
}
