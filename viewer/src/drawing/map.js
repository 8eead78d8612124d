/** The map on the page: one SVG with frame, sea, the scene of the moment, cartouche, legend and remark. */
import { cellOf, makeFrame, BAND } from "./frame.js";
import { svg } from "./svg.js";

export class MapView {
  /** `size` fixes width and height; without it the container's are taken. */
  constructor(container, size = null) {
    this.container = container;
    this.fixed = size;
    this.svg = svg("svg", { class: "atlas", id: "atlas", role: "application", "aria-roledescription": "map" });
    container.replaceChildren(this.svg);
    this.scene = null;
    this.view = { k: 1, x: 0, y: 0 };
    this.home = { x0: 0, y0: 0, x1: 1, y1: 1 };
    this.onPlace = () => {};
    this.measure();
  }

  measure() {
    const { width, height } = this.fixed ?? this.container.getBoundingClientRect();
    this.width = Math.max(240, Math.round(width));
    this.height = Math.max(200, Math.round(height));
    this.inner = { x0: BAND, y0: BAND, x1: this.width - BAND, y1: this.height - BAND };
    this.svg.setAttribute("width", this.width);
    this.svg.setAttribute("height", this.height);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.frame = makeFrame(this.width, this.height);
    const inner = { x: BAND, y: BAND, width: this.width - 2 * BAND, height: this.height - 2 * BAND };
    const id = `inner-clip${this.fixed ? "-print" : ""}`;
    this.clip = svg("clipPath", { id }, svg("rect", inner));
    this.body = svg("g", { "clip-path": `url(#${id})` });
    this.furniture = svg("g", { class: "furniture" });
    this.content = svg("g");
    this.body.append(svg("rect", { class: "sea", ...inner }), this.frame.lines, this.content, this.furniture);
    this.svg.replaceChildren(this.clip, this.body, this.frame.group);
    if (this.scene) this.mount();
  }

  /** Show a scene; `view` where to look, `home` the plane's part that the grid divides. */
  show(scene, home, view) {
    this.scene = scene;
    this.home = home;
    this.mount();
    this.place(view);
  }

  mount() {
    this.content.setAttribute("class", `${this.scene.kind} arriving`);
    this.content.replaceChildren(this.scene.ground, this.scene.over);
  }

  place(view) {
    this.view = view;
    this.frame.update(view, this.home);
    const omitted = this.scene ? this.scene.place(view, this.within()) ?? 0 : 0;
    this.onPlace(view, omitted);
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
