/**
 * The graph as the page uses it: graph.json read tolerantly, indexed and sorted.
 *
 * A row that cannot be used is left out and counted in `problems`; it never breaks the page. Hidden
 * edges are counted in `hidden` and used nowhere, as in graph.json's own stats.
 */
import { oneLine, visible, warningOf } from "./text.js";

const TYPES = new Set(["direct", "semantic", "manual"]);
const READS = /^(get|list|search|find|read|fetch|query|describe|show|count|check|view|lookup|browse|export|download|resolve|retrieve|explain|analyze|is|has)$/;
const DESTROYS = /^(delete|remove|drop|destroy|purge|erase|truncate|kill|terminate|uninstall|wipe)$/;

/** Compare by code unit: the same order in every language. */
export const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** 32-bit FNV-1a of a text: the seed of coasts and hues. */
export function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}

/** What a tool's mark says: {mark: reads|writes|destroys, told: from its annotations or its name}. */
function markOf(tool, annotations) {
  if (annotations.readOnlyHint === true) return { mark: "reads", told: "annotations" };
  if (annotations.destructiveHint === true) return { mark: "destroys", told: "annotations" };
  if (annotations.readOnlyHint === false || annotations.destructiveHint === false) return { mark: "writes", told: "annotations" };
  const words = tool.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/);
  if (words.some((word) => DESTROYS.test(word))) return { mark: "destroys", told: "name" };
  return { mark: words.some((word) => READS.test(word)) ? "reads" : "writes", told: "name" };
}

/** Two letters or figures for each server, unique: initials first, then letters further on. */
export function serverCodes(names) {
  const codes = new Map();
  const taken = new Set();
  for (const name of names) {
    const words = name.toUpperCase().split(/[^A-Z0-9]+/).filter(Boolean);
    const letters = words.join("");
    const wanted = [];
    if (words.length > 1) wanted.push(words[0][0] + words[1][0]);
    for (let i = 1; i < letters.length; i += 1) wanted.push(letters[0] + letters[i]);
    const first = letters[0] ?? "X";
    for (const mark of "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") wanted.push(first + mark);
    for (let i = 0; i < 1296; i += 1) wanted.push(i.toString(36).toUpperCase().padStart(2, "0"));
    const code = wanted.find((each) => each.length === 2 && !taken.has(each)) ?? "··";
    taken.add(code);
    codes.set(name, code);
  }
  return codes;
}

const list = (value) => (Array.isArray(value) ? value : []);
const record = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value : {});

/**
 * Read graph.json (any value) into the page's graph.
 *
 * Returns `{servers, tools, edges, serverByName, toolById, into, out, hidden, problems, stats, chains}`:
 * `into` and `out` map a tool's id to its edges, strongest first.
 */
export function readGraph(raw) {
  const source = record(raw);
  let problems = 0;
  const servers = new Map();
  for (const row of list(source.servers)) {
    const name = record(row).name;
    if (typeof name !== "string" || !name || servers.has(name)) problems += 1;
    else servers.set(name, newServer(name, row));
  }
  const tools = new Map();
  for (const row of list(source.nodes)) {
    const { id, server, tool } = record(row);
    if (typeof id !== "string" || typeof server !== "string" || typeof tool !== "string" || !id || tools.has(id)) {
      problems += 1;
      continue;
    }
    if (!servers.has(server)) servers.set(server, newServer(server, {}));
    tools.set(id, newTool(row));
  }
  const edges = [];
  const seen = new Set();
  let hidden = 0;
  for (const row of list(source.edges)) {
    const edge = newEdge(record(row));
    const key = `${edge.from}\n${edge.to}\n${edge.param}\n${edge.path ?? ""}`;
    if (!tools.has(edge.from) || !tools.has(edge.to) || edge.from === edge.to || !edge.param || seen.has(key)) problems += 1;
    else if (edge.hidden) hidden += 1;
    else {
      seen.add(key);
      edges.push(edge);
    }
  }
  return index(servers, tools, edges, { hidden, problems, source });
}

function newServer(name, row) {
  const text = (value) => (typeof value === "string" ? visible(value).text : "");
  return {
    name,
    label: oneLine(name, 40),
    title: oneLine(row.title, 120),
    version: oneLine(row.version, 40),
    transport: oneLine(row.transport, 40),
    status: typeof row.status === "string" ? row.status : "ok",
    reason: text(row.reason).slice(0, 600),
    seen: oneLine(row.seen ?? row.scanned ?? "", 40),
    tools: [],
    code: "",
  };
}

