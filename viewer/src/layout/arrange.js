/** Where the world's territories stand: dagre by their bundles, then pushed apart within the map. */
import dagre from "@dagrejs/dagre";

const SEA = 30;
const FILLED = 0.46;
const SCALE_LEAST = 0.55;
const SCALE_MOST = 3;
const SCALE_CROWDED = 4.2;
export const CROWDED = 45;

/** How much larger the plane is than the map, so that land, names and sea have room. */
export function planeScale(lands, { width, height, keep }) {
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
export function footprint(land, scale) {
  const wide = land.nameWidth * scale;
  land.inside = wide < 2 * land.halfW - 46;
  const name = land.claims && !land.inside;
  const tall = name ? (land.size + (land.count ? 16 : 4)) * scale : 0;
  const half = Math.max(land.halfW, name ? wide / 2 : 0);
  land.box = { x0: -half, x1: half, y0: -land.halfH, y1: land.halfH + tall };
}

/** Give every land its place; those without bundles go to the widest open water. */
export function arrange(lands, bundles, plane, keep, scale) {
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
