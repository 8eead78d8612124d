/** Marching squares with linear interpolation, rings joined, one pass of Chaikin's corner cutting. */

/**
 * Closed rings `[x, y, …]` of `field` at `level`, larger than `least` px², holes dropped.
 *
 * The field outside its own window counts as sea, so land cut by the window closes along it.
 */
export function contours(field, { x0, y0, width, height, grid }, level, least) {
  const next = new Map();
  const points = new Map();
  const value = (i, j) => (i < 0 || j < 0 || i >= width || j >= height ? -1e4 : field[j * width + i] - level);
  const W = width + 2;
  const id = (i, j, side) => ((j + 1) * W + (i + 1)) * 2 + side;
  // An edge's point is kept once; side 0 lies along x from (i, j), side 1 along y.
  const at = (i, j, side) => {
    const key = id(i, j, side);
    if (!points.has(key)) {
      const a = value(i, j);
      const b = side ? value(i, j + 1) : value(i + 1, j);
      const t = Math.min(0.999, Math.max(0.001, a / (a - b)));
      points.set(key, side ? [x0 + i * grid, y0 + (j + t) * grid] : [x0 + (i + t) * grid, y0 + j * grid]);
    }
    return key;
  };
  const join = (from, to) => next.set(from, to);
  for (let j = -1; j < height; j += 1)
    for (let i = -1; i < width; i += 1) {
      const a = value(i, j) > 0;
      const b = value(i + 1, j) > 0;
      const c = value(i + 1, j + 1) > 0;
      const d = value(i, j + 1) > 0;
      const kind = (a ? 8 : 0) | (b ? 4 : 0) | (c ? 2 : 0) | (d ? 1 : 0);
      if (kind === 0 || kind === 15) continue;
      const top = () => at(i, j, 0);
      const right = () => at(i + 1, j, 1);
      const bottom = () => at(i, j + 1, 0);
      const left = () => at(i, j, 1);
      // Land lies to the left of the walk, so outer rings turn anticlockwise on the screen.
      if (kind === 1) join(bottom(), left());
      else if (kind === 2) join(right(), bottom());
      else if (kind === 3) join(right(), left());
      else if (kind === 4) join(top(), right());
      else if (kind === 5) (join(top(), left()), join(bottom(), right()));
      else if (kind === 6) join(top(), bottom());
      else if (kind === 7) join(top(), left());
      else if (kind === 8) join(left(), top());
      else if (kind === 9) join(bottom(), top());
      else if (kind === 10) (join(left(), bottom()), join(right(), top()));
      else if (kind === 11) join(right(), top());
      else if (kind === 12) join(left(), right());
      else if (kind === 13) join(bottom(), right());
      else if (kind === 14) join(left(), bottom());
    }
  const rings = [];
  const done = new Set();
  for (const start of next.keys()) {
    if (done.has(start)) continue;
    const ring = [];
    let key = start;
    while (key !== undefined && !done.has(key)) {
      done.add(key);
      const [x, y] = points.get(key);
      ring.push(x, y);
      key = next.get(key);
    }
    if (key !== start || ring.length < 8) continue;
    if (area(ring) > least) rings.push(chaikin(ring));
  }
  return rings;
}

/** Signed area of a ring, positive for land. */
export function area(ring) {
  let sum = 0;
  for (let i = 0, n = ring.length; i < n; i += 2) {
    const k = (i + 2) % n;
    sum += ring[i] * ring[k + 1] - ring[k] * ring[i + 1];
  }
  return -sum / 2;
}

function chaikin(ring) {
  const out = [];
  for (let i = 0, n = ring.length; i < n; i += 2) {
    const k = (i + 2) % n;
    out.push(0.75 * ring[i] + 0.25 * ring[k], 0.75 * ring[i + 1] + 0.25 * ring[k + 1]);
    out.push(0.25 * ring[i] + 0.75 * ring[k], 0.25 * ring[i + 1] + 0.75 * ring[k + 1]);
  }
  return out;
}

/** A ring as SVG path data, one decimal. */
export function ringPath(rings) {
  let d = "";
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) d += (i ? "L" : "M") + Math.round(ring[i] * 10) / 10 + " " + Math.round(ring[i + 1] * 10) / 10;
    d += "Z";
  }
  return d;
}
