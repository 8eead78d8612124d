/** Neighbouring lands on a country plate: each is moved whole to the open sea nearest to its partners. */
import { boxOf, union } from "./boxes.js";
import { COUNTRY_COAST } from "./coast.js";

const SEA = 46;

/** Move a laid-out land with everything on it. */
export function moveLand(land, [dx, dy]) {
  for (const node of land.nodes.values()) {
    node.x += dx;
    node.y += dy;
  }
  const shift = (points) => points.map((value, i) => value + (i % 2 ? dy : dx));
  for (const piece of land.pieces) {
    piece.curve.start = shift(piece.curve.start);
    piece.curve.segments = piece.curve.segments.map(shift);
    if (piece.tip) piece.tip = shift(piece.tip);
  }
  for (const entry of land.entries) {
    entry.x += dx;
    entry.y += dy;
  }
  for (const p of land.primitives) for (const key of Object.keys(p)) if (key !== "r") p[key] += /y/.test(key) ? dy : dx;
  land.name.x += dx;
  land.name.y += dy;
  if (!land.name.inside) for (const key of ["x0", "x1", "y0", "y1"]) land.name.box[key] += key[0] === "y" ? dy : dx;
}

/** The place nearest to a land's partners where its coast stays clear of every other. */
export function findPlace(land, before, edges, occupied) {
  const own = union([...land.primitives.map(boxOf), ...(land.name.inside ? [] : [land.name.box])]);
  const w = own.x1 - own.x0;
  const h = own.y1 - own.y0;
  const partners = [];
  // Routes run to the right: consumers stand better to the right of their producers.
  let lean = 0;
  for (const edge of edges) {
    const [here, there] = land.nodes.has(edge.from) ? [edge.from, edge.to] : [edge.to, edge.from];
    if (!land.nodes.has(here)) continue;
    for (const other of before)
      if (other.nodes.has(there)) {
        partners.push(other.nodes.get(there));
        lean += here === edge.to ? 1 : -1;
      }
  }
  const all = union(before.flatMap((other) => other.primitives.map(boxOf)));
  const cx = partners.length ? partners.reduce((s, n) => s + n.x, 0) / partners.length : (all.x0 + all.x1) / 2;
  const cy = partners.length ? partners.reduce((s, n) => s + n.y, 0) / partners.length : (all.y0 + all.y1) / 2;
  const pad = 2 * COUNTRY_COAST.pad + SEA + 14;
  let best = null;
  const step = 22;
  const taken = new Taken(occupied, pad, step, { x0: all.x0 - w - 4 * pad, y0: all.y0 - h - 4 * pad, x1: all.x1 + w + 4 * pad, y1: all.y1 + h + 4 * pad });
  for (let y = all.y0 - h - 2 * pad; y <= all.y1 + 2 * pad; y += step)
    for (let x = all.x0 - w - 2 * pad; x <= all.x1 + 2 * pad; x += step) {
      const box = { x0: x, y0: y, x1: x + w, y1: y + h };
      const across = Math.max(box.x1, all.x1) - Math.min(box.x0, all.x0);
      const wide = Math.max(across, (Math.max(box.y1, all.y1) - Math.min(box.y0, all.y0)) * 1.3);
      const cost = Math.hypot(x + w / 2 - cx, y + h / 2 - cy) + 2.2 * (wide - Math.max(all.x1 - all.x0, (all.y1 - all.y0) * 1.3)) + (y + h / 2 < cy ? 24 : 0);
      const against = lean > 0 ? Math.max(0, cx + 60 - x) : lean < 0 ? Math.max(0, x + w + 60 - cx) : 0;
      if (best && cost + 0.5 * against >= best.cost) continue;
      if (taken.meets(box)) continue;
      best = { cost: cost + 0.5 * against, x, y };
    }
  return best ? [best.x - own.x0, best.y - own.y0] : [all.x1 + 2 * pad - own.x0, all.y0 - own.y0];
}

/** Boxes grown by a margin on a coarse raster, summed, so that a place is tested in one step. */
class Taken {
  constructor(boxes, margin, step, area) {
    this.area = area;
    this.step = step;
    this.width = Math.ceil((area.x1 - area.x0) / step) + 1;
    this.height = Math.ceil((area.y1 - area.y0) / step) + 1;
    const cells = new Uint8Array(this.width * this.height);
    const { width, height } = this;
    for (const b of boxes) {
      const [i0, i1] = [this.column(b.x0 - margin), this.column(b.x1 + margin)];
      for (let j = this.row(b.y0 - margin); j <= this.row(b.y1 + margin); j += 1) cells.fill(1, j * width + i0, j * width + i1 + 1);
    }
    this.sums = new Int32Array((width + 1) * (height + 1));
    for (let j = 0; j < height; j += 1)
      for (let i = 0; i < width; i += 1) {
        const k = (j + 1) * (width + 1) + i + 1;
        this.sums[k] = cells[j * width + i] + this.sums[k - 1] + this.sums[k - width - 1] - this.sums[k - width - 2];
      }
  }

  column(x) {
    return Math.min(this.width - 1, Math.max(0, Math.floor((x - this.area.x0) / this.step)));
  }

  row(y) {
    return Math.min(this.height - 1, Math.max(0, Math.floor((y - this.area.y0) / this.step)));
  }

  meets(b) {
    const w = this.width + 1;
    const [i0, i1, j0, j1] = [this.column(b.x0), this.column(b.x1) + 1, this.row(b.y0), this.row(b.y1) + 1];
    return this.sums[j1 * w + i1] - this.sums[j0 * w + i1] - this.sums[j1 * w + i0] + this.sums[j0 * w + i0] > 0;
  }
}
