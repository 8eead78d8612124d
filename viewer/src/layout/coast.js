/**
 * Coasts: land as a closed distance field about names and routes, with seeded noise at its edge.
 *
 * The distance to the primitives is written only near them; the mask at pad + close is shrunk again by
 * `close` with an exact Euclidean distance transform (Felzenszwalb and Huttenlocher, "Distance
 * Transforms of Sampled Functions"), which fills straits and keeps bays; noise is added; marching
 * squares draw the coast at 0 and the waterlines outside it.
 */
import { contours } from "./contour.js";
import { octaves } from "./noise.js";

export const COUNTRY_COAST = { grid: 4, pad: 27, close: 58, noise: [[11, 130], [6.5, 50], [3.4, 22], [1.2, 11]], least: 900, lines: [-5, -11.5, -20], inner: [13, 5.5] };
export const WORLD_COAST = { grid: 6, pad: 11, close: 16, noise: [[6, 70], [4, 27], [2, 12]], least: 150, lines: [-5, -11.5, -20], inner: [6.5, 2.5] };

const OUTSIDE = 1e6;

/**
 * The land about `primitives`, each a box `{x0, y0, x1, y1, r}` or a capsule `{ax, ay, bx, by, r}` (px).
 *
 * Returns `{coast, lines, inner, box}`: rings of `[x, y, x, y, …]` for the coast, each waterline and each
 * ribbon's inner edge, and the coast's box. `clip` cuts the sampled window, for land that runs off the map.
 */
export function coast(primitives, seed, options = COUNTRY_COAST, clip = null) {
  const { grid, pad, close, noise, least, lines, inner } = options;
    const window = bounds(primitives, pad + close + grid + 26);
  if (clip) {
    window.x0 = Math.max(window.x0, clip.x0);
    window.y0 = Math.max(window.y0, clip.y0);
    window.x1 = Math.min(window.x1, clip.x1);
    window.y1 = Math.min(window.y1, clip.y1);
  }
  // The lattice is fixed to the plane, so that land does not shiver when its window moves.
  const x0 = Math.floor(window.x0 / grid) * grid;
  const y0 = Math.floor(window.y0 / grid) * grid;
  const width = Math.max(3, Math.ceil((window.x1 - x0) / grid) + 1);
  const height = Math.max(3, Math.ceil((window.y1 - y0) / grid) + 1);
  const frame = { x0, y0, width, height, grid };
  // Primitives that shrink (routes) lie deeper than those that grow (names): two fields, one minimum.
  const distance = spreadFrom(primitives.filter((p) => (p.r ?? 0) >= 0), 0, frame);
  const shrunk = Math.min(0, ...primitives.map((p) => p.r ?? 0));
  if (shrunk < 0) {
    const routes = spreadFrom(primitives.filter((p) => (p.r ?? 0) < 0), shrunk, frame);
    for (let k = 0; k < distance.length; k += 1) if (routes[k] < distance[k]) distance[k] = routes[k];
  }
  const field = erode(distance, width, height, pad + close, close, grid);
  const most = noise.reduce((sum, [amplitude]) => sum + amplitude, 1);
  for (let j = 0, k = 0; j < height; j += 1)
    for (let i = 0; i < width; i += 1, k += 1)
      if (field[k] > -48 && field[k] < most) field[k] += octaves(seed, x0 + i * grid, y0 + j * grid, noise);
  const place = { x0, y0, width, height, grid };
  const coastRings = contours(field, place, 0, least);
  return { coast: coastRings, lines: lines.map((level) => contours(field, place, level, least)), inner: inner.map((level) => contours(field, place, level, 4)), box: ringsBox(coastRings) };
}

function bounds(primitives, margin) {
  const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const p of primitives) {
    const r = Math.max(0, p.r ?? 0);
    box.x0 = Math.min(box.x0, (p.ax !== undefined ? Math.min(p.ax, p.bx) : p.x0) - r);
    box.y0 = Math.min(box.y0, (p.ax !== undefined ? Math.min(p.ay, p.by) : p.y0) - r);
    box.x1 = Math.max(box.x1, (p.ax !== undefined ? Math.max(p.ax, p.bx) : p.x1) + r);
    box.y1 = Math.max(box.y1, (p.ax !== undefined ? Math.max(p.ay, p.by) : p.y1) + r);
  }
  return { x0: box.x0 - margin, y0: box.y0 - margin, x1: box.x1 + margin, y1: box.y1 + margin };
}

/**
 * Distance to the nearest primitive: exact within two cells of each, from there by the distance transform.
 * `r` replaces negative radii.
 */
