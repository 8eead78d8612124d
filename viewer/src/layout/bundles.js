/** The world's bundles: ways over the sea from coast to coast, the largest first, with room for their counts. */
import { CROWDED } from "./arrange.js";
import { bSpline } from "./curve.js";
import { Ground } from "./router.js";

const BUNDLES_MOST = 60;
const BUNDLES_CROWDED = 36;

/** `{drawn, undrawn}`: drawn bundles `{from, to, d, start, end, angle, label}`, and how many were left out. */
export function routeBundles(territories, bundles, plane, keep, scale) {
  const order = [...bundles].sort((a, b) => b.count - a.count || b.strength - a.strength || (a.from + a.to < b.from + b.to ? -1 : 1));
  const chosen = order.slice(0, territories.length > CROWDED ? BUNDLES_CROWDED : BUNDLES_MOST);
  const ground = new Ground(plane);
  const number = new Map(territories.map(({ land }, i) => [land.name, i]));
  // Near a coast it costs more, so that lines keep off the waterlines.
  for (const { shape } of territories) ground.paint({ x0: shape.box.x0 - 14, y0: shape.box.y0 - 14, x1: shape.box.x1 + 14, y1: shape.box.y1 + 14 }, 1.6);
  territories.forEach(({ shape }, i) => ground.own(shape.coast, i));
  const frame = 16 * scale;
  ground.paint({ x0: plane.x0, y0: plane.y0, x1: plane.x1, y1: plane.y0 + frame }, 9);
  ground.paint({ x0: plane.x0, y0: plane.y1 - frame, x1: plane.x1, y1: plane.y1 }, 9);
  ground.paint({ x0: plane.x0, y0: plane.y0, x1: plane.x0 + frame, y1: plane.y1 }, 9);
  ground.paint({ x0: plane.x1 - frame, y0: plane.y0, x1: plane.x1, y1: plane.y1 }, 9);
  for (const box of keep) ground.paint(box, 30);
  for (const { land, shape } of territories) {
    const wide = (land.nameWidth / 2 + 4) * scale;
    const top = land.inside ? land.y - land.size * scale : shape.box.y1 + 2;
    ground.paint({ x0: land.x - wide, y0: top, x1: land.x + wide, y1: top + (land.size + 20) * scale }, 30);
  }
  const drawn = [];
  const labels = [];
  for (const bundle of chosen) {
    const a = number.get(bundle.from);
    const b = number.get(bundle.to);
    const from = territories[a];
    const to = territories[b];
    const price = (k) => {
      const owner = ground.owner[k];
      if (owner === a || owner === b) return 0.5 + (ground.cost[k] > 20 ? 3 : 0);
      return ground.cost[k] + (owner >= 0 ? 22 : 0) + (ground.used[k] ? 1.5 : 0);
    };
    const cells = ground.way([from.land.x, from.land.y], [to.land.x, to.land.y], price, 0.5);
    if (!cells) continue;
    const points = [[from.land.x, from.land.y]];
    for (let i = 3; i < cells.length - 3; i += 4) points.push(ground.middle(cells[i]));
    points.push([to.land.x, to.land.y]);
    const line = trim(bSpline(points).sample(4), from.shape.coast, to.shape.coast);
    if (!line) continue;
    ground.use(line, Math.round(scale));
    drawn.push({ from: bundle.from, to: bundle.to, ...shapeOf(line), label: placeLabel(line, labels, scale) });
  }
  return { drawn, undrawn: bundles.length - drawn.length };
}

/** A sampled line from where it leaves the first land to where it reaches the second. */
function trim(points, leave, reach) {
  let start = 0;
  for (let i = 0; i < points.length; i += 2) if (insideRings(leave, points[i], points[i + 1])) start = i;
  let end = -1;
  for (let i = start + 2; i < points.length; i += 2)
    if (insideRings(reach, points[i], points[i + 1])) {
      end = i;
      break;
    }
  if (end - start < 6) return null;
  return points.slice(start, end + 2);
}

function insideRings(rings, x, y) {
  let inside = false;
  for (const ring of rings)
    for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2)
      if (ring[i + 1] > y !== ring[j + 1] > y && x < ((ring[j] - ring[i]) * (y - ring[i + 1])) / (ring[j + 1] - ring[i + 1]) + ring[i]) inside = !inside;
  return inside;
}

function shapeOf(line) {
  const n = line.length;
  let d = "";
  for (let i = 0; i < n; i += 2) d += (i ? "L" : "M") + Math.round(line[i] * 10) / 10 + " " + Math.round(line[i + 1] * 10) / 10;
  const k = Math.max(0, n - 8);
  return { d, start: [line[0], line[1]], end: [line[n - 2], line[n - 1]], angle: Math.atan2(line[n - 1] - line[k + 1], line[n - 2] - line[k]) };
}

/** Where a bundle's count stands: near its middle, away from other counts. */
function placeLabel(line, labels, scale) {
  const n = line.length / 2;
  for (const t of [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74]) {
    const i = Math.min(n - 1, Math.round(t * (n - 1))) * 2;
    const at = [line[i], line[i + 1]];
    if (labels.some(([x, y]) => Math.abs(x - at[0]) < 20 * scale && Math.abs(y - at[1]) < 14 * scale)) continue;
    labels.push(at);
    return at;
  }
  return null;
}
