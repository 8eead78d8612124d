/** The page as a whole: one state, three levels, and what happens when either changes. */
import { edgeFilter, filtered, within } from "./data/filter.js";
import { readGraph } from "./data/graph.js";
import { assignHues } from "./data/hues.js";
import { placeInput, plateInput, plateKey, single } from "./data/plates.js";
import { oneLine, plural } from "./data/text.js";
import { bundlesOf, worldInput } from "./data/world.js";
import { countryScene } from "./drawing/country.js";
import { furniture, SMALL } from "./drawing/furniture.js";
import { MapView } from "./drawing/map.js";
import { placeScene } from "./drawing/place.js";
import { html } from "./drawing/svg.js";
import { orderNames, worldScene } from "./drawing/world.js";
import { bindKeys } from "./interaction/keyboard.js";
import { moves } from "./interaction/moves.js";
import { makePan } from "./interaction/pan.js";
import { bindPointer } from "./interaction/pointer.js";
import { makeSheet } from "./interaction/sheet.js";
import { views } from "./interaction/views.js";
import { LayoutClient } from "./layout/client.js";
import { makeFinder } from "./panel/finder.js";
import { showServers } from "./panel/index.js";
import { side } from "./panel/side.js";
import { createStore } from "./state/store.js";
import { fitState, readState } from "./state/url.js";

const $ = (id) => document.getElementById(id);

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
    this.store.listen((state, before) => this.update(state, before).catch((error) => this.failed(error)));
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
    try {
      await this.update(this.state, null);
    } catch (error) {
      this.failed(error);
    }
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

  /** A layout that failed leaves search, index and table, and says so in place of the map. */
  failed(error) {
    this.updating = false;
    document.querySelector("#map .empty")?.remove();
    $("map").append(html("div", { class: "empty" }, html("span", {}, "The map could not be laid out."), html("code", {}, oneLine(error.message, 200))));
    const { graph, hues } = this;
    showServers($("panel"), graph, { hues, cellOf: () => "", go: this.go(), shown: () => true });
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
    clearTimeout(this.keeping);
    this.updating = true;
    const level = this.levelOf(state);
    const { key, scene } = await this.sceneFor(state, level);
    if (turn !== this.turn) return;
    this.updating = false;
    const changed = this.key !== key;
    if (changed) document.querySelector("#map .empty")?.remove();
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

Object.assign(App.prototype, furniture, views, moves, side);

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
