/**
 * A country plate: the home land in full, the lands it trades with about it, the routes between them,
 * every coast, and a place for every name.
 */
import { COUNTRY_COAST, coast } from "./coast.js";
import { ringPath } from "./contour.js";
import { layoutLand } from "./country.js";
import { bSpline, Curve, placeArrow } from "./curve.js";
import { textWidth } from "./measure.js";
import { CELL, Ground } from "./router.js";
import { MARK } from "./routes.js";

const SEA = 46;
const LARGE = 1.6e6;
const FAR = 0.66;
const PIECES_CROWDED = 240;
const CROSS_MOST = 60;
const CROSS_CROWDED = 24;

/**
 * `input`: `{lands: [{server, seed, title, tools, home}], edges, width, height}`, the home land first;
 * edges `{number, from, to, port, type, confidence}`. Returns a plain object for drawing.
 */
export function layoutPlate(input, progress = () => {}) {
  const { edges, width = 880, height = 790 } = input;
  const giving = new Set(edges.map((edge) => edge.from));
  const lands = input.lands.map((land, i) => {
    const ids = new Set(land.tools.map((tool) => tool.id));
    const into = edges.filter((edge) => ids.has(edge.to));
    const out = layoutLand(land.tools, into, giving, { height: i ? 300 : height, width: i ? 300 : width });
    progress((i + 1) / (input.lands.length + 2));
    return { ...land, ...out };
  });
  const occupied = [];
  const grow = growthOf(lands[0], width, height);
  lands.forEach((land, i) => {
    land.primitives = primitivesOf(land, grow);
    land.name = placeTitle(land, i === 0);
    if (land.name.inside) land.primitives.push(land.name.box);
    if (i > 0) moveLand(land, findPlace(land, lands.slice(0, i), edges, occupied));
    for (const p of land.primitives) occupied.push(boxOf(p));
    if (!land.name.inside) occupied.push(land.name.box);
  });
  for (const land of lands) {
    const all = union(land.primitives.map(boxOf));
    // A large land is seen from further off; a coarser lattice draws the same coast there.
    const large = (all.x1 - all.x0) * (all.y1 - all.y0) > LARGE;
    const shape = coast(land.primitives, land.seed, large ? { ...COUNTRY_COAST, grid: 7 } : COUNTRY_COAST);
    land.shape = shape;
    if (!land.name.inside) nameOutside(land, shape.box);
  }
  progress((input.lands.length + 1) / (input.lands.length + 2));
  const crossing = routeBetween(lands);
  return output(lands, crossing, edges);
}

/** Names keep their size when a large land is seen from further off: how much land they need to stand on. */
function growthOf(land, width, height) {
  const nodes = [...land.nodes.values()];
  if (!nodes.length) return 1;
  const wide = Math.max(...nodes.map((node) => node.x + node.right)) - Math.min(...nodes.map((node) => node.x - node.left));
  const tall = Math.max(...nodes.map((node) => node.y + node.down)) - Math.min(...nodes.map((node) => node.y - node.up));
  return 1 / Math.min(1, Math.max(FAR, Math.min((width + 20) / wide, (height - 90) / tall)));
}

/** Land's primitives: tools with their names, inner routes as capsules, skeleton capsules. */
function primitivesOf(land, grow) {
  const list = [];
  const nodes = [...land.nodes.values()];
  for (const node of nodes) {
    const [left, right] = node.above ? [Math.max(node.left, (node.width / 2) * grow), (node.width / 2 + 4) * grow] : [node.left, Math.max(node.right, MARK + 9 + node.width * grow + 4 * grow)];
    list.push({ x0: node.x - left + 4, y0: node.y - (node.above ? node.half + (node.up - node.half) * grow : node.up), x1: node.x + right, y1: node.y + node.down });
  }
  for (const piece of land.pieces) {
    const points = piece.curve.sample(26);
    for (let i = 0; i + 3 < points.length; i += 2) list.push({ ax: points[i], ay: points[i + 1], bx: points[i + 2], by: points[i + 3], r: -6 });
  }
  land.skeleton.forEach(([from, to], i) => {
    const a = land.nodes.get(from);
    const b = land.nodes.get(to);
    list.push({ ax: a.x, ay: a.y, bx: b.x, by: b.y, r: 4 + ((i * 7) % 11) });
  });
  if (!list.length) list.push({ x0: -50, y0: -20, x1: 50, y1: 20 });
  return list;
}

function boxOf(p) {
  if (p.ax === undefined) return p;
  return { x0: Math.min(p.ax, p.bx), y0: Math.min(p.ay, p.by), x1: Math.max(p.ax, p.bx), y1: Math.max(p.ay, p.by) };
}

const union = (boxes) => ({
  x0: Math.min(...boxes.map((b) => b.x0)),
  y0: Math.min(...boxes.map((b) => b.y0)),
  x1: Math.max(...boxes.map((b) => b.x1)),
  y1: Math.max(...boxes.map((b) => b.y1)),
});

