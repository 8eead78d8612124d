/**
 * Graphs for the viewer's benchmarks and pictures, made from recorded catalogs by a plain name rule.
 *
 * Not the product's inference: it only has to give graphs of the right size and shape without Python.
 * `node benchmarks/viewer_graphs.mjs OUT_DIR` writes demo, 20 servers, 370, 3700 and 7000 tools.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const CATALOGS = new URL("../../shared/catalogs/", import.meta.url).pathname;
const REFERENCE = new URL("../../shared/reference/replies.json", import.meta.url).pathname;
const GIVES = /^(list|get|search|find|query|fetch|create|read|lookup|insert|add)$/;
const singular = (word) => word.replace(/ies$/, "y").replace(/(s|x|ch|sh)es$/, "$1").replace(/([^s])s$/, "$1");
const words = (name) => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().split(/[^a-z0-9]+/).filter(Boolean).map(singular);
const CONFIDENCE = { high: 0.9, medium: 0.7, low: 0.5 };

function loadTools() {
  const tools = [];
  for (const file of readdirSync(CATALOGS).filter((name) => name.endsWith(".json")).sort()) {
    const { server, tools: list } = JSON.parse(readFileSync(join(CATALOGS, file), "utf8"));
    for (const tool of list) {
      const schema = tool.inputSchema ?? {};
      const required = Array.isArray(schema.required) ? schema.required : [];
      tools.push({ server, tool: tool.name, id: `${server}::${tool.name}`, title: tool.title ?? "", description: tool.description ?? "", annotations: tool.annotations ?? {}, status: "ok", schema, required: [...new Set(required.filter((name) => typeof name === "string"))] });
    }
  }
  return tools;
}

function inferEdges(tools) {
  const byNoun = new Map();
  for (const tool of tools) {
    const parts = words(tool.tool);
    if (!parts.some((word) => GIVES.test(word))) continue;
    for (const noun of parts.filter((word) => !GIVES.test(word))) {
      if (!byNoun.has(noun)) byNoun.set(noun, []);
      byNoun.get(noun).push(tool);
    }
  }
  const edges = [];
  for (const tool of tools)
    for (const name of tool.required) {
      const parts = words(name);
      const last = parts[parts.length - 1];
      const identifies = /^(id|key|number|name|slug|path|url|uuid)$/.test(last ?? "");
      const noun = identifies ? parts[parts.length - 2] ?? last : last;
      const found = (byNoun.get(noun) ?? [])
        .filter((each) => each !== tool && !each.required.includes(name))
        .map((each) => {
          const same = each.server === tool.server;
          const lists = /^(list|search|find|query)/.test(words(each.tool)[0] ?? "");
          return { each, same, confidence: Math.max(0.3, (same ? 0.72 : 0.42) + (lists ? 0.18 : 0) - 0.04 * each.required.length - 0.03 * (words(each.tool).length - 2)) };
        })
        .sort((a, b) => b.confidence - a.confidence || (a.each.id < b.each.id ? -1 : 1));
      const near = found.filter((each) => each.same).slice(0, 4);
      const far = identifies ? found.filter((each) => !each.same).slice(0, near.length ? 1 : 2) : [];
      for (const { each, same, confidence } of [...near, ...far])
        edges.push({ from: each.id, to: tool.id, consumes: name, path: null, required: true, type: same && identifies ? "direct" : "semantic", layer: same ? "name" : "local", provider: same ? "heuristic" : "local", confidence: Math.round(confidence * 100) / 100, hidden: false, reason: `It returns ${noun} values.`, produces: null, quote: null });
    }
  return edges;
}

function asGraph(tools, edges) {
  const filled = new Set(edges.map((edge) => `${edge.to}\n${edge.consumes}`));
  const nodes = tools.map(({ schema, required, ...tool }) => ({
    ...tool,
    required_params: required.map((name) => {
      const property = schema.properties?.[name] ?? {};
      return { name, type: typeof property.type === "string" ? property.type : "any", description: property.description ?? "", user_supplied: !filled.has(`${tool.id}\n${name}`) };
    }),
    slots: [],
  }));
  const names = [...new Set(tools.map((tool) => tool.server))].sort();
  const servers = names.map((name) => ({ name, title: name, version: "", transport: "file", protocol: "", tools: tools.filter((tool) => tool.server === name).length, status: "ok", reason: "" }));
  return { schema_version: 1, servers, nodes, edges, stats: {} };
}

function demo(tools) {
  const mine = tools.filter((tool) => tool.server === "fetch");
  const files = JSON.parse(readFileSync(new URL("../../shared/gold/mcp_demo/tools.json", import.meta.url)));
  for (const tool of files.filter((each) => each.server === "filesystem"))
    mine.push({ server: tool.server, tool: tool.name, id: `${tool.server}::${tool.name}`, title: tool.title ?? "", description: tool.description ?? "", annotations: tool.annotations ?? {}, status: "ok", schema: tool.inputSchema ?? {}, required: tool.inputSchema?.required ?? [] });
  const known = new Set(mine.map((tool) => tool.id));
  const replies = JSON.parse(readFileSync(REFERENCE, "utf8"));
  const edges = [];
  for (const [to, list] of Object.entries(replies))
    for (const { from, consumes, confidence, reason } of list)
      if (known.has(from) && known.has(to)) edges.push({ from, to, consumes, path: null, required: true, type: "semantic", layer: "model", provider: "reference", confidence: CONFIDENCE[confidence] ?? 0.5, hidden: false, reason: reason ?? "", produces: null, quote: null });
  const held = new Map(edges.map((edge) => [`${edge.from}${edge.to}${edge.consumes}`, edge]));
  return asGraph(mine, [...held.values()]);
}

function clone(graph, times) {
  const out = { ...graph, servers: [], nodes: [], edges: [] };
  for (let i = 0; i < times; i += 1) {
    const name = (server) => (i ? `${server}-${i + 1}` : server);
    const slug = (id) => name(id.split("::")[0]) + "::" + id.split("::").slice(1).join("::");
    out.servers.push(...graph.servers.map((server) => ({ ...server, name: name(server.name) })));
    out.nodes.push(...graph.nodes.map((node) => ({ ...node, id: slug(node.id), server: name(node.server) })));
    out.edges.push(...graph.edges.map((edge) => ({ ...edge, from: slug(edge.from), to: slug(edge.to) })));
  }
  return out;
}

const TWENTY = "airtable brave-search chroma elasticsearch fetch github git google-maps hubspot linear-tacticlaunch markitdown paper-search playwright postgres-ref slack-ref stripe trello wikipedia firecrawl desktop-commander".split(" ");

/** Every graph of the benchmarks by name. */
export function makeGraphs() {
  const tools = loadTools();
  const some = (names) => {
    const set = tools.filter((tool) => names.includes(tool.server));
    return asGraph(set, inferEdges(set));
  };
  const sizes = new Map();
  for (const tool of tools) sizes.set(tool.server, (sizes.get(tool.server) ?? 0) + 1);
  const small = [];
  let total = 0;
  // Every tenth part of the catalog: small and middling servers until 370 tools are reached.
  for (const [server, size] of [...sizes].sort((a, b) => (a[0] < b[0] ? -1 : 1))) if (size < 60 && total + size <= 370) (small.push(server), (total += size));
  const all = asGraph(tools, inferEdges(tools));
  return { demo: demo(tools), twenty: some(TWENTY), g370: some(small), g3700: all, g7000: clone(all, 2), github: some(["github"]), githubref: some(["github-ref"]) };
}

if (process.argv[1] && import.meta.url.endsWith(process.argv[1].split("/").pop())) {
  const out = process.argv[2] ?? "/tmp/viewer-graphs";
  mkdirSync(out, { recursive: true });
  for (const [name, graph] of Object.entries(makeGraphs())) {
    writeFileSync(join(out, `${name}.json`), JSON.stringify(graph));
    console.log(name, graph.servers.length, "servers", graph.nodes.length, "tools", graph.edges.length, "edges", graph.edges.filter((e) => e.from.split("::")[0] !== e.to.split("::")[0]).length, "cross");
  }
}
