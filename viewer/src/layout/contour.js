/** Marching squares with linear interpolation, rings joined, one pass of Chaikin's corner cutting. */

/**
 * Closed rings `[x, y, …]` of `field` at `level`, larger than `least` px², holes dropped.
 *
 * The field outside its own window counts as sea, so land cut by the window closes along it.
 */
export function contours(field, { x0, y0, width, height, grid }, level, least) {
  // A lattice edge is named by its first corner and its side: 0 along x, 1 along y; a rim of sea about all.
  const W = width + 2;
  const next = new Int32Array(W * (height + 2) * 2).fill(-1);
  const starts = [];
  const value = (i, j) => (i < 0 || j < 0 || i >= width || j >= height ? -1e4 : field[j * width + i] - level);
  const edge = (i, j, side) => ((j + 1) * W + i + 1) * 2 + side;
  const join = (from, to) => {
    next[from] = to;
    starts.push(from);
  };
  for (let j = -1; j < height; j += 1) {
    const upper = j >= 0 ? j * width : -1;
    const lower = j + 1 < height ? (j + 1) * width : -1;
    let a = false;
    let d = false;
    for (let i = -1; i < width; i += 1) {
      const b = i + 1 < width && upper >= 0 && field[upper + i + 1] > level;
      const c = i + 1 < width && lower >= 0 && field[lower + i + 1] > level;
      const kind = (a ? 8 : 0) | (b ? 4 : 0) | (c ? 2 : 0) | (d ? 1 : 0);
      if (kind !== 0 && kind !== 15) {
        const top = edge(i, j, 0);
        const right = edge(i + 1, j, 1);
        const bottom = edge(i, j + 1, 0);
        const left = edge(i, j, 1);
        // Land lies to the left of the walk, so outer rings turn anticlockwise on the screen.
        if (kind === 1) join(bottom, left);
        else if (kind === 2) join(right, bottom);
        else if (kind === 3) join(right, left);
        else if (kind === 4) join(top, right);
        else if (kind === 5) (join(top, left), join(bottom, right));
        else if (kind === 6) join(top, bottom);
        else if (kind === 7) join(top, left);
        else if (kind === 8) join(left, top);
        else if (kind === 9) join(bottom, top);
        else if (kind === 10) (join(left, bottom), join(right, top));
        else if (kind === 11) join(right, top);
        else if (kind === 12) join(left, right);
        else if (kind === 13) join(bottom, right);
        else join(left, bottom);
      }
      a = b;
      d = c;
    }
  }
  const point = (key, ring) => {
    const side = key & 1;
    const cell = key >> 1;
    const i = (cell % W) - 1;
    const j = Math.floor(cell / W) - 1;
    const a = value(i, j);
    const b = side ? value(i, j + 1) : value(i + 1, j);
    const t = Math.min(0.999, Math.max(0.001, a / (a - b)));
    if (side) ring.push(x0 + i * grid, y0 + (j + t) * grid);
    else ring.push(x0 + (i + t) * grid, y0 + j * grid);
  };
  const rings = [];
  for (const start of starts) {
    if (next[start] === -1) continue;
    const ring = [];
    let key = start;
    while (next[key] !== -1) {
      point(key, ring);
      const after = next[key];
      next[key] = -1;
      key = after;
    }
    if (key === start && ring.length >= 8 && area(ring) > least) rings.push(chaikin(ring));
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
