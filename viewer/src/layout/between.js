/** Routes between the lands of a country plate: ways over land and sea that keep off every name. */
import { boxOf, union } from "./boxes.js";
import { bSpline, Curve } from "./curve.js";
import { CELL, Ground } from "./router.js";
import { MARK } from "./routes.js";

const CROSS_MOST = 60;
const CROSS_CROWDED = 24;

/** Routes between lands, one way a producer and an entry, the strongest first. */
export function routeBetween(lands) {
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
