/** The page as a whole: one state, three levels, and what happens when either changes. */
import { edgeFilter, filtered, within } from "./data/filter.js";
import { readGraph } from "./data/graph.js";
import { assignHues } from "./data/hues.js";
import { plateInput, plateKey, single } from "./data/plates.js";
import { count, oneLine, plural } from "./data/text.js";
import { cartouche, legend, remark } from "./drawing/cartouche.js";
import { countryScene } from "./drawing/country.js";
import { MapView } from "./drawing/map.js";
import { fill, html } from "./drawing/svg.js";
import { bindKeys, neighbour } from "./interaction/keyboard.js";
import { makePan } from "./interaction/pan.js";
import { bindPointer } from "./interaction/pointer.js";
import { LayoutClient } from "./layout/client.js";
import { showFilters } from "./panel/filters.js";
import { makeFinder } from "./panel/finder.js";
import { showServers, showTools } from "./panel/index.js";
import { showTool } from "./panel/panel.js";
import { showTable } from "./panel/table.js";
import { createStore } from "./state/store.js";
import { fitState, readState } from "./state/url.js";

const $ = (id) => document.getElementById(id);

export class App {
  constructor(raw, meta) {
    this.graph = readGraph(raw);
    this.meta = readMeta(meta);
    this.hues = assignHues(this.graph);
    this.layouts = new LayoutClient();
    this.plates = new Map();
    this.scenes = new Map();
    this.omitted = 0;
    this.map = new MapView($("map"));
    this.pan = makePan(this.map, { onEnd: () => this.keepView(), onBeyond: (side, point) => this.beyond(side, point) });
    this.map.onPlace = (_, omitted) => this.setOmitted(omitted);
    const fit = (state) => fitState(state, this.graph);
    this.store = createStore(fit(readState(location.hash)));
    this.store.listen((state, before) => this.update(state, before));
    this.store.follow(fit);
    this.finder = makeFinder(this.graph, { hues: () => this.hues, choose: (id) => this.choose(id), cellOf: (id) => this.cellOf(id), say: (words) => this.say(words) });
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

  async plateOf(server) {
    const key = plateKey(this.graph, server);
    if (!this.plates.has(key)) this.plates.set(key, this.busy(this.layouts.ask("plate", plateInput(this.graph, server), (share) => this.progress(share))));
    return this.plates.get(key);
  }

  async sceneFor(state) {
    const server = this.serverOf(state);
    const key = `country ${plateKey(this.graph, server)}`;
    if (!this.scenes.has(key)) this.scenes.set(key, countryScene(this.graph, await this.plateOf(server), this.hues));
    return { key, scene: this.scenes.get(key) };
  }

  /** Follow the state: level, plate, filters, chosen tool, panel. */
  async update(state, before) {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const level = this.levelOf(state);
    const { key, scene } = await this.sceneFor(state);
    if (turn !== this.turn) return;
    const changed = this.key !== key || this.map.scene !== scene;
    this.level = level;
    if (changed) {
      this.key = key;
      this.furnish(scene, level, this.serverOf(state));
      const home = this.homeView(scene);
      this.limits(home);
      this.map.show(scene, this.map.window(home), home);
      this.pan.jump(state.view ? this.viewFrom(state.view) : home);
      $("map").setAttribute("aria-label", this.title(level));
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
    this.scene.place(this.map.view);
    this.setOmitted(this.omitted);
  }

  title() {
    return this.plateTitle;
  }

  /** Cartouche, legend and remark of a plate. */
  furnish(scene, level, server) {
    const { graph } = this;
    const whole = single(graph);
    const names = graph.servers.filter((each) => each.tools.length).map((each) => each.label);
    this.plateTitle = whole ? (names.length <= 3 ? names.join(" & ") : `${names.length} servers`) : graph.serverByName.get(server).label;
    const facts = [];
    if (this.meta.scanned) facts.push(["scanned", this.meta.scanned]);
    const tools = scene.plate.nodes.length;
    facts.push(["servers, tools", `${count(scene.plate.lands.length)}, ${count(tools)}`]);
    this.routesFact = ["routes drawn", ""];
    facts.push(this.routesFact, ["edges from", oneLine(this.meta.model || graph.providers.join(", ") || "nobody yet", 30)], ["atlas", this.meta.version || ATLAS_VERSION]);
    this.cartouche = cartouche({ kicker: `PLATE ${whole ? 2 : graph.servers.findIndex((each) => each.name === server) + 2}`, title: this.plateTitle, sub: whole ? `${plural(graph.tools.length, "tool")} and the routes between them` : `${plural(graph.serverByName.get(server).tools.length, "tool")}, with those it trades with`, facts });
    this.legend = legend(this.map.height);
    this.remark = remark(this.map.width, this.map.height);
    this.map.furniture.replaceChildren(this.cartouche, this.legend, this.remark);
  }

  setOmitted(omitted) {
    this.omitted = omitted;
    if (!this.remark || !this.scene) return;
    const total = this.scene.plate ? new Set([...this.scene.plate.pieces.flatMap((piece) => piece.edges), ...this.scene.plate.undrawn]).size : 0;
    const hidden = total - (this.drawn ?? total);
    this.remark.textContent = `${plural(hidden, "route")} not drawn${omitted ? `, ${plural(omitted, "name")} without room` : ""}.`;
    const value = this.cartouche.querySelectorAll(".value")[this.meta.scanned ? 2 : 1];
    if (value) value.textContent = `${count(this.drawn ?? total)} of ${count(total)}`;
  }

  /** The view that shows a whole scene, clear of cartouche and legend where that costs little. */
  homeView(scene) {
    const { inner } = this.map;
    const pad = 14;
    const area = { x0: inner.x0 + pad, y0: inner.y0 + pad, x1: inner.x1 - pad, y1: inner.y1 - 26 };
    const free = (view) => {
      const boxes = (scene.plate?.nodes ?? []).map((node) => ({ x0: (node.x - node.left) * view.k + view.x, y0: (node.y - node.up) * view.k + view.y, x1: (node.x + node.right) * view.k + view.x, y1: (node.y + node.down) * view.k + view.y }));
      for (const land of scene.plate?.lands ?? []) boxes.push({ x0: land.name.box.x0 * view.k + view.x, x1: land.name.box.x1 * view.k + view.x, y0: land.name.box.y0 * view.k + view.y, y1: land.name.box.y1 * view.k + view.y });
      const furniture = [this.cartouche.box, this.legend.box];
      return !boxes.some((b) => furniture.some((f) => b.x0 < f.x1 && b.x1 > f.x0 && b.y0 < f.y1 && b.y1 > f.y0));
    };
    const full = this.map.fit(scene.box, area, 1);
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

  limits(home) {
    this.homeK = home.k;
    this.pan.limit(Math.min(0.6, home.k) * 0.9, 2.42);
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

  beyond() {}

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
    await this.plateOf(this.serverOf(this.state));
    await new Promise((done) => requestAnimationFrame(() => done()));
  }

  clear() {
    this.store.set({ tool: "", level: this.level === "place" ? "country" : this.level }, { push: true });
  }

  enter(server) {
    this.store.set({ server, tool: "", level: "country", view: null }, { push: true });
  }

  setLevel(level) {
    this.store.set({ level, view: null }, { push: true });
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
    const item = this.scene?.byId?.get(id);
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
    open("export", (box) => this.showExport?.(box));
    $("skip").addEventListener("click", (event) => (event.preventDefault(), $("panel").focus()));
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

function readMeta(meta) {
  const text = (value) => (typeof value === "string" ? oneLine(value, 80) : "");
  let dagster = "";
  try {
    const url = new URL(meta.dagster);
    if (url.protocol === "http:" || url.protocol === "https:") dagster = url.href.endsWith("/") ? url.href : `${url.href}/`;
  } catch {
    // No base address, no links to Dagster.
  }
  return { scanned: text(meta.scanned), model: text(meta.model), version: text(meta.version), dagster };
}
