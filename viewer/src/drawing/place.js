/** One tool's place on the map: the card with its ports, producers left, consumers right, a small inset. */
import { confidence, count, plural } from "../data/text.js";
import { textWidth } from "../layout/measure.js";
import { drawLand, standing } from "./land.js";
import { at, svg } from "./svg.js";

const ARROW = "M3.4 0L-3.4 3V-3Z";
const TIP = "M0 0L-8 3.8V-3.8Z";
const SAYS = { reads: "only reads", writes: "writes", destroys: "may destroy" };

/** `place` is layoutPlace's answer; `inset(plate)` adds the country in small once it is laid out. */
export function placeScene(graph, tool, place, hues) {
  const ground = svg("g");
  const over = svg("g");
  const { card, box } = place;
  for (const land of place.lands) ground.append(drawLand(land, { ...hues.get(land.server), status: standing(graph.serverByName.get(land.server)) }));
  const fixed = svg("g");
  over.append(fixed);
  for (const land of place.lands) {
    const { name } = land;
    fixed.append(svg("g", { class: `hue-${hues.get(land.server).hue} ${name.inside ? "" : "outside"}` }, svg("text", { class: "landname", "data-label": "land", "font-size": name.size, "letter-spacing": ".2em", transform: at(name.x, name.y) }, land.title.toUpperCase())));
  }
  const marks = svg("g", { "aria-hidden": "true" });
  const lines = svg("g", { "aria-hidden": "true" });
  fixed.append(lines, marks);
  for (const piece of place.pieces) {
    const edges = piece.edges.map((number) => graph.edges[number]);
    const types = new Set(edges.map((edge) => edge.type));
    const best = Math.max(...edges.map((edge) => edge.confidence));
    const type = types.size === 1 ? [...types][0] : "direct";
    lines.append(svg("path", { class: `route ${type} ${piece.side}`, d: piece.d, "stroke-width": Math.round((0.6 + 0.9 * best) * 1.45 * (type === "manual" ? 1.5 : 1) * 100) / 100 }));
    if (piece.arrow) marks.append(svg("path", { class: `arrow ${piece.side}`, d: ARROW, transform: `${at(piece.arrow.x, piece.arrow.y)} rotate(${Math.round((piece.arrow.angle * 180) / Math.PI)})` }));
    if (piece.tip) marks.append(svg("path", { class: `arrow ${piece.side}`, d: TIP, transform: at(...piece.tip) }));
    if (piece.manual) marks.append(svg("g", { class: `badge ${piece.side}`, transform: at(piece.manual.x, piece.manual.y) }, svg("circle", { r: 6 }), svg("text", { y: 2.6 }, "M")));
    if (piece.label) marks.append(svg("text", { class: "param halo out placeparam", "data-label": "param", transform: at(...piece.labelAt) }, piece.label));
  }
  fixed.append(drawCard(graph, tool, place, card));
  fixed.append(...headings(graph, tool, place, box));
  const tools = svg("g", { role: "list", "aria-label": "Producers and consumers" });
  over.append(tools);
  const items = place.tools.map((node) => neighbourTool(graph, node, tools));
  const centre = centreItem(tool, card, tools);
  items.push(centre);
  const byId = new Map(items.map((item) => [item.node.id, item]));
  return {
    kind: "place", heavy: true, ground, over, box, items, byId, place_: place, lands: place.lands,
    restyle: () => place.shown.length,
    inset: (home) => fixed.append(drawInset(home, tool, place, hues, graph)),
    place({ k, x, y }) {
      ground.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
      over.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
      return 0;
    },
    counts() {
      const others = graph.edges.length - place.shown.length - place.missing;
      return `${plural(others, "route")} of other tools not drawn.${place.missing ? ` ${plural(place.missing, "route")} of this tool without room.` : ""}${place.rowsLeft ? ` ${plural(place.rowsLeft, "parameter")} without room.` : ""}`;
    },
    hover(id) {
      for (const item of items) item.group.classList.toggle("hovered", item.node.id === id);
    },
  };
}

