/** The page as a whole: one state, three levels, and what happens when either changes. */
import { edgeFilter, filtered, within } from "./data/filter.js";
import { readGraph } from "./data/graph.js";
import { assignHues } from "./data/hues.js";
import { personPortsLeft, placeInput, plateInput, plateKey, single } from "./data/plates.js";
import { count, oneLine, plural } from "./data/text.js";
import { bundlesOf, worldInput } from "./data/world.js";
import { cartouche, legend, remark, worldLegend } from "./drawing/cartouche.js";
import { countryScene } from "./drawing/country.js";
import { printSheet } from "./drawing/print.js";
import { placeScene } from "./drawing/place.js";
import { MapView } from "./drawing/map.js";
import { html } from "./drawing/svg.js";
import { orderNames, worldScene } from "./drawing/world.js";
import { bindKeys, neighbour } from "./interaction/keyboard.js";
import { makePan } from "./interaction/pan.js";
import { bindPointer } from "./interaction/pointer.js";
import { makeSheet } from "./interaction/sheet.js";
import { LayoutClient } from "./layout/client.js";
import { showFilters } from "./panel/filters.js";
import { showExport } from "./panel/takeaway.js";
import { makeFinder } from "./panel/finder.js";
import { showServers, showTools } from "./panel/index.js";
import { showTool } from "./panel/panel.js";
import { showTable } from "./panel/table.js";
import { createStore } from "./state/store.js";
import { fitState, readState } from "./state/url.js";

const $ = (id) => document.getElementById(id);

const WHOLE = 0.6;
const NEAR_ENOUGH = 0.75;
const SMALL = 620;

export class App {
  constructor(raw, meta) {
    this.graph = readGraph(raw);
    this.meta = readMeta(meta);
    this.hues = assignHues(this.graph);
    this.bundles = bundlesOf(this.graph);
    this.layouts = new LayoutClient();
    this.plates = new Map();
    this.scenes = new Map();
    this.omitted = 0;
    this.map = new MapView($("map"));
    this.pan = makePan(this.map, { onEnd: () => this.keepView(), onBeyond: (side, point) => this.beyond(side, point) });
    this.map.onPlace = (_, omitted) => this.setOmitted(omitted);
    this.map.onPan = () => this.groundFurniture();
    const fit = (state) => fitState(state, this.graph);
    this.store = createStore(fit(readState(location.hash)));
    this.store.listen((state, before) => this.update(state, before));
    this.store.follow(fit);
    this.finder = makeFinder(this.graph, { hues: () => this.hues, choose: (id) => this.choose(id), cellOf: (id) => this.cellOf(id), say: (words) => this.say(words) });
    this.sheet = makeSheet(() => this.resized());
    bindKeys(this);
    bindPointer(this);
    this.bindHead();
    this.start();
  }

  get state() {
    return this.store.get();
  }

  get scene() {
    return this.map.scene;
  }

  async start() {
    if (!this.graph.tools.length) return this.showEmpty();
    new ResizeObserver(() => this.resized()).observe($("map"));
    this.ready = this.update(this.state, null);
    await this.ready;
    performance.mark("atlas-ready");
    document.documentElement.dataset.ready = "1";
  }

  showEmpty() {
    document.body.classList.add("nothing");
    this.map.frame.update(this.map.view, this.map.window());
    const failed = this.graph.servers.filter((server) => server.status !== "ok");
    $("map").append(html("div", { class: "empty" }, html("span", {}, failed.length ? `No tools: ${plural(failed.length, "server")} could not be scanned.` : "No servers have been scanned."), html("code", {}, "atlas build")));
    showServers($("panel"), this.graph, { hues: this.hues, cellOf: () => "", go: this.go(), shown: () => true });
    document.documentElement.dataset.ready = "1";
  }

  /** The level that the state asks for, or the natural one. */
  levelOf(state) {
    if (state.level === "place" && state.tool) return "place";
    if (state.level === "country" || (state.level === "place" && !state.tool)) return "country";
    if (state.level === "world") return "world";
    if (state.tool || state.server || single(this.graph)) return "country";
    return this.graph.servers.length === 1 ? "country" : "world";
  }

  serverOf(state) {
    return (state.tool && this.graph.toolById.get(state.tool).server) || state.server || this.graph.servers.reduce((a, b) => (b.tools.length > a.tools.length ? b : a)).name;
  }

  shown() {
    return edgeFilter(this.graph, this.state);
  }

