/** What the world's layout is asked for: servers with their tools counted, routes between them bundled. */
import { byText, hash } from "./graph.js";

/** Bundles by "from\nto": `{from, to, edges, strength}`; routes between two servers, one way. */
export function bundlesOf(graph) {
  const bundles = new Map();
  for (const edge of graph.edges) {
    if (!edge.cross) continue;
    const from = graph.toolById.get(edge.from).server;
    const to = graph.toolById.get(edge.to).server;
    const key = `${from}\n${to}`;
    if (!bundles.has(key)) bundles.set(key, { from, to, edges: [], strength: 0 });
    const bundle = bundles.get(key);
    bundle.edges.push(edge);
    bundle.strength += edge.confidence;
  }
  return [...bundles.values()].sort((a, b) => byText(a.from, b.from) || byText(a.to, b.to));
}

/** The design's map inside its frame (px), and what stays open sea in it. */
export const WORLD = { width: 1022, height: 790 };
const KEEP = [
  { x0: 0, y0: 0, x1: 306, y1: 196 },
  { x0: 0, y0: 692, x1: 424, y1: 790 },
];

export function worldInput(graph, bundles) {
  return {
    servers: graph.servers.map((server) => ({ name: server.name, label: server.label, seed: hash(server.name), tools: server.tools.length })),
    bundles: bundles.map(({ from, to, edges, strength }) => ({ from, to, count: edges.length, strength: Math.round(strength * 100) / 100 })),
    ...WORLD,
    keep: KEEP,
  };
}
