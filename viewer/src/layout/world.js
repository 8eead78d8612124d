/**
 * The world: dagre places the territories by their bundled routes, overlaps are pushed apart within the
 * map, coasts are drawn about a dot a tool, bundles find their way over the sea.
 */
import dagre from "@dagrejs/dagre";
import { WORLD_COAST, coast } from "./coast.js";
import { ringPath } from "./contour.js";
import { bSpline } from "./curve.js";
import { textWidth, worldSize, worldSpacing } from "./measure.js";
import { random } from "./noise.js";
import { Ground } from "./router.js";

const APART = 13;
const SEA = 30;
const FILLED = 0.46;
const BUNDLES_MOST = 60;
const BUNDLES_CROWDED = 36;
const CROWDED = 45;
const NAMES_CLAIM = 95;
const NAMES_CROWDED = 60;
const SCALE_LEAST = 0.55;
const SCALE_MOST = 3;
const SCALE_CROWDED = 4.2;

/**
 * `input`: `{servers: [{name, label, seed, tools}], bundles: [{from, to, count, strength}], width, height,
 * keep}`, sorted; `keep` boxes (px) that stay open sea. Returns territories, routes and the plane's size.
 */
export function layoutWorld(input, progress = () => {}) {
  const most = Math.max(1, ...input.servers.map((server) => server.tools));
  const crowded = input.servers.length > CROWDED;
  const lands = input.servers.map((server) => {
    const dots = scatter(server.tools, server.seed);
    const xs = dots.map((dot) => dot[0]);
    const ys = dots.map((dot) => dot[1]);
    const spacing = worldSpacing(server.tools);
    const landWide = Math.max(...xs) - Math.min(...xs) + 54;
    // A long name is set smaller rather than wider than its land bears.
    const one = textWidth(server.label, 1, "capitals", spacing);
    const largest = crowded ? 17 : Infinity;
    const size = Math.round(Math.max(10.5, Math.min(worldSize(server.tools, most), largest, (landWide * 1.1 + 36) / one)) * 10) / 10;
    const wide = one * size;
    return { ...server, dots, size, spacing, nameWidth: crowded ? wide : Math.max(wide, 42), count: !crowded, claims: true, halfW: landWide / 2, halfH: (Math.max(...ys) - Math.min(...ys) + 54) / 2, x: 0, y: 0 };
  });
  // Beyond some number of names only the largest lands claim room for theirs; the others may find some.
  [...lands].sort((a, b) => b.tools - a.tools || (a.name < b.name ? -1 : 1)).slice(lands.length > 120 ? NAMES_CROWDED : NAMES_CLAIM).forEach((land) => (land.claims = false));
  const scale = planeScale(lands, input);
  const plane = { x0: 0, y0: 0, x1: input.width * scale, y1: input.height * scale };
  for (const land of lands) footprint(land, scale);
  const keep = input.keep.map((box) => ({ x0: box.x0 * scale, y0: box.y0 * scale, x1: box.x1 * scale, y1: box.y1 * scale }));
  arrange(lands, input.bundles, plane, keep, scale);
  progress(0.3);
  const territories = lands.map((land, i) => {
    const primitives = land.dots.map(([x, y]) => ({ x0: land.x + x, y0: land.y + y, x1: land.x + x, y1: land.y + y, r: 3 }));
    const shape = coast(primitives, land.seed, WORLD_COAST);
    if (i % 8 === 0) progress(0.3 + (0.4 * i) / lands.length);
    return { land, shape };
  });
  const routes = input.bare ? { drawn: [], undrawn: 0 } : routeBundles(territories, input.bundles, plane, keep, scale);
  return {
    scale,
    box: plane,
    territories: territories.map(({ land, shape }) => ({
      name: land.name, label: land.label, tools: land.tools, size: land.size, spacing: land.spacing, nameWidth: land.nameWidth, x: land.x, y: land.y,
      inside: land.inside, count: land.count, bottom: shape.box.y1, top: shape.box.y0, box: shape.box, coast: ringPath(shape.coast), lines: shape.lines.map(ringPath), ribbons: shape.inner.map((rings) => ringPath([...shape.coast, ...rings])),
      dots: land.dots.map(([x, y]) => [Math.round((land.x + x) * 10) / 10, Math.round((land.y + y) * 10) / 10]),
    })),
    routes: routes.drawn,
    undrawn: routes.undrawn,
  };
}

