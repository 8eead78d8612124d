/** Finding tools by name, parameter and word; without a hit, the nearest names. */
import { byText } from "./graph.js";
import { oneLine } from "./text.js";

const words = (text) => text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** What is searched of each tool, made once. */
export function makeIndex(graph) {
  return graph.tools.map((tool) => ({
    tool,
    name: oneLine(tool.name, 600).toLowerCase(),
    words: words(oneLine(tool.name, 600)),
    server: oneLine(tool.server, 200).toLowerCase(),
    params: [...tool.params.keys()].map((name) => name.toLowerCase()),
    text: `${tool.title} ${tool.description}`.slice(0, 4000).toLowerCase(),
  }));
}

/**
 * The best `limit` finds for `query`: `{tool, why}`, why being "" or the parameter or text that matched.
 *
 * All words of the query must occur. Names before servers, parameters and descriptions.
 */
export function find(index, query, limit = 12) {
  const asked = oneLine(query, 200).toLowerCase();
  const parts = words(asked);
  if (!parts.length) return [];
  const joined = parts.join("_");
  const found = [];
  for (const entry of index) {
    let score = 0;
    let why = "";
    const squeezed = entry.words.join("_");
    if (entry.name === asked || squeezed === joined) score = 100;
    else if (squeezed.startsWith(joined)) score = 80;
    else if (parts.every((part) => entry.words.some((word) => word.startsWith(part)))) score = 60;
    else if (squeezed.includes(joined) || entry.name.includes(asked)) score = 50;
    else if (parts.every((part) => squeezed.includes(part) || entry.server.includes(part))) score = 42;
    else {
      const param = entry.params.find((name) => name === asked || words(name).join("_") === joined) ?? entry.params.find((name) => parts.every((part) => name.includes(part)));
      if (param !== undefined) [score, why] = [param === asked ? 36 : 30, `parameter ${oneLine(param, 40)}`];
      else if (parts.every((part) => entry.text.includes(part) || squeezed.includes(part) || entry.server.includes(part))) [score, why] = [15, "in its description"];
    }
    if (score) found.push({ tool: entry.tool, why, score: score - entry.words.length * 0.2 });
  }
  return found.sort((a, b) => b.score - a.score || byText(a.tool.id, b.tool.id)).slice(0, limit);
}

/** The names nearest to a query that found nothing, by pairs of letters. */
export function nearest(index, query, limit = 2) {
  const pairs = (text) => {
    const set = new Map();
    const padded = ` ${text} `;
    for (let i = 0; i + 1 < padded.length; i += 1) set.set(padded.slice(i, i + 2), (set.get(padded.slice(i, i + 2)) ?? 0) + 1);
    return set;
  };
  const wanted = pairs(words(oneLine(query, 80)).join(" "));
  const size = (set) => [...set.values()].reduce((sum, each) => sum + each, 0);
  return index
    .map((entry) => {
      const have = pairs(entry.words.join(" ").slice(0, 120));
      let shared = 0;
      for (const [pair, times] of wanted) shared += Math.min(times, have.get(pair) ?? 0);
      return { tool: entry.tool, score: (2 * shared) / (size(wanted) + size(have)) };
    })
    .filter((each) => each.score > 0.2)
    .sort((a, b) => b.score - a.score || byText(a.tool.id, b.tool.id))
    .slice(0, limit)
    .map(({ tool }) => tool);
}
