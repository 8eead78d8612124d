/** Moving about: choosing, entering, stepping back, the roving focus, following routes. Methods of the app. */
import { plateKey } from "../data/plates.js";
import { plural } from "../data/text.js";
import { neighbour } from "./keyboard.js";

export const moves = {
  choose(id, { push = true, focus = true } = {}) {
    if (!this.graph.toolById.has(id)) return;
    const tool = this.graph.toolById.get(id);
    const level = this.level === "world" || !this.level ? "country" : this.level;
    const same = plateKey(this.graph, tool.server) === plateKey(this.graph, this.serverOf(this.state)) && level === this.level;
    this.store.set({ tool: id, server: tool.server, level, view: same ? this.state.view : null }, { push });
    if (same && level === "country") this.reveal(id);
    this.say(`${tool.label} on ${this.graph.serverByName.get(tool.server).label}: ${plural(this.graph.into.get(id).length, "route")} in, ${this.graph.out.get(id).length} out`);
    if (focus) this.focusSoon(id);
  },

  async focusSoon(id) {
    await this.settled();
    this.scene.byId?.get(id)?.group.focus({ preventScroll: true });
  },

  async settled() {
    await Promise.resolve();
    if (this.levelOf(this.state) === "country") await this.plateOf(this.serverOf(this.state));
    await new Promise((done) => requestAnimationFrame(() => done()));
  },

  clear() {
    this.store.set({ tool: "", level: this.level === "place" ? "country" : this.level }, { push: true });
  },

  enter(server) {
    this.store.set({ server, tool: "", level: "country", view: null }, { push: true });
  },

  setLevel(level) {
    const patch = { level, view: null };
    if (level === "world") patch.tool = "";
    if (level === "country" && !this.state.server && !this.state.tool) patch.server = this.serverOf(this.state);
    this.store.set(patch, { push: true });
  },

  /** Esc: from the place to the country, from a tool to its plate, from the country to the world. */
  back() {
    const { state } = this;
    if (state.table) return this.store.set({ table: false }, { push: true });
    if (this.level === "place") return this.setLevel("country");
    if (state.tool) return this.clear();
    if (this.level === "country" && this.graph.servers.length > 1) return this.setLevel("world");
    return undefined;
  },

  /** Remember the item that has the focus: one tab stop for the whole map. */
  roving(id) {
    for (const item of this.scene.items) item.group.setAttribute("tabindex", item.node.id === id ? "0" : "-1");
    this.roved = id;
  },

  current() {
    const { items } = this.scene;
    const active = document.activeElement?.closest?.(".tool, .territory")?.dataset.id;
    return items.find((item) => item.node.id === (active ?? this.state.tool ?? this.roved)) ?? items[0];
  },

  step(dx, dy) {
    const from = this.current();
    if (!from) return;
    const here = document.activeElement?.closest?.(".tool, .territory");
    const item = here ? neighbour(this.scene.items.map((each) => ({ x: each.node.x, y: each.node.y, each })), from.node, dx, dy)?.each : from;
    if (!item) return;
    this.focusItem(item);
  },

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
  },

  /** Enter: choose what has the focus; once chosen, look closer. */
  closer() {
    const item = this.current();
    if (!item) return false;
    if (this.level === "world") this.enter(item.node.id);
    else if (this.state.tool === item.node.id && this.level === "country") this.setLevel("place");
    else this.choose(item.node.id);
    return true;
  },

  /** Follow a route: o to the strongest consumer, i to the strongest producer. */
  follow(way) {
    const item = this.current();
    if (!item || this.level === "world") return false;
    const shown = this.shown();
    const others = this.graph[way].get(item.node.id).filter(shown).map((edge) => (way === "out" ? edge.to : edge.from));
    if (!others.length) {
      this.say(way === "out" ? "No consumers" : "No producers");
      return true;
    }
    this.choose(others[0]);
    return true;
  },
};