function drawCard(graph, tool, place, card) {
  const middle = card.x + card.width / 2;
  const size = tool.label.length > 22 ? 19 : 27;
  const group = svg("g", { class: "cardgroup" });
  const letters = Array.from(tool.label);
  const words = svg("text", { class: "placetitle halo", "data-label": "tool", "font-size": size, "text-anchor": "middle", transform: at(middle, card.y - 40) }, letters.length > 38 ? letters.slice(0, 37).join("") + "…" : tool.label);
  group.append(words, svg("g", { class: tool.mark }, svg("circle", { class: "mark", cx: middle - 40, cy: card.y - 20, r: 4.6 }), tool.mark === "destroys" ? svg("circle", { class: "ring", cx: middle - 40, cy: card.y - 20, r: 7.2 }) : null), svg("text", { class: "hint", x: middle - 28, y: card.y - 16 }, SAYS[tool.mark]));
  group.append(svg("rect", { class: "card", x: card.x, y: card.y, width: card.width, height: card.height, rx: 4 }));
  card.rows.forEach((row, i) => {
    if (i) group.append(svg("line", { class: "cardrule", x1: card.x, x2: card.x + card.width, y1: row.y - 26, y2: row.y - 26 }));
    group.append(svg("circle", { class: row.filled ? "cardport filled" : "cardport person", cx: card.x, cy: row.y, r: 6 }));
    group.append(svg("text", { class: `cardname${row.filled ? " filled" : ""}`, "data-label": "param", x: card.x + 16, y: row.y + 1 }, row.label));
    group.append(svg("text", { class: "cardkind", x: card.x + 16, y: row.y + 17 }, row.kind));
    const roomy = textWidth(row.label, 17, "serif") < 62;
    if (!row.filled && row.required && roomy) group.append(svg("text", { class: "cardperson", "text-anchor": "end", x: card.x + card.width - 14, y: row.y + 1 }, "a person supplies this"));
  });
  if (!card.rows.length) group.append(svg("text", { class: "cardkind", x: card.x + 16, y: card.y + 30 }, "takes no parameters"));
  if (place.tools.some((each) => each.side === "right")) {
    const produces = graph.out.get(tool.id).find((edge) => edge.produces)?.produces;
    group.append(svg("circle", { class: "cardport out", cx: card.x + card.width, cy: card.y + 26, r: 6 }), svg("text", { class: "cardname out", "text-anchor": "end", x: card.x + card.width - 16, y: card.y + 27 }, outLabel(card, produces)));
  }
  return group;
}

/** What the tool returns, where the card's first row has room for it. */
function outLabel(card, produces) {
  const first = card.rows[0];
  if (first && !first.filled) return "";
  const words = produces ? produces.slice(0, 16) : "returns";
  return first && textWidth(first.label, 17, "serif") + textWidth(words, 17, "serif") > card.width - 44 ? "" : words;
}

function headings(graph, tool, place, box) {
  const into = graph.into.get(tool.id);
  const out = graph.out.get(tool.id);
  const filled = new Set(into.map((edge) => edge.param)).size;
  const producers = new Set(into.map((edge) => edge.from)).size;
  const consumers = new Set(out.map((edge) => edge.to));
  const servers = new Set([...consumers].map((id) => graph.toolById.get(id).server)).size;
  return [
    svg("text", { class: "headline serif", x: 36, y: 44 }, "Producers"),
    svg("text", { class: "headcount", x: 36, y: 63 }, producers ? `${plural(producers, "tool")} ${producers === 1 ? "fills" : "fill"} ${count(filled)} of ${plural(tool.params.size, "parameter")}` : "none found"),
    svg("text", { class: "headline serif", x: box.x1 - 26, y: 44, "text-anchor": "end" }, "Consumers"),
    svg("text", { class: "headcount", x: box.x1 - 26, y: 63, "text-anchor": "end" }, consumers.size ? `${plural(consumers.size, "tool")} on ${plural(servers, "server")}` : "none found"),
  ];
}