/** `n` dots on a shaken hexagonal lattice, those nearest to the middle of an uneven blob. */
function scatter(n, seed) {
  const next = random(seed);
  const [a, b, c] = [next() * 6.28, next() * 6.28, next() * 6.28];
  const long = 1.05 + 0.3 * next();
  const reach = Math.ceil(Math.sqrt(n) * 1.1) + 2;
  const points = [];
  for (let j = -reach; j <= reach; j += 1)
    for (let i = -reach; i <= reach; i += 1) {
      const x = (i + (j & 1 ? 0.5 : 0)) * APART;
      const y = j * APART * 0.88;
      const angle = Math.atan2(y, x);
      const rim = 1 + 0.2 * Math.sin(2 * angle + a) + 0.14 * Math.sin(3 * angle + b) + 0.07 * Math.sin(5 * angle + c);
      points.push([Math.hypot(x / long, y * long) / rim, x, y, i, j]);
    }
  points.sort((p, q) => p[0] - q[0] || p[4] - q[4] || p[3] - q[3]);
  const dots = points.slice(0, Math.max(1, n)).map(([, x, y]) => [x + (next() - 0.5) * 5, y + (next() - 0.5) * 5]);
  const cx = (Math.max(...dots.map((d) => d[0])) + Math.min(...dots.map((d) => d[0]))) / 2;
  const cy = (Math.max(...dots.map((d) => d[1])) + Math.min(...dots.map((d) => d[1]))) / 2;
  return dots.map(([x, y]) => [x - cx, y - cy]);
}

/** How much larger the plane is than the map, so that land, names and sea have room. */
function planeScale(lands, { width, height, keep }) {
  const kept = keep.reduce((sum, box) => sum + (box.x1 - box.x0) * (box.y1 - box.y0), 0);
  const room = FILLED * (width * height - kept);
  let scale = SCALE_LEAST;
  for (let step = 0; step < 60; step += 1) {
    let area = 0;
    for (const land of lands) {
      footprint(land, scale);
      area += (land.box.x1 - land.box.x0 + SEA) * (land.box.y1 - land.box.y0 + SEA);
    }
    if (area <= room * scale * scale || scale >= (lands.length > 120 ? SCALE_CROWDED : SCALE_MOST)) break;
    scale *= 1.06;
  }
  return scale;
}

/** A land's box about its middle, with the name where it will stand; names keep their size on the screen. */
function footprint(land, scale) {
  const wide = land.nameWidth * scale;
  land.inside = wide < 2 * land.halfW - 46;
  const name = land.claims && !land.inside;
  const tall = name ? (land.size + (land.count ? 16 : 4)) * scale : 0;
  const half = Math.max(land.halfW, name ? wide / 2 : 0);
  land.box = { x0: -half, x1: half, y0: -land.halfH, y1: land.halfH + tall };
}

