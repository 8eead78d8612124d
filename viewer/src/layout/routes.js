/**
 * Routes as drawn pieces: each piece carries the edges that run over it, and no piece is drawn twice.
 *
 * A curve starts only past, and ends before, every name whose row it crosses.
 */
import { Curve } from "./curve.js";
import { laneTarget } from "./lanes.js";

export const MARK = 4.6;
const FORK = 18;
const CLEAR = 4;

/** The x where lanes meet a tool, left of its parameters' names; a fork begins 18 further out. */
export function stubs(node) {
  const widest = Math.max(0, ...node.ports.map((port) => port.width));
  return { single: node.x - widest - 16, fork: node.x - widest - 16 - FORK };
}

/**
 * Pieces of all lanes. Returns `{pieces, entries}`: pieces `{curve, edges, port?}`, entries by lane for
 * routes that come from other lands: `{x, y, piece}`. With `folding` lanes on one line start and end together
 * in every column, so that their pieces are the same piece.
 */
export function drawRoutes(columns, nodes, lanes, folding = false) {
  const own = lanes.filter((lane) => !lane.backOf);
  const right = (c, a, b) => edgeOf(columns[c], Math.min(a, b) - CLEAR, Math.max(a, b) + CLEAR, 1);
  const left = (c, a, b) => edgeOf(columns[c], Math.min(a, b) - CLEAR, Math.max(a, b) + CLEAR, -1);
  const leave = new Map();
  const need = (node, x, edges) => {
    const held = leave.get(node.id) ?? { x: node.x + MARK + 14, edges: new Set() };
    held.x = Math.max(held.x, x);
    for (const edge of edges) held.edges.add(edge);
    leave.set(node.id, held);
  };
  const from = (lane, node) => lane.edges.filter((edge) => edge.from === node.id);
  // First every producer's common start, so that its trunk is one piece.
  for (const lane of own) {
    lane.goal = laneTarget(nodes, lane);
    const heightAt = (c) => (c === lane.column ? lane.goal : lane.slots.get(c).y);
    for (const node of lane.forward) need(node, right(node.column, node.y, heightAt(node.column + 1)), from(lane, node));
    for (const node of lane.back) need(node, right(node.column, node.y, lane.backLane.slots.get(node.column).y), from(lane, node));
  }
  const pieces = [];
  for (const [id, { x, edges }] of leave) {
    const node = nodes.get(id);
    pieces.push({ curve: new Curve(node.x + MARK, node.y).line(x, node.y), edges: [...edges], trunk: id });
  }
  const entries = [];
  own.forEach((lane, number) => {
    const node = nodes.get(lane.to);
    const stub = stubs(node);
    const meet = lane.ports.length > 1 ? stub.fork : stub.single;
    let join = meet;
    const forward = plan(lane, node, { left, right, leave, from, columns, folding });
    if (forward.length) join = Math.min(join, ...forward.filter((step) => step.last).map((step) => step.x1));
    const turn = lane.back.length ? left(lane.column, lane.goal, lane.backLane.slots.get(lane.column).y) : join;
    join = Math.min(join, turn);
    for (const step of forward) {
      const x1 = step.last ? join : step.x1;
      if (folding && step.x0 > step.from) {
        pieces.push({ curve: new Curve(step.from, step.y0).line(step.x0, step.y0), edges: step.edges });
        pieces.push({ curve: new Curve(step.x0, step.y0).swing(x1, step.y1), edges: step.edges });
      } else pieces.push({ curve: new Curve(step.from, step.y0).line(step.x0, step.y0).swing(x1, step.y1), edges: step.edges });
    }
    if (lane.back.length) pieces.push(...loops(lane, join, columns, { right, leave, from }, number));
    const trunk = new Curve(join, lane.goal).line(meet, lane.goal);
    const entry = { lane, x: join, y: lane.goal, pieces: [] };
    if (lane.ports.length === 1) {
      trunk.line(node.x - MARK - 6.5, lane.goal);
      entry.pieces.push({ curve: trunk, edges: [...lane.edges], port: lane.ports[0], to: node.id, tip: [node.x - MARK, lane.goal] });
    } else {
      if (trunk.segments.length) entry.pieces.push({ curve: trunk, edges: [...lane.edges] });
      for (const name of lane.ports) {
        const y = node.y + node.ports.find((port) => port.name === name).dy;
        const fork = new Curve(meet, lane.goal).swing(meet + FORK, y).line(node.x - MARK - 6.5, y);
        entry.pieces.push({ curve: fork, edges: lane.edges.filter((edge) => edge.port === name), port: name, to: node.id, tip: [node.x - MARK, y] });
      }
    }
    pieces.push(...entry.pieces);
    entries.push(entry);
  });
  return { pieces, entries };
}

