/**
 * The map on the page: three layers, so that moving the map moves a picture instead of drawing it anew.
 * Below, sea and grid; in the middle, the scene in a layer of its own; above, frame, cartouche, legend.
 */
import { cellOf, makeFrame, BAND } from "./frame.js";
import { svg } from "./svg.js";

const SETTLE = 110;

export class MapView {
  /** `size` fixes width and height; without it the container's are taken. */
  constructor(container, size = null) {
    this.container = container;
    this.fixed = size;
    this.svg = document.createElement("div");
    this.svg.className = "atlas";
    if (!size) {
      this.svg.id = "atlas";
      this.svg.setAttribute("role", "application");
      this.svg.setAttribute("aria-roledescription", "map");
      this.svg.setAttribute("aria-label", "Map");
    }
    this.base = svg("svg", { class: "layer", "aria-hidden": "true" });
    this.window_ = document.createElement("div");
    this.window_.className = "mapwindow";
    this.sceneSvg = svg("svg", { class: "layer moving" });
    this.top = svg("svg", { class: "layer top" });
    this.window_.append(this.sceneSvg);
    this.svg.append(this.base, this.window_, this.top);
    container.replaceChildren(this.svg);
    this.content = svg("g");
    this.sceneSvg.append(this.content);
    this.furniture = svg("g", { class: "furniture" });
    this.scene = null;
    this.placed = null;
    this.view = { k: 1, x: 0, y: 0 };
    this.home = { x0: 0, y0: 0, x1: 1, y1: 1 };
    this.onPlace = () => {};
    this.onPan = () => {};
    this.measure();
  }

  measure() {
    const { width, height } = this.fixed ?? this.container.getBoundingClientRect();
    this.width = Math.max(240, Math.round(width));
    this.height = Math.max(200, Math.round(height));
    this.inner = { x0: BAND, y0: BAND, x1: this.width - BAND, y1: this.height - BAND };
    for (const layer of [this.base, this.sceneSvg, this.top]) {
      layer.setAttribute("width", this.width);
      layer.setAttribute("height", this.height);
    }
    this.svg.style.width = `${this.width}px`;
    this.svg.style.height = `${this.height}px`;
    this.frame = makeFrame(this.width, this.height);
    this.base.replaceChildren(svg("rect", { class: "sea", x: BAND, y: BAND, width: this.width - 2 * BAND, height: this.height - 2 * BAND }), this.frame.lines);
    this.top.replaceChildren(this.furniture, this.frame.group);
    if (this.scene) this.mount();
  }

  /** Show a scene; `view` where to look, `home` the plane's part that the grid divides. */
  show(scene, home, view) {
    this.scene = scene;
    this.home = home;
    this.mount();
    this.view = view;
    this.refresh();
  }

  mount() {
    this.content.setAttribute("class", `${this.scene.kind} arriving`);
    this.content.replaceChildren(this.scene.ground, this.scene.over);
    this.placed = null;
  }

  /** Move to a view. A pan, and a zoom over a crowded scene, move the drawn picture until they rest. */
  place(view) {
    this.view = view;
    const { placed, scene } = this;
    const same = placed && Math.abs(placed.k - view.k) < 1e-9;
    if (!scene) this.frame.update(view, this.home);
    else if (placed && (same || scene.heavy)) {
      const s = view.k / placed.k;
      this.sceneSvg.style.transform = `translate(${view.x - placed.x * s}px, ${view.y - placed.y * s}px) scale(${s})`;
      this.frame.update(view, this.home);
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.refresh(), SETTLE);
      this.onPan(view);
    } else this.refresh();
  }

  /** Place everything anew at the present view. */
  refresh() {
    clearTimeout(this.settling);
    const { view, scene } = this;
    if (!scene) return;
    this.sceneSvg.style.transform = "";
    this.placed = { ...view };
    this.frame.update(view, this.home);
    this.onPlace(view, scene.place(view, this.within(), this.inner) ?? 0);
  }

  /** On a small map the names must lie wholly inside it. */
  within() {
    return this.width < 620 ? this.inner : null;
  }

  cell(x, y) {
    return cellOf(this.home, x, y);
  }

  /** The view that shows `box` (plane) inside `area` (screen), no larger than `most`. */
  fit(box, area, most = 1) {
    const k = Math.min(most, (area.x1 - area.x0) / (box.x1 - box.x0), (area.y1 - area.y0) / (box.y1 - box.y0));
    return { k, x: (area.x0 + area.x1) / 2 - ((box.x0 + box.x1) / 2) * k, y: (area.y0 + area.y1) / 2 - ((box.y0 + box.y1) / 2) * k };
  }

  /** The plane's part that the inner frame shows at `view`. */
  window(view = this.view) {
    const { x0, y0, x1, y1 } = this.inner;
    return { x0: (x0 - view.x) / view.k, y0: (y0 - view.y) / view.k, x1: (x1 - view.x) / view.k, y1: (y1 - view.y) / view.k };
  }
}
