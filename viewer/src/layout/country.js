/** One land: its tools in columns by rank, those without routes in a grid below, and its routes' pieces. */
import { makeLanes, orderPorts, passColumns } from "./lanes.js";
import { nameLines, textWidth } from "./measure.js";
import { rankTools } from "./ranks.js";
import { drawRoutes, MARK, stubs } from "./routes.js";
import { placeRows } from "./rows.js";

const LINE = 14.5;
const ASPECT = 1.3;
const FEW_ROWS = 9;

/** A tool as a node with its extents about the mark: up, down, left, right (px). */
function makeNode(tool, giving) {
  const lines = nameLines(tool.label);
  const width = Math.max(...lines.map((line) => textWidth(line, 12.5)));
  const ports = tool.ports.map((port) => ({ ...port, width: textWidth(port.label, 11, "serif"), dy: 0 }));
  ports.forEach((port, i) => (port.dy = (i - (ports.length - 1) / 2) * 18));
  const half = Math.max(0, ports.length - 1) * 9 + MARK + 2.6;
  const below = ports.length ? 8 : 2;
  const above = giving;
  const node = { id: tool.id, lines, width, ports, above, mark: tool.mark, half, x: 0, y: 0, column: 0 };
  node.up = above ? half + 5 + lines.length * LINE : Math.max(half + 2, (lines.length * LINE) / 2 + 1);
  node.down = above ? half + below : Math.max(half + below, (lines.length * LINE) / 2 + 1);
  const stub = ports.length ? node.x - stubs(node).single + 6 : MARK + 6;
  node.left = above ? Math.max(stub, width / 2 + 4 + (tool.warned ? 20 : 0)) : stub;
  node.right = above ? width / 2 + 4 : MARK + 9 + width + (tool.warned ? 22 : 0);
  return node;
}

/**
 * Lay out one land. `tools` `{id, label, mark, ports}` sorted; `edges` `{number, from, to, port, confidence}`
 * into its tools, from anywhere; `giving` the ids with consumers.
 *
 * Returns `{nodes: Map, columns, pieces, entries, skeleton, undrawn}` around an origin at its middle.
 */
export function layoutLand(tools, edges, giving, { height = 790, width = 880 } = {}) {
  const nodes = new Map(tools.map((tool) => [tool.id, makeNode(tool, giving.has(tool.id))]));
  const inside = edges.filter((edge) => nodes.has(edge.from) && nodes.has(edge.to));
  const { rank, skeleton, joined } = rankTools([...nodes.keys()], inside);
  const columns = makeColumns(nodes, rank, inside);
  placeRows(columns.map((column) => column.nodes), inside.map((edge) => [edge.from, edge.to]), rank.size <= 40 ? 26 : 12);
  const alone = [...nodes.values()].filter((node) => !joined.has(node.id));
  const { drawn, undrawn } = withinBudget(edges);
  const many = drawn.filter((edge) => nodes.has(edge.from)).length;
  // Lanes of equal producers may lie on one line, for there every producer feeds every consumer.
  const apart = many <= 60 ? 7.5 : many <= 150 ? 6 : 3;
  const lanes = makeLanes(nodes, drawn);
  stretch(columns, height);
  orderPorts(nodes, lanes);
  const share = many <= 60 ? () => null : (lane) => [...new Set(lane.edges.map((edge) => edge.from))].sort().join("\n");
  placeColumns(columns, lanes, width, share);
  passColumns(columns, nodes, lanes, { apart, share, margin: many <= 60 ? 11 : 8 });
  orderPorts(nodes, lanes.filter((lane) => !lane.backOf));
  placeAlone(alone, columns);
  const { pieces, entries } = drawRoutes(columns, nodes, lanes, many > 60);
  return { nodes, columns, pieces, entries, skeleton, undrawn };
}

const LINES_MOST = 300;

/**
 * Lanes of equal producers fold into one line; beyond 300 lines the weakest are counted instead of drawn.
 */
function withinBudget(edges) {
  const ports = new Map();
  for (const edge of edges) {
    const key = `${edge.to}\n${edge.port}`;
    if (!ports.has(key)) ports.set(key, []);
    ports.get(key).push(edge);
  }
  const lines = new Map();
  for (const [key, list] of ports) {
    const line = list.map((edge) => edge.from).sort().join("\n");
    if (!lines.has(line)) lines.set(line, { key, edges: [] });
    lines.get(line).edges.push(...list);
  }
  if (lines.size <= LINES_MOST) return { drawn: edges, undrawn: [] };
  const best = (line) => Math.max(...line.edges.map((edge) => edge.confidence));
  const order = [...lines.values()].sort((a, b) => b.edges.length - a.edges.length || best(b) - best(a) || (a.key < b.key ? -1 : 1));
  const kept = new Set(order.slice(0, LINES_MOST).flatMap((line) => line.edges.map((edge) => edge.number)));
  return { drawn: edges.filter((edge) => kept.has(edge.number)), undrawn: edges.filter((edge) => !kept.has(edge.number)) };
}

