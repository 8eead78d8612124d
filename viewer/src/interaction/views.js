/** Where the map looks: the view of a whole scene, where it opens, how it follows. Methods of the app. */
import { SMALL } from "../drawing/furniture.js";

const WHOLE = 0.6;
const NEAR_ENOUGH = 0.75;

export const views = {
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
  },

  /** Where a scene opens: the whole of it, or its middle where names would have no room. */
  openingView(home) {
    if (this.scene_.kind !== "country" || home.k >= WHOLE) return home;
    const { inner } = this.map;
    const k = NEAR_ENOUGH;
    const cx = ((inner.x0 + inner.x1) / 2 - home.x) / home.k;
    const cy = ((inner.y0 + inner.y1) / 2 - home.y) / home.k;
    return { k, x: this.map.width / 2 - cx * k, y: this.map.height / 2 - cy * k };
  },

  limits(home) {
    this.homeK = home.k;
    if (this.scene_.kind === "world") this.pan.limit(home.k * 0.7, home.k * 2.64);
    else if (this.scene_.kind === "place") this.pan.limit(home.k * 0.8, 2.42);
    else this.pan.limit(Math.min(0.6, home.k) * 0.9, 2.42);
  },

  viewFrom({ k, cx, cy }) {
    return { k, x: this.map.width / 2 - cx * k, y: this.map.height / 2 - cy * k };
  },

  keepView() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => {
      // On the way to another plate the old one's view means nothing.
      if (this.updating) return;
      const { k, x, y } = this.map.view;
      this.own = true;
      this.store.set({ view: { k, cx: (this.map.width / 2 - x) / k, cy: (this.map.height / 2 - y) / k } }, { silent: true });
      this.own = false;
    }, 250);
  },

  goHome() {
    const home = this.homeView(this.scene);
    this.pan.fly(home).then(() => this.store.set({ view: null }, { silent: true }));
  },

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
  },

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
  },
};