function spreadFrom(primitives, r, frame) {
  const { width, height, grid } = frame;
  const near = new Float32Array(width * height).fill(OUTSIDE);
  for (const p of primitives) write(near, p, { ...frame, reach: grid * 1.6, shrunk: r });
  const squares = new Float64Array(width * height);
  for (let k = 0; k < squares.length; k += 1) squares[k] = near[k] === OUTSIDE ? Infinity : (Math.max(0, near[k]) / grid) ** 2;
  transform(squares, width, height);
  for (let k = 0; k < near.length; k += 1) near[k] = squares[k] === Infinity ? OUTSIDE : Math.sqrt(squares[k]) * grid - r;
  return near;
}

/** Lower the field to one primitive's distance, inside its own window only. */
function write(distance, p, { x0, y0, width, height, grid, reach, shrunk }) {
  const box = bounds([p], reach);
  const i0 = Math.max(0, Math.floor((box.x0 - x0) / grid));
  const i1 = Math.min(width - 1, Math.ceil((box.x1 - x0) / grid));
  const j0 = Math.max(0, Math.floor((box.y0 - y0) / grid));
  const j1 = Math.min(height - 1, Math.ceil((box.y1 - y0) / grid));
  const r = shrunk < 0 ? 0 : (p.r ?? 0);
  const capsule = p.ax !== undefined;
  const dx = capsule ? p.bx - p.ax : 0;
  const dy = capsule ? p.by - p.ay : 0;
  const length = dx * dx + dy * dy || 1;
  for (let j = j0; j <= j1; j += 1) {
    const y = y0 + j * grid;
    for (let i = i0; i <= i1; i += 1) {
      const x = x0 + i * grid;
      let ex;
      let ey;
      if (capsule) {
        const t = Math.min(1, Math.max(0, ((x - p.ax) * dx + (y - p.ay) * dy) / length));
        ex = x - p.ax - t * dx;
        ey = y - p.ay - t * dy;
      } else {
        ex = x < p.x0 ? p.x0 - x : x > p.x1 ? x - p.x1 : 0;
        ey = y < p.y0 ? p.y0 - y : y > p.y1 ? y - p.y1 : 0;
      }
      const d = Math.sqrt(ex * ex + ey * ey) - r;
      const k = j * width + i;
      if (d < distance[k]) distance[k] = d;
    }
  }
}

/** Signed field of the mask `distance < outer`, shrunk by `close`: positive on land. */
function erode(distance, width, height, outer, close, grid) {
  const squares = new Float64Array(width * height);
  for (let k = 0; k < squares.length; k += 1) squares[k] = distance[k] < outer ? Infinity : 0;
  transform(squares, width, height);
  const field = new Float32Array(width * height);
  for (let k = 0; k < field.length; k += 1) {
    // On the mask's rim the sampled distance itself is finer than the grid.
    const inside = squares[k] === 0 ? 0 : (Math.sqrt(squares[k]) - 0.5) * grid;
    field[k] = squares[k] === 0 ? -close - Math.min(40, distance[k] - outer) : inside - close;
  }
  return field;
}

/** Exact squared distances (in cells) to the nearest zero, in place. */
export function transform(squares, width, height) {
  const most = Math.max(width, height);
  const f = new Float64Array(most);
  const v = new Int32Array(most);
  const z = new Float64Array(most + 1);
  const line = (offset, step, n) => {
    let any = false;
    for (let q = 0; q < n; q += 1) {
      f[q] = squares[offset + q * step];
      if (f[q] !== Infinity) any = true;
    }
    if (!any) return;
    let k = -1;
    for (let q = 0; q < n; q += 1) {
      if (f[q] === Infinity) continue;
      let s = -Infinity;
      while (k >= 0) {
        s = (f[q] + q * q - (f[v[k]] + v[k] * v[k])) / (2 * q - 2 * v[k]);
        if (s > z[k]) break;
        k -= 1;
      }
      if (k < 0) s = -Infinity;
      k += 1;
      v[k] = q;
      z[k] = s;
      z[k + 1] = Infinity;
    }
    for (let q = 0, at = 0; q < n; q += 1) {
      while (at < k && z[at + 1] < q) at += 1;
      squares[offset + q * step] = (q - v[at]) * (q - v[at]) + f[v[at]];
    }
  };
  for (let i = 0; i < width; i += 1) line(i, width, height);
  for (let j = 0; j < height; j += 1) line(j * width, 1, width);
}

/** The box of rings, or null without any. */
export function ringsBox(rings) {
  if (!rings.length) return null;
  const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (const ring of rings)
    for (let i = 0; i < ring.length; i += 2) {
      box.x0 = Math.min(box.x0, ring[i]);
      box.x1 = Math.max(box.x1, ring[i]);
      box.y0 = Math.min(box.y0, ring[i + 1]);
      box.y1 = Math.max(box.y1, ring[i + 1]);
    }
  return box;
}
