/**
 * A country plate on the map: lands and routes in the plane, marks and names over it at their own size.
 *
 * Routes are pieces that several edges may share; a piece's look follows from those of its edges that the
 * filters show, so filters never need a new layout.
 */
import { plural } from "../data/text.js";
import { drawLand, standing } from "./land.js";
import { at, svg } from "./svg.js";
import { cull } from "../layout/labels.js";

const MARK = 4.6;
const COUNTED = 6;
const ARROW = "M3.4 0L-3.4 3V-3Z";
const TIP = "M0 0L-6.5 3V-3Z";

/** `graph`, `plate` (layoutPlate's answer) and `hues` (server → {hue, hatch}) as a scene. */
export function countryScene(graph, plate, hues) {
  const ground = svg("g");
  const over = svg("g");
  const lands = svg("g");
  const routes = svg("g", { class: plate.crowded ? "crowded" : "", "aria-hidden": "true" });
  const marks = svg("g", { "aria-hidden": "true" });
  const names = svg("g");
  const tools = svg("g", { role: "list", "aria-label": "Tools on this plate" });
  ground.append(lands, routes);
  over.append(marks, names, tools);
  for (const land of plate.lands) lands.append(drawLand(land, { ...hues.get(land.server), status: standing(graph.serverByName.get(land.server)) }));
  const landNames = plate.lands.map((land) => drawLandName(land, hues, names));
  const pieces = plate.pieces.map((piece) => makePiece(piece, routes, marks));
  const items = plate.nodes.map((node) => makeTool(graph, node, tools));
  const byId = new Map(items.map((item) => [item.node.id, item]));
  let shown = () => true;
  let focus = null;

  const restyle = (chosen = focus, filter = shown, near = null) => {
    focus = chosen;
    shown = filter;
    const mine = new Map();
    if (chosen) {
      for (const edge of graph.into.get(chosen) ?? []) mine.set(edge.number, "in");
      for (const edge of graph.out.get(chosen) ?? []) mine.set(edge.number, "out");
    }
    let drawn = new Set();
    scene.dimmed = 0;
    for (const piece of pieces) drawn = stylePiece(graph, piece, { mine, shown, near, drawn, crowded: plate.crowded });
    for (const item of items) {
      item.group.classList.toggle("chosen", item.node.id === chosen);
      item.group.classList.toggle("dim", !!near && !near.has(item.node.id));
      for (const port of item.ports) {
        port.label?.classList.toggle("in", item.node.id === chosen);
        const fed = chosen && (graph.out.get(chosen) ?? []).some((edge) => edge.to === item.node.id && edge.param === port.name && shown(edge));
        port.label?.classList.toggle("out", !!fed && item.node.id !== chosen);
      }
    }
    if (near) for (const number of drawn) if (!mine.has(number) && !(near.has(graph.edges[number].from) && near.has(graph.edges[number].to))) scene.dimmed += 1;
    return drawn.size;
  };

  const place = (view, within = null) => {
    const { k, x, y } = view;
    ground.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
    for (const piece of pieces) {
      if (piece.arrowMark) piece.arrowMark.setAttribute("transform", `${at(piece.arrow.x * k + x, piece.arrow.y * k + y)} rotate(${piece.turn})`);
      if (piece.tipMark) piece.tipMark.setAttribute("transform", at(piece.tip[0] * k + x + MARK * (k - 1) + 0.4, piece.tip[1] * k + y));
      if (piece.badge && piece.manual) piece.badge.setAttribute("transform", at(piece.manual.x * k + x, piece.manual.y * k + y));
    }
    for (const piece of pieces) if (piece.tally) piece.tally.setAttribute("transform", at(piece.folded.x * k + x, piece.folded.y * k + y));
    for (const land of landNames) {
      const size = land.name.size * Math.min(1, Math.max(0.6, k));
      land.text.setAttribute("transform", `${at(land.name.x * k + x, land.name.y * k + y)} scale(${size / land.name.size})`);
    }
    for (const item of items) placeTool(item, view);
    return cull(items, landNames, view, focus, within, pieces);
  };

  const scene = {
    kind: "country", dimmed: 0, heavy: plate.pieces.length > 350, ground, over, box: plate.box, place, restyle, items, byId, plate, lands: landNames,
    counts: () => `${plural(plate.undrawn.length, "route")} not drawn`,
    hover(id) {
      for (const item of items) item.group.classList.toggle("hovered", item.node.id === id);
      const mine = new Map();
      if (id) {
        for (const edge of graph.into.get(id) ?? []) mine.set(edge.number, "in");
        for (const edge of graph.out.get(id) ?? []) mine.set(edge.number, "out");
      }
      for (const piece of pieces) {
        const side = id && piece.edges.map((number) => mine.get(number)).find(Boolean);
        for (const line of piece.lines) {
          line.classList.toggle("hot", !!side);
        }
      }
    },
  };
  restyle(null);
  return scene;
}

