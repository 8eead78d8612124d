/** A route's piece as straight and cubic segments: path data, points along it, places for arrows. */

const round = (value) => Math.round(value * 10) / 10;

export class Curve {
  constructor(x, y) {
    this.start = [x, y];
    this.segments = [];
  }

  get end() {
    const last = this.segments[this.segments.length - 1];
    return last ? last.slice(-2) : this.start;
  }

  line(x, y) {
    const [px, py] = this.end;
    if (Math.abs(px - x) > 0.05 || Math.abs(py - y) > 0.05) this.segments.push([x, y]);
    return this;
  }

  cubic(ax, ay, bx, by, x, y) {
    this.segments.push([ax, ay, bx, by, x, y]);
    return this;
  }

  /** A cubic with horizontal tangents, handles 52 % of the way; a straight line where level. */
  swing(x, y) {
    const [px, py] = this.end;
    if (Math.abs(py - y) < 0.3) return this.line(x, y);
    const h = (x - px) * 0.52;
    return this.cubic(px + h, py, x - h, y, x, y);
  }

  get data() {
    let d = `M${round(this.start[0])} ${round(this.start[1])}`;
    for (const s of this.segments) d += (s.length === 2 ? "L" : "C") + s.map(round).join(" ");
    return d;
  }

  /** Points about every `step` px: `[x, y, x, y, …]`. */
  sample(step) {
    const out = [this.start[0], this.start[1]];
    let [px, py] = this.start;
    for (const s of this.segments) {
      if (s.length === 2) {
        const n = Math.max(1, Math.ceil(Math.hypot(s[0] - px, s[1] - py) / step));
        for (let i = 1; i <= n; i += 1) out.push(px + ((s[0] - px) * i) / n, py + ((s[1] - py) * i) / n);
      } else {
        const n = Math.max(2, Math.ceil((Math.hypot(s[4] - px, s[5] - py) * 1.15) / step));
        for (let i = 1; i <= n; i += 1) out.push(...bezier(px, py, s, i / n));
      }
      [px, py] = s.slice(-2);
    }
    return out;
  }

  /** The longest cubic's point and direction at `t`, or null without a cubic. */
  onBend(t) {
    let best = null;
    let [px, py] = this.start;
    for (const s of this.segments) {
      if (s.length === 6) {
        const long = Math.hypot(s[4] - px, s[5] - py);
        if (!best || long > best.long) best = { long, px, py, s };
      }
      [px, py] = s.slice(-2);
    }
    if (!best || best.long < 30) return null;
    const [x, y] = bezier(best.px, best.py, best.s, t);
    const [x2, y2] = bezier(best.px, best.py, best.s, t + 0.02);
    const [x1, y1] = bezier(best.px, best.py, best.s, t - 0.02);
    return { x, y, angle: Math.atan2(y2 - y1, x2 - x1) };
  }
}

function bezier(px, py, [ax, ay, bx, by, x, y], t) {
  const u = 1 - t;
  const a = u * u * u;
  const b = 3 * u * u * t;
  const c = 3 * u * t * t;
  const d = t * t * t;
  return [a * px + b * ax + c * bx + d * x, a * py + b * ay + c * by + d * y];
}

/** A cubic B-spline through the neighbourhood of `points` (`[[x, y], …]`), its ends kept. */
export function bSpline(points) {
  if (points.length < 2) return new Curve(...(points[0] ?? [0, 0]));
  const first = points[0];
  const last = points[points.length - 1];
  const p = [first, first, ...points, last, last];
  const curve = new Curve(...first);
  for (let i = 0; i + 3 < p.length; i += 1) {
    const [, b, c, d] = [p[i], p[i + 1], p[i + 2], p[i + 3]];
    curve.cubic(
      (2 * b[0] + c[0]) / 3, (2 * b[1] + c[1]) / 3,
      (b[0] + 2 * c[0]) / 3, (b[1] + 2 * c[1]) / 3,
      (b[0] + 4 * c[0] + d[0]) / 6, (b[1] + 4 * c[1] + d[1]) / 6,
    );
  }
  return curve;
}

const PLACES = [0.52, 0.64, 0.42, 0.72, 0.34];

/**
 * One arrow a bend, at .52 or the next place that is 11 px from every other arrow, else none.
 *
 * `taken` is a list of `[x, y]`, added to. Returns `{x, y, angle}` or null.
 */
export function placeArrow(curve, taken, near = 11) {
  for (const t of PLACES) {
    const at = curve.onBend(t);
    if (!at) return null;
    if (taken.some(([x, y]) => (x - at.x) ** 2 + (y - at.y) ** 2 < near * near)) continue;
    taken.push([at.x, at.y]);
    return at;
  }
  return null;
}
