/** The print sheet: A3 landscape, black, hatching for hue, and the index of every slot with its cell. */
import { byText } from "../data/graph.js";
import { confidence, oneLine, plural } from "../data/text.js";
import { fill, html, svg } from "./svg.js";
import { countryScene } from "./country.js";
import { MapView } from "./map.js";
import { orderNames, worldScene } from "./world.js";

const MAP = { width: 1110, height: 955 };
const FIRST_PAGE_LINES = 74;

/**
 * Fill `sheet` (in the document, shown in print only). `plate` or `world` as laid out; `furnish(map, scene)`
 * puts cartouche-less furniture in. Returns the map.
 */
export function printSheet(sheet, { graph, hues, plate, world, bundles, title, sub, facts, furnish, shown }) {
  const place = html("div", { class: "print-map" });
  const index = html("div", { class: "print-index" });
  const rest = html("div", { class: "print-rest" });
  fill(sheet, html("header", { class: "print-head" }, html("h2", {}, title), html("p", {}, sub), html("span", {}, "MCP Atlas")), html("div", { class: "print-page" }, place, index), rest);
  const map = new MapView(place, MAP);
  map.svg.classList.add("print");
  const scene = plate ? countryScene(graph, plate, hues) : orderNames(worldScene(graph, world, bundles, hues));
  hatchLands(map.sceneSvg, scene, hues, plate ? plate.lands.map((land) => land.server) : world.territories.map((land) => land.name));
  scene.restyle(null, shown, null);
  const area = { x0: 17 + 16, y0: 17 + 16, x1: MAP.width - 33, y1: MAP.height - 50 };
  const parts = furnish(map, scene);
  let home = map.fit(scene.box, area, 1.25);
  // Land keeps off the legend.
  if (plate && plate.lands.some((land) => land.rings.some((ring) => ring.some((x, i) => i % 2 === 0 && inside(parts[0].box, x * home.k + home.x, ring[i + 1] * home.k + home.y))))) home = map.fit(scene.box, { ...area, x0: area.x0 + 235 }, 1.25);
  map.show(scene, map.window(home), home);
  map.furniture.replaceChildren(...parts);
  const cell = (id) => {
    const item = scene.byId.get(id);
    return item ? map.cell(item.node.x, item.node.y) : "";
  };
  const entries = plate
    ? graph.tools.filter((tool) => scene.byId.has(tool.id)).sort((a, b) => byText(a.label, b.label) || byText(a.id, b.id)).map((tool) => toolEntry(graph, tool, cell(tool.id), shown))
    : graph.servers.map((server) => ({ lines: 1, element: html("div", { class: "print-entry" }, html("b", {}, server.label), html("span", {}, cell(server.name)), html("p", {}, plural(server.tools.length, "tool"))) }));
  let lines = 4 + facts.length;
  const first = [];
  for (const entry of entries) {
    lines += entry.lines;
    if (lines > FIRST_PAGE_LINES) break;
    first.push(entry.element);
  }
  fill(index, html("h3", {}, plate ? "Index of tools and what fills them" : "Index of servers"), ...first, html("dl", { class: "print-facts" }, ...facts.flatMap(([key, value]) => [html("dt", {}, key), html("dd", {}, value)])));
  if (first.length < entries.length) fill(rest, ...entries.slice(first.length).map(({ element }) => element));
  return map;
}

const inside = (box, x, y) => x > box.x0 && x < box.x1 && y > box.y0 && y < box.y1;

function toolEntry(graph, tool, cell, shown) {
  const into = graph.into.get(tool.id).filter(shown);
  const params = [...tool.params.values()].filter((param) => param.required || into.some((edge) => edge.param === param.name));
  let lines = 1;
  const rows = params.map((param) => {
    const names = into.filter((edge) => edge.param === param.name).map((edge) => graph.toolById.get(edge.from).label + (edge.confidence < 0.8 ? ` (${confidence(edge.confidence)})` : ""));
    const words = names.length ? names.join(", ") : "a person supplies this";
    lines += Math.max(1, Math.ceil(words.length / 40));
    return html("div", { class: "print-slot" }, html("i", {}, oneLine(param.name, 30)), names.length ? html("span", {}, words) : html("em", {}, words));
  });
  if (!rows.length) {
    rows.push(html("div", { class: "print-slot" }, html("i", {}), html("span", {}, "takes no parameters")));
    lines += 1;
  }
  return { lines: lines + 0.4, element: html("div", { class: "print-entry" }, html("b", {}, tool.label), html("span", {}, cell), ...rows) };
}

/** Replace the coloured ribbons by a hatched band, another direction for another hue. */
function hatchLands(root, scene, hues, names) {
  const turns = ["rotate(45)", "rotate(-45)", "rotate(0)", "rotate(90)", "cross"];
  const defs = svg("defs");
  turns.forEach((turn, i) => {
    const pattern = svg("pattern", { id: `hatch-${i}`, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: turn === "cross" ? "rotate(45)" : turn }, svg("path", { class: "hatchline", d: turn === "cross" ? "M0 2.5H5M2.5 0V5" : "M0 2.5H5" }));
    defs.append(pattern);
  });
  root.append(defs);
  scene.ground.querySelectorAll(".land").forEach((land, i) => {
    const { hue } = hues.get(names[i]) ?? { hue: 0 };
    const wide = land.querySelector(".ribbon.wide");
    wide?.setAttribute("class", "printband");
    wide?.setAttribute("fill", `url(#hatch-${hue % 5})`);
  });
}