function drawLandName(land, hues, parent) {
  const { name } = land;
  const { hue } = hues.get(land.server);
  const text = svg("text", { class: "landname", "font-size": name.size, "letter-spacing": `${name.spacing}em`, y: 0 }, land.title.toUpperCase());
  parent.append(svg("g", { class: `hue-${hue} ${name.inside ? "" : "outside"}`, "data-label": "land" }, text));
  return { name, text, server: land.server };
}

function makePiece(piece, routes, marks) {
  const group = svg("g");
  routes.append(group);
  const made = { ...piece, group, lines: [], arrowMark: null, tipMark: null, badge: null, turn: 0 };
  if (piece.arrow) {
    made.turn = Math.round((piece.arrow.angle * 180) / Math.PI);
    made.arrowMark = svg("path", { class: "arrow", d: ARROW });
    marks.append(made.arrowMark);
  }
  if (piece.tip) {
    made.tipMark = svg("path", { class: "arrow tip", d: TIP });
    marks.append(made.tipMark);
  }
  if (piece.folded) {
    made.tally = svg("text", { class: "bundlecount oncountry", "data-label": "count", dy: 3.8 });
    marks.append(made.tally);
  }
  made.marks = marks;
  return made;
}

/** Draw one piece for its visible edges; adds their numbers to `drawn`. */
function stylePiece(graph, piece, { mine, shown, near, drawn, crowded }) {
  const edges = piece.edges.map((number) => graph.edges[number]).filter(shown);
  const side = edges.map((edge) => mine.get(edge.number)).find(Boolean) ?? "";
  const dim = near && !side && !edges.some((edge) => near.has(edge.from) && near.has(edge.to)) ? " dim" : "";
  for (const edge of edges) drawn.add(edge.number);
  const types = new Set(edges.map((edge) => edge.type));
  // With a tool chosen a shared piece shows the strongest of that tool's own edges.
  const own = side ? edges.filter((edge) => mine.has(edge.number)) : edges;
  const best = Math.max(0, ...own.map((edge) => edge.confidence));
  const ownTypes = new Set(own.map((edge) => edge.type));
  let width = (0.6 + 0.9 * best) * (side ? 1.45 : 1) * (crowded && !side ? 0.8 : 1);
  const lines = [];
  if (edges.length) {
    if ((side ? ownTypes : types).size > 1) {
      lines.push(svg("path", { class: `route ${side}${dim}`, d: piece.d, "stroke-width": 3.1 * (side ? 1.15 : 1) }));
      lines.push(svg("path", { class: "route core", d: piece.d, "stroke-width": 1.35 }));
    } else {
      const type = [...ownTypes][0];
      if (type === "manual") width *= 1.5;
      lines.push(svg("path", { class: `route ${type} ${side}${dim}`, d: piece.d, "stroke-width": Math.round(width * 100) / 100 }));
    }
  }
  piece.group.replaceChildren(...lines);
  if (side) piece.group.parentNode.append(piece.group);
  piece.lines = lines;
  if (piece.tally) {
    piece.tally.textContent = String(edges.length);
    piece.shown = edges.length >= COUNTED;
  }
  for (const mark of [piece.arrowMark, piece.tipMark])
    if (mark) {
      mark.setAttribute("class", `arrow ${side}${dim}`);
      mark.setAttribute("display", edges.length && !(mark === piece.arrowMark && crowded && !side) ? "inline" : "none");
    }
  const manual = own.length > 0 && ownTypes.has("manual") && ownTypes.size === 1 && piece.manual && (piece.between || piece.arrow);
  if (manual && !piece.badge) {
    piece.badge = svg("g", { class: "badge" }, svg("circle", { r: 5.2 }), svg("text", { y: 2.6 }, "M"));
    piece.marks.append(piece.badge);
  }
  if (piece.badge) {
    piece.badge.setAttribute("display", manual ? "inline" : "none");
    piece.badge.setAttribute("class", `badge ${side}${dim}`);
  }
  return drawn;
}