/** The land's name: in the deepest hollow along its upper side, or outside a land too narrow for it. */
function placeTitle(land, home) {
  const boxes = land.primitives.map(boxOf);
  const box = union(boxes);
  const size = home ? 30 : 16;
  const spacing = home ? 0.34 : 0.2;
  const text = land.title;
  const wide = textWidth(text, size, "capitals", spacing);
  if (!home || wide > box.x1 - box.x0 - 46 + 54) {
    const small = home ? 20 : size;
    const w = textWidth(text, small, "capitals", 0.2);
    const x = (box.x0 + box.x1) / 2;
    const y = box.y1 + 40 + small;
    return { inside: false, x, y, size: small, spacing: 0.2, width: w, box: { x0: x - w / 2, y0: y - small, x1: x + w / 2, y1: y + 4 } };
  }
  let best = null;
  for (let x = box.x0 + 6; x <= box.x1 - wide - 6; x += 16) {
    const floor = Math.min(...boxes.filter((b) => b.x0 < x + wide + 26 && b.x1 > x - 26).map((b) => b.y0), box.y1) - 20;
    const off = Math.abs(x + wide / 2 - (box.x0 + box.x1) / 2) / 40;
    const score = floor - off;
    if (!best || score > best.score + 0.01) best = { score, x, y: floor };
  }
  const y = best?.y ?? box.y0 - 20;
  const x = (best?.x ?? box.x0) + wide / 2;
  return { inside: true, x, y, size, spacing, width: wide, box: { x0: x - wide / 2, y0: y - size * 0.72, x1: x + wide / 2, y1: y + 2 } };
}

/** Below the land, else right, above, left: the first that keeps to the land's middle. */
function nameOutside(land, box) {
  const { name } = land;
  name.x = (box.x0 + box.x1) / 2;
  name.y = box.y1 + 6 + name.size;
  name.box = { x0: name.x - name.width / 2, y0: name.y - name.size, x1: name.x + name.width / 2, y1: name.y + 4 };
}

