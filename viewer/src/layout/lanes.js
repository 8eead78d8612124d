/**
 * Lanes: routes into the same parameters from the same producers share one line, because there merging
 * is true. A lane runs straight through every column between, in a gap between names.
 */
import { settle } from "./rows.js";

/**
 * Lanes of a country. `nodes` by id with `column`, `ports`; `edges` inside it.
 *
 * Each lane: `{to, ports, edges, forward, back, y: Map(column → y), gap: Map(column → index)}`. Ports of a
 * tool are reordered so that those of one lane are neighbours.
 */
export function makeLanes(nodes, edges) {
  const byPort = new Map();
  for (const edge of edges) {
    const key = `${edge.to}\n${edge.port}`;
    if (!byPort.has(key)) byPort.set(key, []);
    byPort.get(key).push(edge);
  }
  const lanes = new Map();
  for (const each of [...byPort.values()]) {
    const { to, port } = each[0];
    const key = `${to}\n${[...new Set(each.map((edge) => edge.from))].sort().join("\n")}`;
    if (!lanes.has(key)) lanes.set(key, { to, ports: [], edges: [], slots: new Map() });
    const lane = lanes.get(key);
    lane.ports.push(port);
    lane.edges.push(...each);
  }
  const out = [...lanes.values()];
  for (const lane of out) {
    const column = nodes.get(lane.to).column;
    lane.column = column;
    // Producers in other lands reach the lane's entry by routes of their own.
    const from = [...new Set(lane.edges.map((edge) => edge.from))].filter((id) => nodes.has(id)).map((id) => nodes.get(id));
    lane.forward = from.filter((node) => node.column < column);
    lane.back = from.filter((node) => node.column >= column);
  }
  return out;
}

