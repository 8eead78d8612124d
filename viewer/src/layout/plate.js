/**
 * A country plate: the home land in full, the lands it trades with about it, the routes between them,
 * every coast, and a place for every name.
 */
import { routeBetween } from "./between.js";
import { boxOf, union } from "./boxes.js";
import { COUNTRY_COAST, coast } from "./coast.js";
import { ringPath } from "./contour.js";
import { layoutLand } from "./country.js";
import { placeArrow } from "./curve.js";
import { textWidth } from "./measure.js";
import { findPlace, moveLand } from "./neighbours.js";
import { MARK } from "./routes.js";

const LARGE = 1.6e6;
const FAR = 0.66;
const PIECES_CROWDED = 240;

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