function moveLand(land, [dx, dy]) {
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
function findPlace(land, before, edges, occupied) {
  const own = union([...land.primitives.map(boxOf), ...(land.name.inside ? [] : [land.name.box])]);
  const w = own.x1 - own.x0;
  const h = own.y1 - own.y0;
  const partners = [];
  for (const edge of edges) {
    const [here, there] = land.nodes.has(edge.from) ? [edge.from, edge.to] : [edge.to, edge.from];
    if (!land.nodes.has(here)) continue;
    for (const other of before) if (other.nodes.has(there)) partners.push(other.nodes.get(there));
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
      const grown = union([box, all]);
      const wide = Math.max(grown.x1 - grown.x0, (grown.y1 - grown.y0) * 1.3);
      const cost = Math.hypot(x + w / 2 - cx, y + h / 2 - cy) + 2.2 * (wide - Math.max(all.x1 - all.x0, (all.y1 - all.y0) * 1.3)) + (y + h / 2 < cy ? 24 : 0);
      if (best && cost >= best.cost) continue;
      if (taken.meets(box)) continue;
      best = { cost, x, y };
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

/** Routes between lands, one way a producer and an entry, the strongest first. */
function routeBetween(lands) {
  const home = new Map();
  lands.forEach((land, i) => land.nodes.forEach((node, id) => home.set(id, i)));
  const groups = new Map();
  lands.forEach((land) =>
    land.entries.forEach((entry, n) => {
      for (const edge of entry.lane.edges) {
        if (home.get(edge.from) === home.get(edge.to) || !home.has(edge.from)) continue;
        const key = `${edge.from}\n${edge.to}\n${n}`;
        if (!groups.has(key)) groups.set(key, { from: edge.from, entry, edges: [] });
        groups.get(key).edges.push(edge);
      }
    }),
  );
  const best = (group) => Math.max(...group.edges.map((edge) => edge.confidence));
  const order = [...groups.entries()].sort((a, b) => best(b[1]) - best(a[1]) || (a[0] < b[0] ? -1 : 1)).map(([, group]) => group);
  const most = lands[0].nodes.size > 45 ? CROSS_CROWDED : CROSS_MOST;
  const drawn = order.slice(0, most);
  const undrawn = order.slice(most).flatMap((group) => group.edges.map((edge) => edge.number));
  if (!drawn.length) return { pieces: [], undrawn };
  const all = union(lands.map((land) => land.shape.box ?? union(land.primitives.map(boxOf))));
  const ground = new Ground({ x0: all.x0 - 60, y0: all.y0 - 60, x1: all.x1 + 60, y1: all.y1 + 60 });
  lands.forEach((land, i) => ground.own(land.shape.coast, i));
  for (const land of lands) {
    for (const node of land.nodes.values())
      ground.paint({ x0: node.x - node.left - 2, y0: node.y - node.up - 3, x1: node.x + node.right + 3, y1: node.y + node.down + 3 }, 30);
    ground.paint({ x0: land.name.box.x0 - 6, y0: land.name.box.y0 - 4, x1: land.name.box.x1 + 6, y1: land.name.box.y1 + 6 }, 30);
    for (const piece of land.pieces) ground.use(piece.curve.sample(CELL));
  }
  const starts = new Map();
  for (const land of lands)
    for (const piece of land.pieces) {
      // A producer with routes at home already has a trunk: leave from its end.
      if (piece.trunk) starts.set(piece.trunk, piece);
    }
  const pieces = [];
  for (const { from, entry, edges: list } of drawn) {
    const a = home.get(from);
    const b = home.get(list[0].to);
    const node = lands[a].nodes.get(from);
    const trunk = starts.get(from);
    const leave = trunk ? trunk.curve.end : [node.x + (node.above ? Math.max(MARK + 14, node.right) : MARK + 14), node.y];
    if (trunk) trunk.edges.push(...list);
    else {
      const piece = { curve: new Curve(node.x + MARK, node.y).line(...leave), edges: [...list], trunk: from };
      pieces.push(piece);
      starts.set(from, piece);
    }
    const price = (k) => {
      const owner = ground.owner[k];
      return ground.cost[k] + (owner >= 0 && owner !== a && owner !== b ? 22 : 0) + (ground.used[k] ? 1.5 : 0);
    };
    const goal = [entry.x - 10, entry.y];
    const cells = ground.way([leave[0] + 10, leave[1]], goal, price);
    if (!cells) {
      undrawn.push(...list.map((edge) => edge.number));
      continue;
    }
    const points = [leave, [leave[0] + 12, leave[1]]];
    for (let i = 4; i < cells.length - 3; i += 4) points.push(ground.middle(cells[i]));
    points.push([entry.x - 14, entry.y], [entry.x, entry.y]);
    const curve = bSpline(points);
    ground.use(curve.sample(CELL));
    pieces.push({ curve, edges: list, between: true });
  }
  return { pieces, undrawn };
}

/** Pieces that fold onto one line are one piece with a count. */
function foldSame(pieces) {
  const byData = new Map();
  for (const piece of pieces) {
    const key = piece.port ? `${piece.curve.data} ${piece.to} ${piece.port}` : piece.curve.data;
    const held = byData.get(key);
    if (!held) byData.set(key, piece);
    else {
      held.edges = [...held.edges, ...piece.edges];
      held.folded = true;
    }
  }
  return [...byData.values()];
}

/** The middle of a piece's longest level stretch, where a count can stand. */
function onMiddle(curve) {
  let best = null;
  let [px, py] = curve.start;
  for (const segment of curve.segments) {
    const [x, y] = segment.slice(-2);
    if (segment.length === 2 && Math.abs(y - py) < 1 && (!best || Math.abs(x - px) > best.long)) best = { long: Math.abs(x - px), x: (x + px) / 2, y };
    [px, py] = [x, y];
  }
  return best && best.long > 30 ? { x: best.x, y: best.y } : null;
}

function output(lands, crossing, edges) {
  const arrows = [];
  const nodes = [];
  const pieces = [];
  for (const land of lands)
    for (const node of land.nodes.values()) {
      nodes.push({ id: node.id, server: land.server, x: node.x, y: node.y, lines: node.lines, above: node.above, half: node.half, up: node.up, down: node.down, left: node.left, right: node.right, nameWidth: node.width, mark: node.mark, alone: !!node.alone, ports: node.ports.map(({ name, label, person, dy, width }) => ({ name, label, person, dy, width })) });
    }
  for (const piece of foldSame([...lands.flatMap((land) => land.pieces), ...crossing.pieces])) {
    const numbers = [...new Set(piece.edges.map((edge) => edge.number))].sort((a, b) => a - b);
    const arrow = placeArrow(piece.curve, arrows);
    const middle = piece.between || piece.curve.onBend(0.5) ? piece.curve.onBend(piece.between ? 0.5 : 0.3) : null;
    pieces.push({ d: piece.curve.data, edges: numbers, arrow, tip: piece.tip ?? null, to: piece.to ?? null, port: piece.port ?? null, between: !!piece.between, folded: piece.folded ? onMiddle(piece.curve) : null, manual: middle && { x: middle.x, y: middle.y }, points: piece.curve.sample(14).map((v) => Math.round(v)) });
  }
  const drawn = new Set(pieces.flatMap((piece) => piece.edges));
  const undrawn = edges.filter((edge) => !drawn.has(edge.number)).map((edge) => edge.number);
  const shapes = lands.map((land) => ({
    server: land.server,
    title: land.title,
    home: !!land.home,
    name: land.name,
    coast: ringPath(land.shape.coast),
    lines: land.shape.lines.map(ringPath),
    ribbons: land.shape.inner.map((rings) => ringPath([...land.shape.coast, ...rings])),
    box: land.shape.box,
    rings: land.shape.coast.map((ring) => ring.map((v) => Math.round(v))),
  }));
  const box = union([...lands.map((land) => land.shape.box), ...lands.map((land) => land.name.box)]);
  return { nodes, pieces, lands: shapes, box, undrawn, crowded: pieces.length > PIECES_CROWDED };
}
