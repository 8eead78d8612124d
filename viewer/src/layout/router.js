/**
 * Ways over the map: A* on a grid whose cells cost what it means to draw there, smoothed to a B-spline.
 */
import { bSpline } from "./curve.js";

export const CELL = 8;

export class Ground {
  /** A grid over `box`; every cell costs `base` until painted. */
  constructor(box, base = 1) {
    this.x0 = Math.floor(box.x0 / CELL) * CELL;
    this.y0 = Math.floor(box.y0 / CELL) * CELL;
    this.width = Math.max(2, Math.ceil((box.x1 - this.x0) / CELL));
    this.height = Math.max(2, Math.ceil((box.y1 - this.y0) / CELL));
    const n = this.width * this.height;
    this.cost = new Float32Array(n).fill(base);
    this.owner = new Int16Array(n).fill(-1);
    this.used = new Uint8Array(n);
    this.g = new Float32Array(n);
    this.from = new Int32Array(n);
    this.mark = new Int32Array(n);
    this.stamp = 0;
  }

  cell(x, y) {
    const i = Math.min(this.width - 1, Math.max(0, Math.floor((x - this.x0) / CELL)));
    const j = Math.min(this.height - 1, Math.max(0, Math.floor((y - this.y0) / CELL)));
    return j * this.width + i;
  }

  middle(k) {
    return [this.x0 + ((k % this.width) + 0.5) * CELL, this.y0 + (Math.floor(k / this.width) + 0.5) * CELL];
  }

  /** Add (or set) a cost in a box. */
  paint(box, value, add = true) {
    const i0 = Math.max(0, Math.floor((box.x0 - this.x0) / CELL));
    const i1 = Math.min(this.width - 1, Math.floor((box.x1 - this.x0) / CELL));
    const j0 = Math.max(0, Math.floor((box.y0 - this.y0) / CELL));
    const j1 = Math.min(this.height - 1, Math.floor((box.y1 - this.y0) / CELL));
    for (let j = j0; j <= j1; j += 1)
      for (let i = i0; i <= i1; i += 1) {
        const k = j * this.width + i;
        this.cost[k] = add ? this.cost[k] + value : value;
      }
  }

  /** Paint the cells inside rings with an owner's number. */
  own(rings, owner) {
    for (const ring of rings) {
      let top = Infinity;
      let bottom = -Infinity;
      for (let i = 1; i < ring.length; i += 2) {
        top = Math.min(top, ring[i]);
        bottom = Math.max(bottom, ring[i]);
      }
      const j0 = Math.max(0, Math.floor((top - this.y0) / CELL));
      const j1 = Math.min(this.height - 1, Math.ceil((bottom - this.y0) / CELL));
      for (let j = j0; j <= j1; j += 1) {
        const y = this.y0 + (j + 0.5) * CELL;
        const cuts = [];
        for (let i = 0, n = ring.length; i < n; i += 2) {
          const m = (i + 2) % n;
          const [ya, yb] = [ring[i + 1], ring[m + 1]];
          if (ya > y !== yb > y) cuts.push(ring[i] + ((y - ya) / (yb - ya)) * (ring[m] - ring[i]));
        }
        cuts.sort((a, b) => a - b);
        for (let c = 0; c + 1 < cuts.length; c += 2) {
          const i0 = Math.max(0, Math.ceil((cuts[c] - this.x0) / CELL - 0.5));
          const i1 = Math.min(this.width - 1, Math.floor((cuts[c + 1] - this.x0) / CELL - 0.5));
          for (let i = i0; i <= i1; i += 1) this.owner[j * this.width + i] = owner;
        }
      }
    }
  }

  /** Mark a drawn way, so that later ones keep a little away. */
  use(points, cells = 1) {
    for (let i = 0; i < points.length; i += 2) {
      const k = this.cell(points[i], points[i + 1]);
      for (let r = -cells; r <= cells; r += 1)
        for (const d of [r, r * this.width]) if (k + d >= 0 && k + d < this.used.length) this.used[k + d] = 1;
    }
  }

  /** Cells of the cheapest way from `start` to `goal` (`[x, y]`), `price(k)` a cell, never
   * below `least`; null where none. */
  way(start, goal, price, least = 1) {
    const { width, height, g, from, mark } = this;
    const s = this.cell(...start);
    const e = this.cell(...goal);
    const stamp = (this.stamp += 2);
    const ei = e % width;
    const ej = Math.floor(e / width);
    const heap = new Heap();
    const ahead = (k) => {
      const di = Math.abs((k % width) - ei);
      const dj = Math.abs(Math.floor(k / width) - ej);
      return 1.1 * least * (Math.max(di, dj) + 0.414 * Math.min(di, dj));
    };
    g[s] = 0;
    from[s] = -1;
    mark[s] = stamp;
    heap.push(ahead(s), s);
    while (heap.size) {
      const k = heap.pop();
      if (k === e) break;
      if (mark[k] === stamp + 1) continue;
      mark[k] = stamp + 1;
      const i = k % width;
      const j = (k - i) / width;
      for (let dj = -1; dj <= 1; dj += 1)
        for (let di = -1; di <= 1; di += 1) {
          if ((!di && !dj) || i + di < 0 || j + dj < 0 || i + di >= width || j + dj >= height) continue;
          const n = k + dj * width + di;
          if (mark[n] === stamp + 1) continue;
          const cost = g[k] + price(n) * (di && dj ? 1.4142 : 1);
          if (mark[n] === stamp && g[n] <= cost) continue;
          mark[n] = stamp;
          g[n] = cost;
          from[n] = k;
          heap.push(cost + ahead(n), n);
        }
    }
    if (from[e] === undefined || (mark[e] !== stamp && mark[e] !== stamp + 1)) return null;
    const cells = [];
    for (let k = e; k !== -1; k = from[k]) cells.push(k);
    return cells.reverse();
  }

  /** A way as a smooth curve; `lead` px straight at both ends where given. */
  curve(cells, start, goal, thin = 4) {
    const points = [start];
    for (let i = thin; i < cells.length - thin; i += thin) points.push(this.middle(cells[i]));
    points.push(goal);
    return bSpline(points);
  }
}

class Heap {
  constructor() {
    this.keys = [];
    this.values = [];
  }

  get size() {
    return this.keys.length;
  }

  push(key, value) {
    const { keys, values } = this;
    let i = keys.length;
    keys.push(key);
    values.push(value);
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (keys[up] <= key) break;
      keys[i] = keys[up];
      values[i] = values[up];
      i = up;
    }
    keys[i] = key;
    values[i] = value;
  }

  pop() {
    const { keys, values } = this;
    const top = values[0];
    const key = keys.pop();
    const value = values.pop();
    const n = keys.length;
    if (n) {
      let i = 0;
      for (;;) {
        let down = 2 * i + 1;
        if (down >= n) break;
        if (down + 1 < n && keys[down + 1] < keys[down]) down += 1;
        if (keys[down] >= key) break;
        keys[i] = keys[down];
        values[i] = values[down];
        i = down;
      }
      keys[i] = key;
      values[i] = value;
    }
    return top;
  }
}