function arrange(lands, bundles, plane, keep, scale) {
  const byName = new Map(lands.map((land) => [land.name, land]));
  const strong = skeletonOf(lands, bundles);
  const joined = new Set(strong.flatMap(({ from, to }) => [from, to]));
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 30, ranksep: 60, acyclicer: "greedy" });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const land of lands) if (joined.has(land.name)) graph.setNode(land.name, { width: land.box.x1 - land.box.x0, height: land.box.y1 - land.box.y0 });
  for (const { from, to, strength } of strong) graph.setEdge(from, to, { weight: Math.max(1, Math.round(strength)) });
  if (joined.size) dagre.layout(graph);
  const placed = lands.filter((land) => joined.has(land.name));
  for (const axis of ["x", "y"]) {
    const values = placed.map((land) => graph.node(land.name)[axis]);
    const low = Math.min(...values);
    const high = Math.max(...values);
    const size = plane[`${axis}1`];
    // Half by dagre's distance, half by its order, so that no corner is crowded.
    const order = placed.map((_, i) => i).sort((a, b) => values[a] - values[b] || a - b);
    order.forEach((i, place) => {
      const even = placed.length > 1 ? place / (placed.length - 1) : 0.5;
      const far = high > low ? (values[i] - low) / (high - low) : 0.5;
      placed[i][axis] = size * (0.08 + 0.84 * (0.5 * far + 0.5 * even));
    });
  }
  const bounds = { x0: plane.x0 + 14 * scale, y0: plane.y0 + 14 * scale, x1: plane.x1 - 14 * scale, y1: plane.y1 - 30 * scale };
  relax(placed, bounds, keep, strong, byName, lands.length > CROWDED ? 90 : 220);
  const rest = lands.filter((land) => !joined.has(land.name)).sort((a, b) => b.tools - a.tools || (a.name < b.name ? -1 : 1));
  for (const land of rest) {
    freePlace(land, placed, bounds, keep);
    placed.push(land);
  }
  relax(placed, bounds, keep, strong, byName, lands.length > CROWDED ? 80 : 200, 0);
  // What is still jammed moves, the smaller of two, to the nearest open water.
  for (let round = 0; round < 2; round += 1)
    for (const land of [...lands].sort((a, b) => a.tools - b.tools || (a.name < b.name ? -1 : 1))) {
      const others = lands.filter((other) => other !== land);
      if (clearance(land, land.x, land.y, others, keep) < 4) freePlace(land, others, bounds, keep, true);
    }
}

/** The least distance of a land's box at (x, y) from other lands and kept water; negative where they meet. */
function clearance(land, x, y, others, keep) {
  let clear = Infinity;
  const gap = (b, ox, oy) => Math.max(b.x0 + ox - (x + land.box.x1), x + land.box.x0 - (b.x1 + ox), b.y0 + oy - (y + land.box.y1), y + land.box.y0 - (b.y1 + oy));
  for (const other of others) clear = Math.min(clear, gap(other.box, other.x, other.y));
  for (const box of keep) clear = Math.min(clear, gap(box, 0, 0) + 4);
  return clear;
}

/** The bundles dagre hears of: a strongest spanning forest and as many again, so that it stays quick. */
function skeletonOf(lands, bundles) {
  const order = [...bundles].sort((a, b) => b.strength - a.strength || (a.from + a.to < b.from + b.to ? -1 : 1));
  const root = new Map(lands.map((land) => [land.name, land.name]));
  const find = (name) => {
    let at = name;
    while (root.get(at) !== at) at = root.get(at);
    root.set(name, at);
    return at;
  };
  const kept = [];
  let extra = Math.ceil(lands.length * 0.4);
  for (const bundle of order) {
    const [a, b] = [find(bundle.from), find(bundle.to)];
    if (a !== b) (root.set(a, b), kept.push(bundle));
    else if (extra > 0) ((extra -= 1), kept.push(bundle));
  }
  return kept;
}

function relax(lands, bounds, keep, links, byName, rounds, pull = 0.012) {
  const n = lands.length;
  const still = lands.map((land) => [land.x, land.y]);
  for (let round = 0; round < rounds; round += 1) {
    const cool = 1 - round / rounds;
    let moved = 0;
    if (pull) {
      for (const { from, to } of links) {
        const a = byName.get(from);
        const b = byName.get(to);
        const dx = (b.x - a.x) * pull * cool;
        const dy = (b.y - a.y) * pull * cool;
        a.x += dx;
        a.y += dy;
        b.x -= dx;
        b.y -= dy;
      }
      lands.forEach((land, i) => {
        land.x += (still[i][0] - land.x) * 0.02 * cool;
        land.y += (still[i][1] - land.y) * 0.02 * cool;
      });
    }
    for (let inner = 0; inner < 3; inner += 1) {
      for (let i = 0; i < n; i += 1) for (let j = i + 1; j < n; j += 1) moved += push(lands[i], lands[j]);
      for (const land of lands) {
        for (const box of keep) away(land, box);
        within(land, bounds);
      }
    }
    if (!pull && moved < 1) break;
  }
}

