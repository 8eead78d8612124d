/** Which tools stand on which plate: what the layout is asked for. */
import { byText, hash } from "./graph.js";
import { oneLine } from "./text.js";

const ONE_PLATE = 40;
const NEAR_LANDS = 6;
const NEAR_TOOLS = 5;
const CROWDED = 45;

/** Whether the whole graph fits one country plate. */
export const single = (graph) => graph.tools.length <= ONE_PLATE;

/** A country plate's key: one for all of a small graph, else the server's name. */
export const plateKey = (graph, server) => (single(graph) ? "*" : server);

const toolInput = (tool) => ({ id: tool.id, label: tool.label, mark: tool.mark, warned: !!tool.warning, ports: tool.ports });

/** Parameters left to a person are not drawn on a crowded plate; how many that are. */
export function personPortsLeft(graph, server) {
  const home = graph.serverByName.get(server);
  if (single(graph) || home.tools.length <= CROWDED) return 0;
  return home.tools.reduce((sum, tool) => sum + tool.ports.filter((port) => port.person).length, 0);
}

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
    if (!i && !whole && each.tools.length > CROWDED) for (const tool of each.tools) tool.ports = tool.ports.filter((port) => ported.has(`${tool.id}\n${port.name}`));
  });
  return { lands, edges: edges.map((edge) => ({ number: edge.number, from: edge.from, to: edge.to, port: edge.param, type: edge.type, confidence: edge.confidence })) };
}

/** The layout's input for one tool's place, with the edges that the filters show. */
export function placeInput(graph, tool, shown, size) {
  const side = (edges, end) => {
    const byTool = new Map();
    for (const edge of edges) {
      if (!shown(edge)) continue;
      if (!byTool.has(edge[end])) byTool.set(edge[end], []);
      byTool.get(edge[end]).push({ number: edge.number, param: edge.param, label: oneLine(edge.param, 18), type: edge.type, confidence: edge.confidence, reason: oneLine(edge.reason, 34) });
    }
    return [...byTool.entries()].map(([id, list]) => {
      const other = graph.toolById.get(id);
      const server = graph.serverByName.get(other.server);
      return { id, label: other.label, server: server.name, title: server.label, seed: hash(server.name), mark: other.mark, edges: list };
    });
  };
  const server = graph.serverByName.get(tool.server);
  const filled = new Set(graph.into.get(tool.id).filter(shown).map((edge) => edge.param));
  const params = [...tool.params.values()].map((param) => ({ name: param.name, label: oneLine(param.name, 22), kind: [oneLine(param.type, 18), param.required ? "required" : "optional"].filter(Boolean).join(", "), filled: filled.has(param.name), required: param.required }));
  params.sort((a, b) => Number(b.filled) - Number(a.filled) || Number(b.required) - Number(a.required));
  return { tool: { id: tool.id, server: server.name, title: server.label, seed: hash(server.name) }, params, producers: side(graph.into.get(tool.id), "from"), consumers: side(graph.out.get(tool.id), "to"), ...size };
}