  async plateOf(server, quiet = false) {
    const key = plateKey(this.graph, server);
    if (!this.plates.has(key)) this.plates.set(key, this.layouts.ask("plate", plateInput(this.graph, server), (share) => this.progress(share)));
    if (!quiet) this.busy(this.plates.get(key));
    return this.plates.get(key);
  }

  /** The world's layout, asked for once; the colours follow from its places. */
  survey() {
    this.surveyed ??= this.busy(this.layouts.ask("world", { ...worldInput(this.graph, this.bundles), bare: this.meta.bare }, (share) => this.progress(share))).then((world) => {
      this.hues = assignHues(this.graph, new Map(world.territories.map((land) => [land.name, { x: land.x / world.scale, y: land.y / world.scale }])));
      return world;
    });
    return this.surveyed;
  }

  async sceneFor(state, level) {
    const server = this.serverOf(state);
    const world = await this.survey();
    if (level === "world") {
      if (!this.scenes.has("world")) this.scenes.set("world", orderNames(worldScene(this.graph, world, this.bundles, this.hues)));
      return { key: "world", scene: this.scenes.get("world") };
    }
    if (level === "place") return this.placeFor(state);
    const key = `country ${plateKey(this.graph, server)}`;
    if (!this.scenes.has(key)) this.scenes.set(key, countryScene(this.graph, await this.plateOf(server), this.hues));
    return { key, scene: this.scenes.get(key) };
  }

  /** One tool's place: laid out anew for the filters and the map's size. */
  async placeFor(state) {
    const tool = this.graph.toolById.get(state.tool);
    const { inner } = this.map;
    const size = { width: Math.max(1000, inner.x1 - inner.x0), height: Math.max(620, inner.y1 - inner.y0) };
    const input = placeInput(this.graph, tool, this.shown(), size);
    const place = await this.layouts.ask("place", input);
    const scene = placeScene(this.graph, tool, place, this.hues);
    if (this.map.width >= SMALL) this.plateOf(tool.server, true).then((plate) => scene.inset(plate));
    return { key: `place ${tool.id} ${JSON.stringify(size)} ${place.shown.join()}`, scene };
  }

  /** Follow the state: level, plate, filters, chosen tool, panel. */
  async update(state, before) {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const level = this.levelOf(state);
    const { key, scene } = await this.sceneFor(state, level);
    if (turn !== this.turn) return;
    const changed = this.key !== key;
    this.level = level;
    if (changed) {
      this.key = key;
      this.scene_ = scene;
      this.drawn = undefined;
      this.furnish(scene, level, this.serverOf(state));
      const home = this.homeView(scene);
      this.limits(home);
      this.map.show(scene, this.map.window(home), home);
      this.pan.jump(state.view ? this.viewFrom(state.view) : this.openingView(home));
      $("map").setAttribute("aria-label", `Map: ${this.plateTitle}`);
      this.roving(state.tool && scene.byId.has(state.tool) ? state.tool : scene.byId.has(this.roved) ? this.roved : scene.items[0]?.node.id);
    } else if (state.view && before?.view !== state.view && !this.own) this.pan.jump(this.viewFrom(state.view));
    this.restyle();
    if (changed && state.tool && !state.view) this.reveal(state.tool, 0);
    this.showPanel();
    this.showTabular();
    this.updateFilters?.();
    for (const button of $("levels").children) {
      button.setAttribute("aria-pressed", String(button.dataset.level === level));
      button.disabled = button.dataset.level === "place" && !state.tool;
    }
    $("filters-button").classList.toggle("active", filtered(state));
  }

  restyle() {
    const shown = this.shown();
    const near = within(this.graph, this.state.tool, this.state.depth, shown);
    this.drawn = this.scene.restyle(this.state.tool || null, shown, near);
    this.map.refresh();
  }

