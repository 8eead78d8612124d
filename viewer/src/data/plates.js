/** Which tools stand on which plate: what the layout is asked for. */
import { byText, hash } from "./graph.js";

const ONE_PLATE = 40;
const NEAR_LANDS = 6;
const NEAR_TOOLS = 5;

/** Whether the whole graph fits one country plate. */
export const single = (graph) => graph.tools.length <= ONE_PLATE;

/** A country plate's key: one for all of a small graph, else the server's name. */
export const plateKey = (graph, server) => (single(graph) ? "*" : server);

const toolInput = (tool) => ({ id: tool.id, label: tool.label, mark: tool.mark, ports: tool.ports });

/** The layout's input for a server's plate: its land in full, the lands it trades with in part. */
export function plateInput(graph, server) {
  if (single(graph)) {
    const servers = graph.servers.filter((each) => each.tools.length).sort((a, b) => b.tools.length - a.tools.length || byText(a.name, b.name));
    return input(graph, servers.map((each) => land(each, each.tools)));
  }
  const home = graph.serverByName.get(server);
  const trade = new Map();
  for (const tool of home.tools)
    for (const edge of [...graph.into.get(tool.id), ...graph.out.get(tool.id)]) {
      if (!edge.cross) continue;
      const other = edge.from === tool.id ? edge.to : edge.from;
      const name = graph.toolById.get(other).server;
      if (!trade.has(name)) trade.set(name, { weight: 0, tools: new Map() });
      const held = trade.get(name);
      held.weight += edge.confidence;
      held.tools.set(other, (held.tools.get(other) ?? 0) + edge.confidence);
    }
  const near = [...trade.entries()].sort((a, b) => b[1].weight - a[1].weight || byText(a[0], b[0])).slice(0, NEAR_LANDS);
  const lands = near.map(([name, { tools }]) => {
    const best = [...tools.entries()].sort((a, b) => b[1] - a[1] || byText(a[0], b[0])).slice(0, NEAR_TOOLS).map(([id]) => id).sort(byText);
    return land(graph.serverByName.get(name), best.map((id) => graph.toolById.get(id)));
  });
  return input(graph, [land(home, home.tools), ...lands]);
}

const land = (server, tools) => ({ server: server.name, seed: hash(server.name), title: server.label, tools: tools.map(toolInput) });

function input(graph, lands) {
  const here = new Set(lands.flatMap((each) => each.tools.map((tool) => tool.id)));
  const home = new Set(lands[0].tools.map((tool) => tool.id));
  const whole = single(graph);
  // A neighbour's own affairs are drawn on its own plate.
  const edges = graph.edges.filter((edge) => here.has(edge.from) && here.has(edge.to) && (whole || home.has(edge.from) || home.has(edge.to)));
  const ported = new Set(edges.map((edge) => `${edge.to}\n${edge.param}`));
  lands.forEach((each, i) => {
    each.home = i === 0;
    if (i && !whole) for (const tool of each.tools) tool.ports = tool.ports.filter((port) => ported.has(`${tool.id}\n${port.name}`));
    // A port fed only from lands that are not on this plate stays, without a route.
  });
  return { lands, edges: edges.map((edge) => ({ number: edge.number, from: edge.from, to: edge.to, port: edge.param, type: edge.type, confidence: edge.confidence })) };
}
