/** The cartouche, the legend and the remark: what the map is, how to read it, and what it leaves out. */
import { textWidth } from "../layout/measure.js";
import { svg } from "./svg.js";

/** Cartouche at the top left: `{kicker, title, sub, facts: [[key, value], …]}`. Its box is in `group.box`. */
export function cartouche({ kicker, title, sub, facts }) {
  const x = 39;
  const values = facts.map(([key, value]) => textWidth(key, 11.5) + textWidth(value, 11.5) + 16);
  const lines = wrap(title, 24, 300);
  const width = Math.max(206, Math.min(310, Math.max(...values, ...lines.map((line) => textWidth(line, 23.5, "serif") * 1.02), textWidth(sub, 14, "serif"))));
  const group = svg("g", { class: "cartouche" });
  let y = 50;
  group.append(svg("text", { class: "kicker serif", x, y }, kicker));
  for (const line of lines) group.append(svg("text", { class: "plate-title serif", x, y: (y += 26) }, line));
  group.append(svg("text", { class: "sub serif", x, y: (y += 20) }, sub));
  group.append(svg("line", { x1: x, x2: x + width, y1: (y += 12), y2: y }));
  y += 1;
  for (const [key, value] of facts) {
    y += 16;
    group.append(svg("text", { class: "key", x, y }, key), svg("text", { class: "value", x: x + width, y }, value));
  }
  group.box = { x0: x - 12, y0: 30, x1: x + width + 12, y1: y + 12 };
  group.prepend(svg("rect", { class: "back", x: group.box.x0, y: group.box.y0, width: width + 24, height: y - 18, rx: 3 }));
  return group;
}

function wrap(text, size, most) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const longer = lines[lines.length - 1] ? `${lines[lines.length - 1]} ${word}` : word;
    if (textWidth(longer, size, "serif") > most && lines[lines.length - 1]) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.slice(0, 2).map((line) => (textWidth(line, size, "serif") > most + 8 ? line.slice(0, 24) + "…" : line));
}

/** The legend of a country plate at the bottom left. */
export function legend(height) {
  const x = 39;
  const rows = [
    ["direct: the schemas match", (y) => line(x, y, "direct")],
    ["semantic: the meanings match", (y) => line(x, y, "semantic")],
    ["manual: a person drew it", (y) => line(x, y, "manual")],
    ["several types share it", (y) => line(x, y, "shared")],
    ["weight: confidence .3 to 1", (y) => [svg("path", { class: "arrow", d: `M${x} ${y - 0.4}L${x + 52} ${y - 1.2}V${y + 1.2}L${x} ${y + 0.4}Z` })]],
    ["only reads", (y) => mark(x + 26, y, "reads")],
    ["writes", (y) => mark(x + 26, y, "writes")],
    ["may destroy", (y) => mark(x + 26, y, "destroys")],
    ["route ends at a parameter", (y) => [svg("path", { class: "route direct", d: `M${x + 2} ${y}H${x + 14}`, "stroke-width": 1.4 }), svg("path", { class: "arrow", d: `M${x + 21} ${y}l-7 -3v6z` }), ...mark(x + 26, y, "reads")]],
    ["a person supplies this", (y) => [svg("circle", { class: "person", cx: x + 17, cy: y, r: 2.4 }), ...mark(x + 26, y, "reads")]],
  ];
  const step = 18.2;
  const top = height - 44 - (rows.length - 1) * step - 18;
  const group = svg("g", { class: "legend" });
  rows.forEach(([words, draw], i) => {
    const y = top + i * step + (i > 4 ? 2 : 0);
    group.append(...draw(y), svg("text", { x: x + 62, y: y + 4 }, words));
  });
  group.box = { x0: x - 10, y0: top - 14, x1: x + 62 + 178, y1: height - 40 };
  group.prepend(svg("rect", { class: "back", x: group.box.x0, y: group.box.y0, width: group.box.x1 - group.box.x0, height: group.box.y1 - group.box.y0, rx: 3 }));
  return group;
}

function line(x, y, type) {
  const arrow = svg("path", { class: "arrow", d: `M${x + 52} ${y}l-7 -3v6z` });
  if (type === "shared") return [svg("path", { class: "route", d: `M${x} ${y}H${x + 46}`, "stroke-width": 3.1 }), svg("path", { class: "route core sea-core", d: `M${x} ${y}H${x + 46}`, "stroke-width": 1.35 }), arrow];
  const parts = [svg("path", { class: `route ${type}`, d: `M${x} ${y}H${x + 46}`, "stroke-width": type === "manual" ? 2 : 1.4 }), arrow];
  if (type === "manual") parts.push(svg("g", { class: "badge", transform: `translate(${x + 21} ${y})` }, svg("circle", { r: 5.2 }), svg("text", { y: 2.6 }, "M")));
  return parts;
}

const mark = (x, y, kind) => [svg("g", { class: kind }, svg("circle", { class: "mark", cx: x, cy: y, r: 4.6 }), kind === "destroys" ? svg("circle", { class: "ring", cx: x, cy: y, r: 7.2 }) : null)];

/** The legend of the world. */
export function worldLegend(height) {
  const x = 39;
  const y = height - 92;
  const group = svg("g", { class: "legend" });
  [1, 5, 15, 30].forEach((n, i) => {
    const at = x + i * 42;
    group.append(svg("path", { class: "bundle", d: `M${at} ${y}h30`, "stroke-width": 0.9 + 0.6 * Math.log2(n) }), svg("text", { x: at + 15, y: y + 16, "text-anchor": "middle" }, String(n)));
  });
  group.append(svg("text", { x: x + 172, y: y + 4 }, "routes in a bundle, producer to consumer"));
  group.append(svg("circle", { class: "dot", cx: x + 3, cy: y + 34, r: 1.1 }), svg("text", { x: x + 12, y: y + 38 }, "one tool"), svg("text", { class: "serif", x: x + 86, y: y + 38, "letter-spacing": ".07em" }, "NAME"), svg("text", { x: x + 136, y: y + 38 }, "sized by number of tools"));
  group.box = { x0: x - 10, y0: y - 16, x1: x + 420, y1: height - 46 };
  group.prepend(svg("rect", { class: "back", x: group.box.x0, y: group.box.y0, width: group.box.x1 - group.box.x0, height: group.box.y1 - group.box.y0, rx: 3 }));
  return group;
}

/** The sentence at the bottom that counts what is not drawn. */
export function remark(width, height, side = "end") {
  return svg("text", { class: "remark", x: side === "end" ? width - 31 : 39, y: height - 28, "text-anchor": side });
}