  /** Cartouche, legend and remark of a plate. */
  furnish(scene, level, server) {
    const { graph } = this;
    const edgesFrom = ["edges from", oneLine(this.meta.model || graph.providers.join(", ") || "nobody yet", 30)];
    const facts = this.meta.scanned ? [["scanned", this.meta.scanned]] : [];
    if (level === "place") {
      this.plateTitle = graph.toolById.get(this.state.tool).label;
      this.cartouche = this.legend = null;
      this.remark = remark(this.map.width, this.map.height, "start");
      this.remark.setAttribute("x", 232);
      this.map.svg.classList.toggle("small", this.map.width < SMALL);
      this.map.furniture.replaceChildren(...(this.map.width < SMALL ? [] : [this.remark]));
      return;
    }
    if (level === "world") {
      this.plateTitle = graph.servers.length === 1 ? graph.servers[0].label : `The world of ${count(graph.servers.length)} servers`;
      facts.push(["servers, tools", `${count(graph.servers.length)}, ${count(graph.tools.length)}`], ["routes between servers", "9,999 in 60 bundles"], edgesFrom, ["atlas", this.meta.version || ATLAS_VERSION]);
      this.routesAt = facts.length - 3;
      this.cartouche = cartouche({ kicker: "PLATE 1", title: this.plateTitle, sub: "Which tools must run before which", facts });
      this.legend = worldLegend(this.map.height);
      this.remark = remark(this.map.width, this.map.height, "start");
    } else {
      const whole = single(graph);
      const names = graph.servers.filter((each) => each.tools.length).sort((a, b) => b.tools.length - a.tools.length || (a.name < b.name ? -1 : 1)).map((each) => each.label);
      this.plateTitle = whole ? (names.length <= 3 ? names.join(" & ") : `${names.length} servers`) : graph.serverByName.get(server).label;
      facts.push(["servers, tools", `${count(scene.plate.lands.length)}, ${count(scene.plate.nodes.length)}`], ["routes drawn", ""], edgesFrom, ["atlas", this.meta.version || ATLAS_VERSION]);
      this.routesAt = facts.length - 3;
      this.cartouche = cartouche({ kicker: `PLATE ${whole ? 2 : graph.servers.findIndex((each) => each.name === server) + 2}`, title: this.plateTitle, sub: whole ? `${plural(graph.tools.length, "tool")} and the routes between them` : `${plural(graph.serverByName.get(server).tools.length, "tool")}, with those it trades with`, facts });
      this.legend = legend(this.map.height);
      this.remark = remark(this.map.width, this.map.height);
    }
    // A small map has no room for furniture: the sheet holds it.
    const small = this.map.width < SMALL;
    this.map.svg.classList.toggle("small", small);
    this.map.furniture.replaceChildren(...(small ? [] : [this.cartouche, this.legend, this.remark]));
  }

  /** Say what this view leaves out. */
  setOmitted(omitted) {
    this.omitted = omitted;
    if (!this.remark || !this.scene || this.drawn === undefined) return;
    const { scene } = this;
    if (scene.kind === "place") {
      this.remark.textContent = scene.counts();
      this.countInPanel();
      return;
    }
    const value = this.cartouche.querySelectorAll(".value")[this.routesAt];
    const names = omitted ? ` ${plural(omitted, "name")} without room.` : "";
    if (scene.kind === "world") {
      this.remark.textContent = scene.counts() + names;
      value.textContent = scene.facts();
    } else {
      const total = scene.total ?? (scene.total = new Set([...scene.plate.pieces.flatMap((piece) => piece.edges), ...scene.plate.undrawn]).size);
      const left = personPortsLeft(this.graph, this.serverOf(this.state));
      const dimmed = scene.dimmed ? ` ${plural(scene.dimmed, "route")} dimmed.` : "";
      this.remark.textContent = `${plural(total - this.drawn, "route")} not drawn.${dimmed}${left ? ` ${plural(left, "parameter")} left to a person not marked.` : ""}${names}`;
      value.textContent = `${count(this.drawn)} of ${count(total)}`;
    }
    this.groundFurniture();
    this.countInPanel();
  }

  /** On a phone the count of what is left out stands in the sheet. */
  countInPanel() {
    if (this.counted) this.counted.textContent = this.remark?.textContent ?? "";
  }

  /** Give cartouche and legend a ground where land lies under them. */
  groundFurniture() {
    const { scene } = this;
    if (!this.cartouche || this.map.width < SMALL || scene.kind === "place") return;
    const { k, x, y } = this.map.view;
    const under = (box) => (scene.plate?.lands ?? scene.world.territories).some((land) => {
      const b = land.box;
      if (b.x0 * k + x > box.x1 || b.x1 * k + x < box.x0 || b.y0 * k + y > box.y1 || b.y1 * k + y < box.y0) return false;
      return !land.rings || land.rings.some((ring) => {
        for (let i = 0; i < ring.length; i += 2) {
          const sx = ring[i] * k + x;
          const sy = ring[i + 1] * k + y;
          if (sx > box.x0 && sx < box.x1 && sy > box.y0 && sy < box.y1) return true;
        }
        return insideRing(ring, ((box.x0 + box.x1) / 2 - x) / k, ((box.y0 + box.y1) / 2 - y) / k);
      });
    });
    for (const part of [this.cartouche, this.legend]) part.classList.toggle("over", under(part.box));
  }

