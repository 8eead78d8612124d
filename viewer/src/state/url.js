/**
 * The state of a view as the part of the URL after "#", so that it can be sent, and opens from a file too.
 *
 * Everything at its default is left out; what is not understood is ignored.
 */
export const LEVELS = ["world", "country", "place"];
export const TYPES = ["direct", "semantic", "manual"];

/** The state without anything said. */
export const DEFAULTS = Object.freeze({
  level: "", server: "", tool: "", servers: [], types: [], layers: [], least: 0, cross: false, required: false, depth: 0, view: null, table: false,
});

const lists = { servers: "servers", types: "types", layers: "layers" };

/** State → "#level=country&tool=…"; "" for the state without anything said. */
export function writeState(state) {
  const query = new URLSearchParams();
  if (LEVELS.includes(state.level)) query.set("level", state.level);
  if (state.server) query.set("server", state.server);
  if (state.tool) query.set("tool", state.tool);
  for (const key of Object.keys(lists)) for (const value of [...state[key]].sort()) query.append(key, value);
  if (state.least > 0) query.set("least", String(Math.round(state.least * 100) / 100));
  if (state.cross) query.set("cross", "1");
  if (state.required) query.set("required", "1");
  if (state.depth > 0) query.set("depth", String(state.depth));
  if (state.table) query.set("table", "1");
  if (state.view) query.set("view", [state.view.k.toFixed(3), Math.round(state.view.cx), Math.round(state.view.cy)].join(","));
  const text = query.toString();
  return text ? `#${text}` : "";
}

/** "#…" → state; unknown levels, figures out of range and other people's keys give the default. */
export function readState(fragment) {
  const query = new URLSearchParams(String(fragment).replace(/^#/, ""));
  const level = query.get("level") ?? "";
  const figure = (key, low, high) => {
    const value = Number(query.get(key));
    return Number.isFinite(value) && value >= low && value <= high ? value : 0;
  };
  const at = (query.get("view") ?? "").split(",").map(Number);
  const view = at.length === 3 && at.every(Number.isFinite) && at[0] > 0.01 && at[0] < 50 ? { k: at[0], cx: at[1], cy: at[2] } : null;
  return {
    ...DEFAULTS,
    level: LEVELS.includes(level) ? level : "",
    server: query.get("server") ?? "",
    tool: query.get("tool") ?? "",
    servers: [...new Set(query.getAll("servers"))].sort(),
    types: [...new Set(query.getAll("types"))].filter((type) => TYPES.includes(type)).sort(),
    layers: [...new Set(query.getAll("layers"))].sort(),
    least: figure("least", 0, 1),
    cross: query.get("cross") === "1",
    required: query.get("required") === "1",
    depth: Math.round(figure("depth", 0, 3)),
    table: query.get("table") === "1",
    view,
  };
}

/** The state again with names that this graph does not have taken out. */
export function fitState(state, graph) {
  const tool = graph.toolById.has(state.tool) ? state.tool : "";
  const server = graph.serverByName.has(state.server) ? state.server : tool ? graph.toolById.get(tool).server : "";
  return { ...state, tool, server, servers: state.servers.filter((name) => graph.serverByName.has(name)), level: state.level === "place" && !tool ? "country" : state.level };
}
