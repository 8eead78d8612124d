/** Ranks: how many steps of the skeleton (each parameter's strongest producer) lie before a tool. */

const EQUAL = 0.02;
const DEEPEST = 6;

/**
 * Column of each tool. `ids` sorted; `edges` `{from, to, port, confidence}` among them.
 *
 * Returns `{rank, skeleton, joined}`: rank by id (tools without routes have none), the skeleton's
 * `[from, to]` pairs without cycles, and the set of ids that have a route.
 */
export function rankTools(ids, edges) {
  const degree = new Map(ids.map((id) => [id, 0]));
  const gains = new Map(ids.map((id) => [id, 0]));
  const joined = new Set();
  for (const edge of edges) {
    degree.set(edge.from, degree.get(edge.from) + 1);
    gains.set(edge.from, gains.get(edge.from) + 1);
    gains.set(edge.to, gains.get(edge.to) - 1);
    joined.add(edge.from).add(edge.to);
  }
  const slots = new Map();
  for (const edge of edges) {
    const key = `${edge.to}\n${edge.port}`;
    if (!slots.has(key)) slots.set(key, []);
    slots.get(key).push(edge);
  }
  const ranked = (few) => {
    const pairs = new Map();
    for (const slot of slots.values()) {
      slot.sort((a, b) => b.confidence - a.confidence || degree.get(b.from) - degree.get(a.from) || (a.from < b.from ? -1 : 1));
      const kept = few ? slot.slice(0, 1) : slot.filter((edge) => edge.confidence >= slot[0].confidence - EQUAL);
      for (const edge of kept) {
        const key = `${edge.from}\n${edge.to}`;
        pairs.set(key, { from: edge.from, to: edge.to, confidence: Math.max(edge.confidence, pairs.get(key)?.confidence ?? 0) });
      }
    }
    const skeleton = acyclic(ids, [...pairs.values()], gains);
    return { skeleton, rank: longestPaths(ids.filter((id) => joined.has(id)), skeleton) };
  };
  const full = ranked(false);
  // Equals all count, until they would stretch the land into a thread.
  const { skeleton, rank } = Math.max(0, ...full.rank.values()) <= DEEPEST ? full : ranked(true);
  return { rank, skeleton, joined };
}

function acyclic(ids, pairs, gains) {
  const order = [...pairs].sort(
    (a, b) =>
      b.confidence - a.confidence ||
      gains.get(b.from) - gains.get(b.to) - (gains.get(a.from) - gains.get(a.to)) ||
      (a.from < b.from ? -1 : a.from > b.from ? 1 : a.to < b.to ? -1 : 1),
  );
  const next = new Map(ids.map((id) => [id, []]));
  const reaches = (from, goal) => {
    const seen = new Set([from]);
    const stack = [from];
    while (stack.length) {
      const at = stack.pop();
      if (at === goal) return true;
      for (const to of next.get(at)) if (!seen.has(to)) (seen.add(to), stack.push(to));
    }
    return false;
  };
  const kept = [];
  for (const pair of order) {
    if (reaches(pair.to, pair.from)) continue;
    next.get(pair.from).push(pair.to);
    kept.push([pair.from, pair.to]);
  }
  return kept;
}

function longestPaths(ids, skeleton) {
  const into = new Map(ids.map((id) => [id, []]));
  const out = new Map(ids.map((id) => [id, []]));
  for (const [from, to] of skeleton) {
    into.get(to).push(from);
    out.get(from).push(to);
  }
  const rank = new Map();
  const waiting = new Map(ids.map((id) => [id, into.get(id).length]));
  const ready = ids.filter((id) => waiting.get(id) === 0);
  const order = [];
  for (let i = 0; i < ready.length; i += 1) {
    const id = ready[i];
    order.push(id);
    rank.set(id, Math.max(0, ...into.get(id).map((from) => rank.get(from) + 1)));
    for (const to of out.get(id)) {
      waiting.set(to, waiting.get(to) - 1);
      if (waiting.get(to) === 0) ready.push(to);
    }
  }
  // A tool that needs nobody stands just before its first consumer, so that its routes are short.
  for (const id of order.reverse())
    if (into.get(id).length === 0 && out.get(id).length > 0)
      rank.set(id, Math.max(0, Math.min(...out.get(id).map((to) => rank.get(to))) - 1));
  return rank;
}