  /** The view that shows a whole scene, clear of cartouche and legend where that costs little. */
  homeView(scene) {
    const { inner } = this.map;
    const pad = 14;
    const area = { x0: inner.x0 + pad, y0: inner.y0 + pad, x1: inner.x1 - pad, y1: inner.y1 - 26 };
    if (scene.kind === "place") {
      const k = inner.x1 - inner.x0 < 700 ? 0.62 : Math.min(1, (inner.x1 - inner.x0) / scene.box.x1, (inner.y1 - inner.y0) / scene.box.y1);
      return k === 0.62 ? { k, x: this.map.width / 2 - 490 * k, y: inner.y0 + 0.5 * (inner.y1 - inner.y0) - scene.byId.get(this.state.tool).node.y * k } : { k, x: inner.x0, y: inner.y0 };
    }
    if (scene.kind === "world") return this.map.fit(scene.box, { x0: inner.x0, y0: inner.y0, x1: inner.x1, y1: inner.y1 }, 4);
    const free = (view) => {
      const coastal = (scene.plate?.lands ?? []).some((land) => land.rings.some((ring) => {
        for (let i = 0; i < ring.length; i += 6) {
          const sx = ring[i] * view.k + view.x;
          const sy = ring[i + 1] * view.k + view.y;
          if ([this.cartouche.box, this.legend.box].some((f) => sx > f.x0 && sx < f.x1 && sy > f.y0 && sy < f.y1)) return true;
        }
        return false;
      }));
      if (coastal) return false;
      const boxes = (scene.plate?.nodes ?? []).map((node) => ({ x0: (node.x - node.left) * view.k + view.x, y0: (node.y - node.up) * view.k + view.y, x1: (node.x + node.right) * view.k + view.x, y1: (node.y + node.down) * view.k + view.y }));
      for (const land of scene.plate?.lands ?? []) boxes.push({ x0: land.name.box.x0 * view.k + view.x, x1: land.name.box.x1 * view.k + view.x, y0: land.name.box.y0 * view.k + view.y, y1: land.name.box.y1 * view.k + view.y });
      const furniture = [this.cartouche.box, this.legend.box];
      return !boxes.some((b) => furniture.some((f) => b.x0 < f.x1 && b.x1 > f.x0 && b.y0 < f.y1 && b.y1 > f.y0));
    };
    const full = this.map.fit(scene.box, area, 1);
    if (this.map.width < SMALL) return full;
    let best = null;
    for (let left = 0; left <= 270; left += 15) {
      const view = this.map.fit(scene.box, { ...area, x0: area.x0 + left }, 1);
      for (let down = 0; down <= 60; down += 20) {
        const moved = { ...view, y: view.y + (down ? down - 30 : 0) };
        if (free(moved) && (!best || moved.k > best.k + 0.001)) best = moved;
      }
      if (best && best.k >= view.k) break;
    }
    return best && best.k > full.k * 0.78 ? best : full;
  }

  /** Where a scene opens: the whole of it, or its middle where names would have no room. */
  openingView(home) {
    if (this.scene_.kind !== "country" || home.k >= WHOLE) return home;
    const { inner } = this.map;
    const k = NEAR_ENOUGH;
    const cx = ((inner.x0 + inner.x1) / 2 - home.x) / home.k;
    const cy = ((inner.y0 + inner.y1) / 2 - home.y) / home.k;
    return { k, x: this.map.width / 2 - cx * k, y: this.map.height / 2 - cy * k };
  }

  limits(home) {
    this.homeK = home.k;
    if (this.scene_.kind === "world") this.pan.limit(home.k * 0.7, home.k * 2.64);
    else if (this.scene_.kind === "place") this.pan.limit(home.k * 0.8, 2.42);
    else this.pan.limit(Math.min(0.6, home.k) * 0.9, 2.42);
  }

  viewFrom({ k, cx, cy }) {
    return { k, x: this.map.width / 2 - cx * k, y: this.map.height / 2 - cy * k };
  }