/** Order a tool's ports by where their routes come from; person ports stay last. */
export function orderPorts(nodes, lanes) {
  for (const lane of lanes) {
    const from = lane.forward.length ? lane.forward : lane.back;
    lane.mean = from.length ? from.reduce((sum, node) => sum + node.y, 0) / from.length : 0;
  }
  for (const node of nodes.values()) {
    const mine = lanes.filter((lane) => lane.to === node.id).sort((a, b) => a.mean - b.mean || (a.ports[0] < b.ports[0] ? -1 : 1));
    const place = new Map();
    mine.forEach((lane, i) => lane.ports.forEach((port, j) => place.set(port, i * 100 + j)));
    node.ports.sort((a, b) => (place.get(a.name) ?? 1e6) - (place.get(b.name) ?? 1e6) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    node.ports.forEach((port, i) => (port.dy = (i - (node.ports.length - 1) / 2) * 18));
  }
}

/** Where a lane meets its tool: the mean of its ports' heights. */
export function laneTarget(nodes, lane) {
  const node = nodes.get(lane.to);
  const at = lane.ports.map((name) => node.y + node.ports.find((port) => port.name === name).dy);
  return at.reduce((sum, y) => sum + y, 0) / at.length;
}

/**
 * Give every lane a place in each column that it passes, and move tools apart where lanes need room.
 *
 * `apart` px between lanes; `share(lane)` names lanes that may lie on one line (folding), else null.
 */
export function passColumns(columns, nodes, lanes, { apart, margin = 11, gap = 10, share = () => null }) {
  choose(columns, nodes, lanes, share);
  for (let round = 0; round < 3; round += 1) {
    for (const column of columns) {
      const filled = linesIn(column.index, lanes, share);
      const need = (i) => {
        const lines = filled.get(i)?.length ?? 0;
        return lines ? lines * apart - apart + 2 * margin : gap;
      };
      for (const node of column.nodes) node.want = node.y;
      settle(column.nodes, need, false);
    }
    assign(columns, nodes, lanes, { apart, margin, share });
  }
}

/** The lanes of each gap of a column as lines: one a lane, or one for lanes that share. */
function linesIn(column, lanes, share) {
  const gaps = new Map();
  lanes.forEach((lane, number) => {
    const slot = lane.slots.get(column);
    if (!slot) return;
    if (!gaps.has(slot.gap)) gaps.set(slot.gap, new Map());
    const lines = gaps.get(slot.gap);
    const key = share(lane) ?? number;
    if (!lines.has(key)) lines.set(key, []);
    lines.get(key).push(lane);
  });
  return new Map([...gaps].map(([gap, lines]) => [gap, [...lines.values()]]));
}

function choose(columns, nodes, lanes, share) {
  const load = columns.map((column) => new Array(column.nodes.length + 1).fill(0));
  const order = [...lanes].sort((a, b) => a.column - b.column || laneTarget(nodes, a) - laneTarget(nodes, b) || (a.to < b.to ? -1 : 1));
  const kept = new Map();
  for (const lane of order) {
    lane.slots = new Map();
    const goal = laneTarget(nodes, lane);
    const key = share(lane);
    const pass = (c, ideal, below) => {
      const column = columns[c];
      const twin = key === null ? undefined : kept.get(`${key}\n${c}\n${lane.column}`);
      const gap = twin ?? nearestGap(column.nodes, ideal, load[c], below);
      if (twin === undefined) load[c][gap] += 1;
      if (key !== null) kept.set(`${key}\n${c}\n${lane.column}`, gap);
      lane.slots.set(c, { gap, y: ideal });
    };
    if (lane.forward.length) {
      const first = Math.min(...lane.forward.map((node) => node.column));
      const start = lane.forward.reduce((sum, node) => sum + node.y, 0) / lane.forward.length;
      for (let c = first + 1; c < lane.column; c += 1) {
        const t = (columns[c].x - columns[first].x) / (columns[lane.column].x - columns[first].x || 1);
        pass(c, start + (goal - start) * t, false);
      }
    }
    if (lane.back.length) {
      lane.backSlots = new Map();
      const last = Math.max(...lane.back.map((node) => node.column));
      const forward = lane.slots;
      lane.slots = lane.backSlots;
      const low = Math.max(goal, ...lane.back.map((node) => node.y)) + 20;
      for (let c = lane.column; c <= last; c += 1) pass(c, low, true);
      lane.slots = forward;
    }
  }
  // Back lanes take part as lanes of their own.
  for (const lane of order)
    if (lane.backSlots) {
      const back = new Set(lane.back.map((node) => node.id));
      const twin = { to: lane.to, ports: lane.ports, edges: lane.edges.filter((edge) => back.has(edge.from)), slots: lane.backSlots, column: lane.column, backOf: lane, mean: lane.mean };
      lane.backLane = twin;
      lanes.push(twin);
    }
}

function nearestGap(nodes, y, load, below) {
  let best = 0;
  let cost = Infinity;
  for (let i = 0; i <= nodes.length; i += 1) {
    const top = i === 0 ? -Infinity : nodes[i - 1].y + nodes[i - 1].down;
    const bottom = i === nodes.length ? Infinity : nodes[i].y - nodes[i].up;
    const off = y < top ? top - y : y > bottom ? y - bottom : 0;
    const each = off + load[i] * 3 + (below && bottom < y ? 30 : 0);
    if (each < cost) [best, cost] = [i, each];
  }
  return best;
}

function assign(columns, nodes, lanes, { apart, margin, share }) {
  for (const column of columns)
    for (const [i, lines] of linesIn(column.index, lanes, share)) {
      for (const line of lines) {
        line.goal = line.reduce((sum, lane) => sum + laneTarget(nodes, lane), 0) / line.length;
        line.ideal = line.reduce((sum, lane) => sum + lane.slots.get(column.index).y, 0) / line.length;
      }
      lines.sort((a, b) => a.goal - b.goal || a.ideal - b.ideal || (a[0].to < b[0].to ? -1 : a[0].to > b[0].to ? 1 : 0));
      const top = i === 0 ? -Infinity : column.nodes[i - 1].y + column.nodes[i - 1].down + margin;
      const bottom = i === column.nodes.length ? Infinity : column.nodes[i].y - column.nodes[i].up - margin;
      const tall = (lines.length - 1) * apart;
      const middle = lines.reduce((sum, line) => sum + line.ideal, 0) / lines.length;
      const first = Math.max(top, Math.min(middle - tall / 2, bottom - tall));
      lines.forEach((line, k) => line.forEach((lane) => (lane.slots.get(column.index).y = first + k * apart)));
    }
}
