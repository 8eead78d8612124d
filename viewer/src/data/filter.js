/** Filters: which edges are shown, and which tools lie within some steps of the chosen one. */

/** A predicate over edges for a state of the page. */
export function edgeFilter(graph, state) {
  const servers = new Set(state.servers);
  const types = new Set(state.types);
  const layers = new Set(state.layers);
  return (edge) =>
    (types.size === 0 || types.has(edge.type)) &&
    (layers.size === 0 || layers.has(edge.layer)) &&
    edge.confidence >= state.least - 1e-9 &&
    (!state.cross || edge.cross) &&
    (!state.required || edge.required) &&
    (servers.size === 0 || servers.has(graph.toolById.get(edge.from).server) || servers.has(graph.toolById.get(edge.to).server));
}

/** Whether any filter is set. */
export const filtered = (state) => state.servers.length + state.types.length + state.layers.length > 0 || state.least > 0 || state.cross || state.required || state.depth > 0;

/** Ids within `depth` steps of `tool` along shown edges, either way; null where nothing is to be dimmed. */
export function within(graph, tool, depth, shown) {
  if (!tool || !depth) return null;
  const near = new Set([tool]);
  let rim = [tool];
  for (let step = 0; step < depth; step += 1) {
    const next = [];
    for (const id of rim)
      for (const edge of [...graph.into.get(id), ...graph.out.get(id)]) {
        const other = edge.from === id ? edge.to : edge.from;
        if (shown(edge) && !near.has(other)) (near.add(other), next.push(other));
      }
    rim = next;
  }
  return near;
}