  keepView() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => {
      const { k, x, y } = this.map.view;
      this.own = true;
      this.store.set({ view: { k, cx: (this.map.width / 2 - x) / k, cy: (this.map.height / 2 - y) / k } }, { silent: true });
      this.own = false;
    }, 250);
  }

  /** Zoomed past a level's end: into the territory or tool at the point, or out. */
  beyond(side, [px, py]) {
    const now = performance.now();
    if (now - (this.crossed ?? 0) < 700) return;
    const { k, x, y } = this.map.view;
    const nearest = this.scene.items.map((item) => ({ id: item.node.id, d: Math.hypot(item.node.x * k + x - px, item.node.y * k + y - py) })).sort((a, b) => a.d - b.d)[0];
    this.crossed = now;
    if (this.level === "world" && side === "in" && nearest) this.enter(nearest.id);
    else if (this.level === "country" && side === "out" && this.graph.servers.length > 1) this.setLevel("world");
    else if (this.level === "country" && side === "in" && nearest) this.store.set({ tool: nearest.id, server: this.graph.toolById.get(nearest.id).server, level: "place", view: null }, { push: true });
    else if (this.level === "place" && side === "out") this.setLevel("country");
    else this.crossed = 0;
  }

  /** Bring a tool into sight. */
  reveal(id, duration) {
    const item = this.scene.byId?.get(id);
    if (!item) return;
    const { k, x, y } = this.map.view;
    const sx = item.node.x * k + x;
    const sy = item.node.y * k + y;
    const { inner } = this.map;
    const margin = 60;
    if (k >= 0.75 && sx > inner.x0 + margin && sx < inner.x1 - margin && sy > inner.y0 + margin && sy < inner.y1 - margin) return;
    const to = Math.max(k, 0.9);
    this.pan.fly({ k: to, x: this.map.width / 2 - item.node.x * to, y: this.map.height / 2 - item.node.y * to }, duration).then(() => this.keepView());
  }

  choose(id, { push = true, focus = true } = {}) {
    if (!this.graph.toolById.has(id)) return;
    const tool = this.graph.toolById.get(id);
    const level = this.level === "world" || !this.level ? "country" : this.level;
    const same = plateKey(this.graph, tool.server) === plateKey(this.graph, this.serverOf(this.state)) && level === this.level;
    this.store.set({ tool: id, server: tool.server, level, view: same ? this.state.view : null }, { push });
    if (same && level === "country") this.reveal(id);
    this.say(`${tool.label} on ${this.graph.serverByName.get(tool.server).label}: ${plural(this.graph.into.get(id).length, "route")} in, ${this.graph.out.get(id).length} out`);
    if (focus) this.focusSoon(id);
  }

  async focusSoon(id) {
    await this.settled();
    this.scene.byId?.get(id)?.group.focus({ preventScroll: true });
  }

  async settled() {
    await Promise.resolve();
    if (this.levelOf(this.state) === "country") await this.plateOf(this.serverOf(this.state));
    await new Promise((done) => requestAnimationFrame(() => done()));
  }

  clear() {
    this.store.set({ tool: "", level: this.level === "place" ? "country" : this.level }, { push: true });
  }

  enter(server) {
    this.store.set({ server, tool: "", level: "country", view: null }, { push: true });
  }

  setLevel(level) {
    const patch = { level, view: null };
    if (level === "world") patch.tool = "";
    if (level === "country" && !this.state.server && !this.state.tool) patch.server = this.serverOf(this.state);
    this.store.set(patch, { push: true });
  }

  /** Esc: from the place to the country, from a tool to its plate, from the country to the world. */
  back() {
    const { state } = this;
    if (state.table) return this.store.set({ table: false }, { push: true });
    if (this.level === "place") return this.setLevel("country");
    if (state.tool) return this.clear();
    if (this.level === "country" && this.graph.servers.length > 1) return this.setLevel("world");
    return undefined;
  }

  /** Remember the item that has the focus: one tab stop for the whole map. */
  roving(id) {
    for (const item of this.scene.items) item.group.setAttribute("tabindex", item.node.id === id ? "0" : "-1");
    this.roved = id;
  }

  current() {
    const { items } = this.scene;
    const active = document.activeElement?.closest?.(".tool, .territory")?.dataset.id;
    return items.find((item) => item.node.id === (active ?? this.state.tool ?? this.roved)) ?? items[0];
  }

  step(dx, dy) {
    const from = this.current();
    if (!from) return;
    const here = document.activeElement?.closest?.(".tool, .territory");
    const item = here ? neighbour(this.scene.items.map((each) => ({ x: each.node.x, y: each.node.y, each })), from.node, dx, dy)?.each : from;
    if (!item) return;
    this.focusItem(item);
  }

  focusItem(item) {
    item.group.focus({ preventScroll: true });
    const { k, x, y } = this.map.view;
    const { inner } = this.map;
    const sx = item.node.x * k + x;
    const sy = item.node.y * k + y;
    const m = 50;
    const dx = sx < inner.x0 + m ? inner.x0 + m - sx : sx > inner.x1 - m ? inner.x1 - m - sx : 0;
    const dy = sy < inner.y0 + m ? inner.y0 + m - sy : sy > inner.y1 - m ? inner.y1 - m - sy : 0;
    if (dx || dy) this.pan.by(dx, dy);
  }

  /** Enter: choose what has the focus; once chosen, look closer. */
  closer() {
    const item = this.current();
    if (!item) return false;
    if (this.level === "world") this.enter(item.node.id);
    else if (this.state.tool === item.node.id && this.level === "country") this.setLevel("place");
    else this.choose(item.node.id);
    return true;
  }

  /** Follow a route: o to the strongest consumer, i to the strongest producer; again for the next one. */
  follow(way) {
    const item = this.current();
    if (!item || this.level === "world") return false;
    const shown = this.shown();
    const id = item.node.id;
    if (!this.trail || this.trail.at !== id) this.trail = { at: id, base: id, way, n: -1 };
    if (this.trail.way !== way) this.trail = { at: id, base: id, way, n: -1 };
    const others = [...new Set(this.graph[way].get(this.trail.base).filter(shown).map((edge) => (way === "out" ? edge.to : edge.from)))];
    if (!others.length) {
      this.say(way === "out" ? "No consumers" : "No producers");
      return true;
    }
    this.choose(others[0]);
    return true;
  }

  goHome() {
    const home = this.homeView(this.scene);
    this.pan.fly(home).then(() => this.store.set({ view: null }, { silent: true }));
  }

  go() {
    return { choose: (id) => this.choose(id), enter: (name) => this.enter(name), copy: () => this.copyLink(), table: () => this.store.set({ table: true }, { push: true }) };
  }

  async copyLink() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.say("Link copied");
    } catch {
      this.say(`The link is in the address bar: ${location.href}`);
    }
  }

  cellOf(id) {
    const item = this.scene?.byId?.get(this.level === "world" && this.graph.toolById.has(id) ? this.graph.toolById.get(id).server : id);
    return item ? this.map.cell(item.node.x, item.node.y) : "";
  }

  showPanel() {
    const { state, graph, hues } = this;
    const shown = this.shown();
    const common = { hues, go: this.go(), shown, meta: this.meta, cellOf: (id) => this.cellOf(id) };
    if (state.tool) showTool($("panel"), graph, graph.toolById.get(state.tool), { ...common, cell: this.cellOf(state.tool) });
    else if (this.level === "world") showServers($("panel"), graph, common);
    else {
      const whole = single(graph);
      const server = graph.serverByName.get(this.serverOf(state));
      showTools($("panel"), graph, whole ? null : server, whole ? graph.tools : server.tools, common);
    }
    this.counted = html("p", { class: "counted" });
    $("panel").append(this.counted);
    this.countInPanel();
    $("panel").prepend(this.sheet.grip);
    $("panel").scrollTop = 0;
  }

  showTabular() {
    const { state, graph } = this;
    $("table").hidden = !state.table;
    $("table-button").setAttribute("aria-expanded", String(state.table));
    if (!state.table) return;
    const world = this.level === "world" || single(graph);
    const tools = state.tool ? [graph.toolById.get(state.tool)] : world ? graph.tools : graph.serverByName.get(this.serverOf(state)).tools;
    showTable($("table"), graph, { shown: this.shown(), tools, title: state.tool ? tools[0].label : this.plateTitle, go: { choose: (id) => (this.store.set({ table: false }), this.choose(id)) }, close: () => (this.store.set({ table: false }, { push: true }), $("table-button").focus()) });
  }

  bindHead() {
    $("levels").addEventListener("click", (event) => event.target.dataset.level && this.setLevel(event.target.dataset.level));
    $("table-button").addEventListener("click", () => this.store.set({ table: !this.state.table }, { push: true }));
    const open = (name, show) => {
      const box = $(name);
      const button = $(`${name}-button`);
      button.addEventListener("click", () => {
        box.hidden = !box.hidden;
        button.setAttribute("aria-expanded", String(!box.hidden));
        if (!box.hidden) (show(box), box.querySelector("input, button")?.focus());
      });
      box.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        box.hidden = true;
        button.setAttribute("aria-expanded", "false");
        button.focus();
        event.stopPropagation();
      });
    };
    open("filters", (box) => (this.updateFilters = showFilters(box, this.graph, () => this.state, { set: (patch) => this.store.set(patch), count: () => this.remark?.textContent ?? "" })));
    open("export", (box) => showExport(box, this));
    document.addEventListener("pointerdown", ({ target }) => {
      for (const name of ["filters", "export"]) {
        if ($(name).hidden || target.closest(`#${name}, #${name}-button`)) continue;
        $(name).hidden = true;
        $(`${name}-button`).setAttribute("aria-expanded", "false");
      }
    });
    $("skip").addEventListener("click", (event) => (event.preventDefault(), $("panel").focus()));
  }

  /** The print sheet of this plate, laid into the page for printing only. */
  async printSheet() {
    const { graph, hues } = this;
    const world = this.level === "world";
    const server = this.serverOf(this.state);
    const shown = this.shown();
    const plate = world ? null : await this.plateOf(server);
    const whole = single(graph);
    const routes = world ? graph.edges.filter((edge) => edge.cross && shown(edge)).length : new Set(plate.pieces.flatMap((piece) => piece.edges)).size;
    const title = this.level === "place" ? (whole ? "All servers" : graph.serverByName.get(server).label) : this.plateTitle;
    const facts = [...(this.meta.scanned ? [["scanned", this.meta.scanned]] : []), ["edges from", oneLine(this.meta.model || graph.providers.join(", ") || "nobody yet", 40)], [world ? "routes between servers" : "routes drawn", count(routes)], ["atlas", this.meta.version || ATLAS_VERSION]];
    const furnish = (map, scene) => {
      const note = remark(map.width, map.height);
      note.textContent = world ? scene.counts() : `${plural(plate.undrawn.length, "route")} not drawn.`;
      return [world ? worldLegend(map.height) : legend(map.height), note];
    };
    document.body.classList.add("measuring");
    printSheet($("print"), { graph, hues, plate, world: world ? await this.survey() : null, bundles: this.bundles, title, sub: world ? `${plural(graph.tools.length, "tool")} on ${plural(graph.servers.length, "server")}` : `${plural(plate.nodes.length, "tool")} on ${plural(plate.lands.length, "server")}, and the routes between their parameters`, facts, furnish, shown });
    document.body.classList.remove("measuring");
    document.body.classList.add("printing");
  }

  resized() {
    const { width, height } = $("map").getBoundingClientRect();
    if (Math.round(width) === this.map.width && Math.round(height) === this.map.height) return;
    this.map.measure();
    this.key = "";
    if (this.graph.tools.length) this.update(this.state, null);
  }

  busy(promise) {
    const note = html("div", { class: "busy" }, "Surveying the coast…", html("progress", { max: 1, "aria-label": "Layout" }));
    const timer = setTimeout(() => $("map").append(note), 150);
    this.note = note;
    const done = () => (clearTimeout(timer), note.remove());
    promise.then(done, done);
    return promise;
  }

  progress(share) {
    const bar = this.note?.querySelector("progress");
    if (bar) bar.value = share;
  }

  say(words) {
    $("live").textContent = words;
  }
}

function insideRing(ring, x, y) {
  let inside = false;
  for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2)
    if (ring[i + 1] > y !== ring[j + 1] > y && x < ((ring[j] - ring[i]) * (y - ring[i + 1])) / (ring[j + 1] - ring[i + 1]) + ring[i]) inside = !inside;
  return inside;
}

function readMeta(meta) {
  const text = (value) => (typeof value === "string" ? oneLine(value, 80) : "");
  let dagster = "";
  try {
    const url = new URL(meta.dagster);
    if (url.protocol === "http:" || url.protocol === "https:") dagster = url.href.endsWith("/") ? url.href : `${url.href}/`;
  } catch {
    // No base address, no links to Dagster.
  }
  return { scanned: text(meta.scanned), model: text(meta.model), version: text(meta.version), dagster, bare: meta.bare === true };
}