function makeTool(graph, node, parent) {
  const tool = graph.toolById.get(node.id);
  const group = svg("g", {
    class: `tool ${tool.mark}${tool.warning ? " warned" : ""}`, role: "listitem", tabindex: "-1", "data-id": node.id,
    "aria-label": `${tool.label}, ${plural((graph.into.get(node.id) ?? []).length, "route")} in, ${(graph.out.get(node.id) ?? []).length} out`,
  });
  const hit = svg("rect", { class: "hit" });
  const focus = [svg("rect", { class: "focusring under", rx: 4 }), svg("rect", { class: "focusring over", rx: 4 })];
  const mark = svg("rect", { class: "mark" });
  const ring = tool.mark === "destroys" ? svg("rect", { class: "ring" }) : null;
  const ripple = svg("rect", { class: "ripple" });
  group.append(hit, ...focus, ripple, ...(ring ? [ring] : []), mark);
  const ports = node.ports.map((port) => {
    const label = svg("text", { class: `param halo${port.person ? " byperson" : ""}`, "data-label": "param" }, port.label);
    const open = port.person ? svg("circle", { class: "person", r: 2.4 }) : null;
    group.append(label, ...(open ? [open] : []));
    return { ...port, label, open };
  });
  const name = svg("text", { class: "toolname halo", "data-label": "tool", "text-anchor": node.above ? "middle" : "start" });
  node.lines.forEach((line, i) => {
    const dy = node.above ? -(node.lines.length - 1 - i) * 14.5 : (i - (node.lines.length - 1) / 2) * 14.5;
    name.append(svg("tspan", { x: 0, y: dy }, line));
  });
  group.append(name);
  let caution = null;
  if (tool.warning) {
    caution = svg("g", {}, svg("path", { class: "caution", d: "M0 -7L7 5H-7Z" }), svg("text", { class: "cautionmark", y: 3.5 }, "!"));
    group.append(caution);
  }
  parent.append(group);
  return { node, tool, group, hit, focus, mark, ring, ripple, ports, name, caution, degree: graph.into.get(node.id).length + graph.out.get(node.id).length };
}

function placeTool(item, { k, x, y }) {
  const { node } = item;
  const half = Math.max(0, node.ports.length - 1) * 9 * k;
  item.group.setAttribute("transform", at(node.x * k + x, node.y * k + y));
  const rect = (element, r) => {
    element.setAttribute("x", -r);
    element.setAttribute("y", -half - r);
    element.setAttribute("width", 2 * r);
    element.setAttribute("height", 2 * (half + r));
    element.setAttribute("rx", r);
  };
  rect(item.mark, MARK);
  if (item.ring) rect(item.ring, MARK + 2.6);
  rect(item.ripple, MARK + (item.ring ? 5.4 : 4));
  for (const port of item.ports) {
    const dy = port.dy * k;
    port.label.setAttribute("x", -MARK - (port.person ? 9 : 8));
    port.label.setAttribute("y", dy + 11);
    port.open?.setAttribute("cx", -MARK - 3.6);
    port.open?.setAttribute("cy", dy);
  }
  const tall = half + MARK + (item.ring ? 2.6 : 0);
  const nameY = node.above ? -tall - 6 : 4.3;
  item.name.setAttribute("transform", at(node.above ? 0 : MARK + (item.ring ? 9.6 : 7), nameY));
  if (item.half === half) return;
  item.half = half;
  const w = node.right + node.left;
  const box = { x: node.above ? -w / 2 : -12, y: node.above ? -tall - 10 - node.lines.length * 14.5 : -Math.max(tall, 12) - 3, width: node.above ? w : node.right + 16, height: 0 };
  const nameWide = Math.max(...node.lines.map((line) => line.length)) * 7.6;
  if (node.above) (box.x = -nameWide / 2 - 4), (box.width = nameWide + 8);
  box.height = node.above ? 2 * tall + 14 + node.lines.length * 14.5 + 2 : 2 * Math.max(tall, 12) + 6;
  for (const each of [item.hit, ...item.focus]) for (const key of Object.keys(box)) each.setAttribute(key, box[key]);
  item.caution?.setAttribute("transform", node.above ? at(-node.nameWidth / 2 - 13, -tall - 9) : at(MARK + 18 + node.nameWidth, 1));
}