function newTool(row) {
  const annotations = record(row.annotations);
  const { mark, told } = markOf(row.tool, annotations);
  const params = new Map();
  for (const each of list(row.required_params)) {
    const name = record(each).name;
    if (typeof name !== "string" || params.has(name)) continue;
    params.set(name, {
      name,
      type: oneLine(each.type, 60),
      description: visible(each.description).text,
      required: true,
      user: each.user_supplied === true,
    });
  }
  for (const slot of list(row.slots)) {
    const { param, path, required } = record(slot);
    if (typeof param !== "string" || path || params.has(param)) continue;
    params.set(param, { name: param, type: oneLine(slot.type ?? slot.kind, 60), description: "", required: required === true, user: slot.user_supplied === true });
  }
  return {
    id: row.id,
    server: row.server,
    name: row.tool,
    label: oneLine(row.tool, 64),
    title: oneLine(row.title, 200),
    description: typeof row.description === "string" ? row.description : "",
    warning: warningOf(row.description) || (visible(row.tool).removed ? "This name holds characters that cannot be seen." : ""),
    annotations,
    mark,
    told,
    status: typeof row.status === "string" ? row.status : "ok",
    params,
    ports: [],
  };
}

function newEdge(row) {
  const value = Number(row.confidence);
  return {
    from: row.from,
    to: row.to,
    param: typeof row.consumes === "string" ? row.consumes : "",
    path: typeof row.path === "string" && row.path ? row.path : null,
    required: row.required !== false,
    type: TYPES.has(row.type) ? row.type : "semantic",
    layer: oneLine(row.layer, 40) || "unknown",
    provider: oneLine(row.provider, 60),
    confidence: Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0.5,
    hidden: row.hidden === true,
    reason: visible(row.reason).text,
    produces: row.produces ? oneLine(row.produces, 120) : "",
    quote: row.quote ? visible(row.quote).text : "",
  };
}

/** Strongest first; equals by name, so that the order never depends on the file's. */
export function byStrength(a, b) {
  return b.confidence - a.confidence || byText(a.from, b.from) || byText(a.to, b.to) || byText(a.param, b.param) || byText(a.path ?? "", b.path ?? "");
}

function index(serverMap, toolMap, edges, { hidden, problems, source }) {
  const servers = [...serverMap.values()].sort((a, b) => byText(a.name, b.name));
  const tools = [...toolMap.values()].sort((a, b) => byText(a.id, b.id));
  const codes = serverCodes(servers.map((server) => server.name));
  for (const server of servers) server.code = codes.get(server.name);
  for (const tool of tools) serverMap.get(tool.server).tools.push(tool);
  edges.sort((a, b) => byText(a.from, b.from) || byText(a.to, b.to) || byText(a.param, b.param) || byText(a.path ?? "", b.path ?? ""));
  const into = new Map(tools.map((tool) => [tool.id, []]));
  const out = new Map(tools.map((tool) => [tool.id, []]));
  edges.forEach((edge, number) => {
    edge.number = number;
    edge.cross = toolMap.get(edge.from).server !== toolMap.get(edge.to).server;
    const params = toolMap.get(edge.to).params;
    if (!params.has(edge.param)) params.set(edge.param, { name: edge.param, type: "", description: "", required: edge.required, user: false });
    into.get(edge.to).push(edge);
    out.get(edge.from).push(edge);
  });
  for (const map of [into, out]) for (const each of map.values()) each.sort(byStrength);
  for (const tool of tools) tool.ports = portsOf(tool, into.get(tool.id));
  return {
    servers,
    tools,
    edges,
    serverByName: serverMap,
    toolById: toolMap,
    into,
    out,
    hidden,
    problems,
    chains: record(source.chains),
    providers: [...new Set(edges.map((edge) => edge.provider).filter(Boolean))].sort(byText),
    layers: [...new Set(edges.map((edge) => edge.layer))].sort(byText),
  };
}

/** A tool's ports: parameters that some route fills, and required ones a person must. */
function portsOf(tool, edges) {
  const filled = new Set(edges.map((edge) => edge.param));
  return [...tool.params.values()]
    .filter((param) => filled.has(param.name) || (param.required && param.user))
    .map((param) => ({ name: param.name, label: oneLine(param.name, 26), person: !filled.has(param.name) }));
}