/** The country in small, with a ring where the tool lies. */
function drawInset(home, tool, { box, insetAt }, hues, graph) {
  const w = 170;
  const h = 110;
  const x = insetAt === "left" ? 25 : box.x1 - w - 25;
  const y = box.y1 - h - 26;
  const land = home.lands.find((each) => each.server === tool.server) ?? home.lands[0];
  const { x0, y0, x1, y1 } = land.box;
  const k = Math.min((w - 16) / (x1 - x0), (h - 16) / (y1 - y0));
  const dx = x + w / 2 - ((x0 + x1) / 2) * k;
  const dy = y + h / 2 - ((y0 + y1) / 2) * k;
  const group = svg("g", { class: "inset", "aria-hidden": "true" }, svg("rect", { class: "back", x, y, width: w, height: h }));
  const drawn = drawLand({ coast: land.coast, lines: [], ribbons: land.ribbons, box: land.box }, { ...hues.get(land.server), hatch: 0, status: standing(graph.serverByName.get(land.server)) });
  drawn.setAttribute("transform", `translate(${dx} ${dy}) scale(${k})`);
  group.append(drawn);
  for (const node of home.nodes) {
    if (node.server !== land.server) continue;
    const [cx, cy] = [node.x * k + dx, node.y * k + dy];
    group.append(svg("circle", { class: "insetdot", cx, cy, r: 1.1 }));
    if (node.id === tool.id) group.append(svg("circle", { class: "insethere", cx, cy, r: 4 }));
  }
  return group;
}

function neighbourTool(graph, node, parent) {
  const tool = graph.toolById.get(node.id);
  const left = node.side === "left";
  const r = 6;
  const group = svg("g", { class: `tool placetool ${tool.mark} ${left ? "producer" : "consumer"}`, role: "listitem", tabindex: "-1", "data-id": node.id, "aria-label": `${tool.label}, ${left ? "producer" : "consumer"}, confidence ${confidence(node.confidence)}`, transform: at(node.x, node.y) });
  const wide = Math.max(node.nameWidth, node.tight ? 0 : 150);
  const box = left ? { x: -12, y: -28, width: wide + 20, height: node.tight ? 38 : 52 } : { x: -12, y: -21, width: wide + 34, height: node.tight ? 38 : 44 };
  group.append(svg("rect", { class: "hit", ...box }), svg("rect", { class: "focusring under", rx: 4, ...box }), svg("rect", { class: "focusring over", rx: 4, ...box }));
  group.append(svg("circle", { class: "ripple", r: r + 5 }));
  if (tool.mark === "destroys") group.append(svg("circle", { class: "ring", r: r + 2.6 }));
  group.append(svg("circle", { class: "mark", r }));
  const said = `${confidence(node.confidence)} ${node.reason}`.trim();
  group.append(svg("text", { class: "toolname placename halo", "data-label": "tool", x: left ? -5 : 16, y: left ? -14 : node.tight ? 5 : -1 }, ...node.lines.map((line, i) => svg("tspan", { x: left ? -5 : 16, dy: i ? 16 : node.lines.length > 1 ? -16 : 0 }, line))));
  if (!node.tight) group.append(svg("text", { class: "reason placereason halo", x: left ? 14 : 16, y: left ? 20 : 17 }, left || said.length < 30 ? said : `${said.slice(0, 28)}…`));
  parent.append(group);
  return { node, tool, group };
}

function centreItem(tool, card, parent) {
  const box = { x: card.x - 14, y: card.y - 74, width: card.width + 28, height: card.height + 84 };
  const group = svg("g", { class: "tool centre", role: "listitem", tabindex: "-1", "data-id": tool.id, "aria-label": `${tool.label}, the tool shown` }, svg("rect", { class: "hit", ...box }), svg("rect", { class: "focusring under", rx: 5, ...box }), svg("rect", { class: "focusring over", rx: 5, ...box }));
  parent.append(group);
  return { node: { id: tool.id, x: card.x + card.width / 2, y: card.y + card.height / 2 }, tool, group };
}
