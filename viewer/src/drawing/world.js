/** The world on the map: territories with a dot a tool, their names, and bundles with their counts. */
import { count, oneLine, plural } from "../data/text.js";
import { Boxes } from "../layout/labels.js";
import { textWidth } from "../layout/measure.js";
import { drawLand, standing } from "./land.js";
import { at, set, svg } from "./svg.js";

const HEAD = "M0 0L-9 4.2V-4.2Z";

/** `world` (layoutWorld's answer), `bundles` (bundlesOf) and `hues` as a scene. */
export function worldScene(graph, world, bundles, hues) {
  const ground = svg("g");
  const over = svg("g");
  const lands = svg("g");
  const dots = svg("g", { "aria-hidden": "true" });
  const lines = svg("g", { "aria-hidden": "true" });
  const marks = svg("g", { "aria-hidden": "true" });
  const names = svg("g", { role: "list", "aria-label": "Territories" });
  ground.append(lands, dots, lines);
  over.append(marks, names);
  const held = new Map(bundles.map((bundle) => [`${bundle.from}\n${bundle.to}`, bundle]));
  const items = world.territories.map((land) => {
    const server = graph.serverByName.get(land.name);
    const drawn = drawLand(land, { ...hues.get(land.name), status: standing(server) });
    lands.append(drawn);
    if (land.tools) dots.append(svg("path", { class: "dots", d: land.dots.map(([x, y]) => `M${x} ${y}h0`).join("") }));
    return territory(land, server, hues.get(land.name).hue, names);
  });
  const byId = new Map(items.map((item) => [item.node.id, item]));
  const routes = world.routes.map((route) => {
    const line = svg("path", { class: "bundle", d: route.d });
    lines.append(line);
    const head = svg("path", { class: "arrow", d: HEAD });
    const port = svg("circle", { class: "port", r: 2.6 });
    const label = route.label ? svg("text", { class: "bundlecount", "data-label": "count", dy: 3.8 }) : null;
    marks.append(port, head, ...(label ? [label] : []));
    return { ...route, line, head, port, text: label, bundle: held.get(`${route.from}\n${route.to}`), n: 0 };
  });
  let chosen = null;
  let drawnEdges = 0;
  let allBundles = 0;

  const light = (name) => {
    for (const route of routes) {
      const side = name && (route.from === name ? "out" : route.to === name ? "in" : "");
      for (const element of [route.line, route.head, route.text]) {
        element?.classList.toggle("in", side === "in");
        element?.classList.toggle("out", side === "out");
      }
    }
  };

  return {
    kind: "world", heavy: world.territories.length > 30, ground, over, box: world.box, items, byId, world,
    restyle(_, shown) {
      drawnEdges = 0;
      allBundles = bundles.filter((bundle) => bundle.edges.some(shown)).length;
      for (const route of routes) {
        route.n = route.bundle.edges.filter(shown).length;
        drawnEdges += route.n;
        const display = route.n ? "inline" : "none";
        for (const element of [route.line, route.head, route.port]) element.setAttribute("display", display);
        route.line.setAttribute("stroke-width", String(Math.round(((0.9 + 0.6 * Math.log2(Math.max(1, route.n))) / Math.sqrt(world.scale)) * 100) / 100));
        if (route.text) route.text.textContent = count(route.n);
      }
      light(chosen);
      return drawnEdges;
    },
    place(view, within = null, edge = null) {
      const { k, x, y } = view;
      const outside = (box) => within && (box.x0 < within.x0 || box.x1 > within.x1 || box.y0 < within.y0 || box.y1 > within.y1);
      ground.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
      const boxes = new Boxes();
      let omitted = 0;
      for (const item of items.order) {
        const { node } = item;
        const { land } = node;
        let cx = node.x * k + x;
        // A small map sets all names small.
        const f = within ? Math.min(1, 12 / land.size) : 1;
        const size = land.size * f;
        const cy = land.inside ? node.y * k + y + size * 0.3 : land.bottom * k + y + size * 0.85 + 3;
        const half = ((within ? land.nameWidth : item.wide) / 2) * f + 2;
        // A name that the frame would cut moves in a little.
        if (edge && !within && cx > edge.x0 && cx < edge.x1) cx = Math.max(edge.x0 + half + 3, Math.min(edge.x1 - half - 3, cx));
        const box = { x0: cx - half, x1: cx + half, y0: cy - size * 0.8, y1: cy + (within || !land.count ? 3 : 14) };
        const beyond = outside(box);
        const clash = beyond || boxes.hits(box);
        if (clash && !beyond) omitted += 1;
        if (!clash) boxes.add(box);
        item.group.setAttribute("transform", at(cx, cy));
        set(item.title, "font-size", String(Math.round(size * 10) / 10));
        set(item.count, "display", within || !land.count ? "none" : "inline");
        set(item.words, "display", clash ? "none" : "inline");
        const w = (land.box.x1 - land.box.x0) * k;
        const h = (land.box.y1 - land.box.y0) * k;
        if (item.at === k) continue;
        item.at = k;
        for (const each of [item.hit, ...item.focus]) {
          each.setAttribute("x", land.box.x0 * k + x - cx - 2);
          each.setAttribute("y", land.box.y0 * k + y - cy - 2);
          each.setAttribute("width", w + 4);
          each.setAttribute("height", h + 4);
        }
      }
      for (const route of routes) {
        if (!route.n) {
          route.text?.setAttribute("display", "none");
          continue;
        }
        route.head.setAttribute("transform", `${at(route.end[0] * k + x, route.end[1] * k + y)} rotate(${Math.round((route.angle * 180) / Math.PI)})`);
        route.port.setAttribute("transform", at(route.start[0] * k + x, route.start[1] * k + y));
        if (!route.text) continue;
        const cx = route.label[0] * k + x;
        const cy = route.label[1] * k + y;
        const wide = 3.5 * String(route.n).length + 2;
        const box = { x0: cx - wide, x1: cx + wide, y0: cy - 6, y1: cy + 6 };
        const clash = boxes.hits(box);
        if (!clash) boxes.add(box);
        set(route.text, "display", clash ? "none" : "inline");
        route.text.setAttribute("transform", at(cx, cy));
      }
      return omitted;
    },
    counts() {
      const inside = graph.edges.filter((edge) => !edge.cross).length;
      const left = allBundles - routes.filter((route) => route.n).length;
      return `${plural(inside, "route")} inside territories not drawn at this level.${left ? ` ${plural(left, "bundle")} of the fewest routes not drawn.` : ""}`;
    },
    facts: () => `${count(drawnEdges)} in ${plural(routes.filter((route) => route.n).length, "bundle")}`,
    hover(id) {
      light(id ?? chosen);
    },
    mark(name) {
      chosen = name;
      light(name);
    },
  };

  function territory(land, server, hue, parent) {
    const group = svg("g", { class: `territory hue-${hue} ${standing(server)} ${land.inside ? "" : "outside"}`, role: "listitem", tabindex: "-1", "data-id": land.name, "aria-label": `${server.label}, ${plural(land.tools, "tool")}${server.status === "ok" ? "" : `, ${server.status}`}` });
    const hit = svg("rect", { class: "hit" });
    const focus = [svg("rect", { class: "focusring under", rx: 6 }), svg("rect", { class: "focusring over", rx: 6 })];
    const words = svg("g", { "data-label": "land" });
    const title = svg("text", { class: "landname", "font-size": land.size, "letter-spacing": `${land.spacing}em` }, land.label.toUpperCase());
    const state = standing(server);
    const said = state === "ok" ? plural(land.tools, "tool") : state === "stale" ? `${plural(land.tools, "tool")}, not seen now` : `not scanned${server.reason ? `: ${oneLine(server.reason, 34)}` : ""}`;
    const tally = svg("text", { class: "landcount", y: 11.5 }, said);
    words.append(title, tally);
    group.append(hit, ...focus, words);
    parent.append(group);
    return { node: { id: land.name, x: land.x, y: land.y, land }, group, hit, focus, words, title, count: tally, wide: Math.max(land.nameWidth, land.count ? textWidth(said, 10.5) : 0) };
  }
}

/** Territories in the order in which their names take their places: the most tools first. */
export function orderNames(scene) {
  scene.items.order = [...scene.items].sort((a, b) => b.node.land.tools - a.node.land.tools || (a.node.id < b.node.id ? -1 : 1));
  return scene;
}
