/** Colours of servers: the hash's, or the next that no near territory has; after nine, hatched. */
import { byText, hash } from "./graph.js";

const HUES = 9;
const NEAR = 190;

/**
 * Server name → `{hue: 0–8, hatch: 0–5}`. `places` name → `{x, y}` of territories (world px); those nearer
 * than 190 differ. Hatch 0 is none.
 */
export function assignHues(graph, places = new Map()) {
  const out = new Map();
  const order = graph.servers.map((server) => server.name).sort(byText);
  for (const name of order) {
    const here = places.get(name);
    const taken = new Set();
    for (const [other, given] of out) {
      const there = places.get(other);
      if (!here || !there || Math.hypot(here.x - there.x, here.y - there.y) < NEAR) taken.add(given.hue + 9 * given.hatch);
    }
    let pick = hash(name) % HUES;
    let hatch = 0;
    for (let step = 0; step < HUES * 6; step += 1) {
      hatch = Math.floor(step / HUES);
      if (!taken.has(((pick + step) % HUES) + 9 * hatch)) {
        pick = (pick + step) % HUES;
        break;
      }
    }
    out.set(name, { hue: pick, hatch });
  }
  return out;
}