function push(a, b) {
  const ox = Math.min(a.x + a.box.x1, b.x + b.box.x1) - Math.max(a.x + a.box.x0, b.x + b.box.x0) + SEA;
  if (ox <= 0) return 0;
  const oy = Math.min(a.y + a.box.y1, b.y + b.box.y1) - Math.max(a.y + a.box.y0, b.y + b.box.y0) + SEA;
  if (oy <= 0) return 0;
  // The smaller land yields more.
  const share = b.tools + 8 === 0 ? 0.5 : (b.tools + 8) / (a.tools + b.tools + 16);
  if (ox < oy) {
    const side = a.x < b.x || (a.x === b.x && a.name < b.name) ? 1 : -1;
    a.x -= side * ox * share;
    b.x += side * ox * (1 - share);
  } else {
    const side = a.y < b.y || (a.y === b.y && a.name < b.name) ? 1 : -1;
    a.y -= side * oy * share;
    b.y += side * oy * (1 - share);
  }
  return Math.min(ox, oy);
}

function away(land, box) {
  const left = land.x + land.box.x1 - box.x0;
  const right = box.x1 - (land.x + land.box.x0);
  const up = land.y + land.box.y1 - box.y0;
  const down = box.y1 - (land.y + land.box.y0);
  if (Math.min(left, right, up, down) <= 0) return;
  const least = Math.min(right, box.y0 <= 40 ? down : Infinity, box.y0 > 40 ? up : Infinity, left < right / 3 ? left : Infinity);
  if (least === right) land.x += right;
  else if (least === down) land.y += down;
  else if (least === up) land.y -= up;
  else land.x -= left;
}

function within(land, bounds) {
  land.x = Math.min(bounds.x1 - land.box.x1, Math.max(bounds.x0 - land.box.x0, land.x));
  land.y = Math.min(bounds.y1 - land.box.y1, Math.max(bounds.y0 - land.box.y0, land.y));
}

/** The widest open water for a land, or the nearest that is wide enough. */
function freePlace(land, placed, bounds, keep, near = false) {
  let best = null;
  const step = Math.max(18, (bounds.x1 - bounds.x0) / (placed.length > 100 ? 40 : 56));
  for (let y = bounds.y0 - land.box.y0; y <= bounds.y1 - land.box.y1; y += step)
    for (let x = bounds.x0 - land.box.x0; x <= bounds.x1 - land.box.x1; x += step) {
      const clear = clearance(land, x, y, placed, keep);
      const value = near ? Math.min(clear, 12) * 1000 - Math.hypot(x - land.x, y - land.y) : clear;
      if (!best || value > best.value + 0.01) best = { value, x, y };
    }
  if (best) [land.x, land.y] = [best.x, best.y];
}

function routeBundles(territories, bundles, plane, keep, scale) {
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
    const line = trim(bSpline(points).sample(4), from.shape.coast, to.shape.coast, 4.5 * scale);
    if (!line) continue;
    ground.use(line, Math.round(scale));
    drawn.push({ from: bundle.from, to: bundle.to, ...shapeOf(line), label: placeLabel(line, labels, scale) });
  }
  return { drawn, undrawn: bundles.length - drawn.length };
}

/** A sampled line from where it leaves the first land to where it reaches the second. */
function trim(points, leave, reach, tip) {
  let start = 0;
  for (let i = 0; i < points.length; i += 2) if (insideRings(leave, points[i], points[i + 1])) start = i;
  let end = -1;
  for (let i = start + 2; i < points.length; i += 2)
    if (insideRings(reach, points[i], points[i + 1])) {
      end = i;
      break;
    }
  if (end - start < 6) return null;
  void tip;
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