/** The outermost edge of the names in a column whose rows [a, b] crosses. */
function edgeOf(column, a, b, side) {
  let x = column.x + side * (MARK + 10);
  for (const node of column.nodes) {
    if (node.y - node.up > b || node.y + node.down < a) continue;
    x = side > 0 ? Math.max(x, node.x + node.right) : Math.min(x, node.x - node.left);
  }
  return x;
}

/** A forward lane as steps from column to column. */
function plan(lane, node, { left, right, leave, from, columns, folding }) {
  if (!lane.forward.length) return [];
  const steps = [];
  const first = Math.min(...lane.forward.map((each) => each.column));
  let arrive = null;
  for (let c = first; c < lane.column; c += 1) {
    const last = c + 1 === lane.column;
    const y1 = last ? lane.goal : lane.slots.get(c + 1).y;
    const here = lane.forward.filter((each) => each.column === c);
    const passing = lane.slots.get(c);
    const heights = here.map((each) => each.y);
    if (passing) heights.push(passing.y);
    const x1 = folding && !last ? columns[c + 1].left : Math.min(...heights.map((y) => left(c + 1, y, y1)));
    for (const each of here) {
      const x0 = leave.get(each.id).x;
      steps.push({ from: x0, x0, y0: each.y, x1, y1, last, edges: from(lane, each) });
    }
    if (passing) {
      const edges = lane.forward.filter((each) => each.column < c).flatMap((each) => from(lane, each));
      steps.push({ from: arrive, x0: folding ? columns[c].right : Math.max(arrive, right(c, passing.y, y1)), y0: passing.y, x1, y1, last, edges });
    }
    arrive = x1;
  }
  return steps;
}

/** Back routes: out to the right, round, to the left through the gaps, round and in again. */
function loops(lane, join, columns, { right, leave, from }, number) {
  const pieces = [];
  const slots = lane.backLane.slots;
  const last = Math.max(...lane.back.map((each) => each.column));
  const bulge = 16 + (number % 5) * 5;
  let arrive = null;
  let edges = [];
  for (let c = last; c >= lane.column; c -= 1) {
    const y = slots.get(c).y;
    const here = lane.back.filter((each) => each.column === c);
    let x = columns[c].right;
    if (arrive === null) x = Math.max(...here.map((each) => leave.get(each.id).x));
    else {
      const enter = Math.max(right(c, arrive.y, y), ...here.map((each) => leave.get(each.id).x));
      pieces.push({ curve: new Curve(arrive.x, arrive.y).swing(enter, y), edges: [...edges] });
      x = enter;
    }
    for (const each of here) {
      const start = leave.get(each.id).x;
      const far = Math.max(start, x) + bulge * 1.33;
      pieces.push({ curve: new Curve(start, each.y).cubic(far, each.y, far, y, x, y), edges: from(lane, each) });
      edges = edges.concat(from(lane, each));
    }
    const out = c === lane.column ? join : columns[c].left;
    const straight = new Curve(x, y).line(out, y);
    if (c === lane.column) straight.cubic(out - bulge * 1.33, y, out - bulge * 1.33, lane.goal, out, lane.goal);
    pieces.push({ curve: straight, edges: [...edges], back: true });
    arrive = { x: out, y };
  }
  return pieces;
}