/** Ranks as columns; a rank with more rows than the map's shape bears becomes several columns. */
function makeColumns(nodes, rank, inside) {
  const ranks = new Map();
  for (const [id, value] of [...rank.entries()].sort((a, b) => (a[0] < b[0] ? -1 : 1))) {
    if (!ranks.has(value)) ranks.set(value, []);
    ranks.get(value).push(nodes.get(id));
  }
  const all = [...rank.keys()].map((id) => nodes.get(id));
  const area = all.reduce((sum, node) => sum + (node.up + node.down + 12) * 215, 0);
  const tall = Math.sqrt(area / ASPECT);
  const givers = new Set(inside.filter((edge) => rank.get(edge.to) > rank.get(edge.from)).map((edge) => edge.from));
  const columns = [];
  for (const value of [...ranks.keys()].sort((a, b) => a - b)) {
    const row = ranks.get(value);
    const full = row.reduce((sum, node) => sum + node.up + node.down + 12, 0);
    const parts = row.length <= FEW_ROWS ? 1 : Math.max(1, Math.round(full / Math.max(tall, 420)));
    const size = Math.ceil(row.length / parts);
    // Tools that feed later ranks stand last, next to those they feed.
    row.sort((a, b) => Number(givers.has(a.id)) - Number(givers.has(b.id)) || (a.id < b.id ? -1 : 1));
    for (let i = 0; i < row.length; i += size) columns.push({ index: columns.length, nodes: row.slice(i, i + size), x: 0 });
  }
  for (const column of columns) for (const node of column.nodes) node.column = column.index;
  return columns;
}

/** Spread the rows to 66 % of the map's height, at most 2.1 times. */
function stretch(columns, height) {
  const all = columns.flatMap((column) => column.nodes);
  if (all.length < 2) return;
  const top = Math.min(...all.map((node) => node.y - node.up));
  const bottom = Math.max(...all.map((node) => node.y + node.down));
  const factor = Math.min(2.1, Math.max(1, (0.66 * height) / (bottom - top)));
  const middle = (top + bottom) / 2;
  for (const node of all) node.y = (node.y - middle) * factor;
}

/** Columns' x: names, then a channel that grows with the lanes that cross it, then parameters. */
function placeColumns(columns, lanes, width, share) {
  const crossing = columns.map(() => new Set());
  for (const lane of lanes) {
    const first = lane.forward.length ? Math.min(...lane.forward.map((node) => node.column)) : lane.column;
    for (let c = first; c < lane.column; c += 1) crossing[c].add(share(lane) ?? lane);
    if (lane.back.length) crossing[lane.column].add(lane);
  }
  const forks = columns.map(() => 0);
  for (const lane of lanes) if (lane.ports.length > 1) forks[lane.column] = 18;
  const left = columns.map((column, i) => Math.max(...column.nodes.map((node) => node.left)) + forks[i]);
  const right = columns.map((column) => Math.max(...column.nodes.map((node) => node.right)));
  columns.forEach((column, i) => {
    for (const node of column.nodes) if (forks[i] && node.ports.length > 1) node.left = Math.max(node.left, node.x - stubs(node).fork + 4);
  });
  const channel = columns.map((_, i) => 42 + Math.min(84, crossing[i].size * 1.6));
  const natural = columns.reduce((sum, _, i) => sum + left[i] + right[i] + (i ? channel[i - 1] : 0), 0);
  const channels = channel.slice(0, -1).reduce((sum, each) => sum + each, 0);
  const grow = channels ? Math.min(2.4, Math.max(1, (width - natural + channels) / channels)) : 1;
  let x = 0;
  columns.forEach((column, i) => {
    if (i) x += right[i - 1] + channel[i - 1] * grow + left[i];
    column.x = x;
    column.left = x - left[i];
    column.right = x + right[i];
    for (const node of column.nodes) node.x = x;
  });
}

/** Tools without routes: a grid below the others, or alone in the map's shape. */
function placeAlone(alone, columns) {
  if (!alone.length) return;
  const joined = columns.flatMap((column) => column.nodes);
  const cellWide = Math.max(...alone.map((node) => node.left + node.right)) + 26;
  const left = Math.max(...alone.map((node) => node.left));
  const cellTall = alone.reduce((sum, node) => sum + node.up + node.down, 0) / alone.length + 14;
  const box = joined.length
    ? { x0: Math.min(...columns.map((column) => column.left)), x1: Math.max(...columns.map((column) => column.right)), y1: Math.max(...joined.map((node) => node.y + node.down)) + 46 }
    : { x0: 0, x1: 0, y1: 0 };
  const square = Math.max(1, Math.round(Math.sqrt((alone.length * cellTall * ASPECT) / cellWide)));
  const across = joined.length ? Math.max(square, Math.floor((box.x1 - box.x0) / cellWide)) : square;
  const wide = Math.min(across, alone.length) * cellWide;
  const start = joined.length ? Math.max(box.x0, (box.x0 + box.x1 - wide) / 2) : 0;
  let y = box.y1;
  for (let i = 0; i < alone.length; i += across) {
    const row = alone.slice(i, i + across);
    const up = Math.max(...row.map((node) => node.up));
    row.forEach((node, k) => {
      node.x = start + k * cellWide + left;
      node.y = y + up;
      node.alone = true;
    });
    y += up + Math.max(...row.map((node) => node.down)) + 14;
  }
}
