/** Starts the page: finds the graph that the export carries, adopts the map's styles, makes the app. */
import mapStyles from "./drawing/map.css";
import { App } from "./app.js";

function findGraph() {
  const inside = document.getElementById("atlas-graph");
  if (inside) {
    try {
      return JSON.parse(inside.textContent);
    } catch {
      return null;
    }
  }
  return globalThis.MCP_ATLAS_GRAPH ?? null;
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(mapStyles);
document.adoptedStyleSheets = [sheet];
const raw = findGraph();
globalThis.MCP_ATLAS_APP = new App(raw, { ...(raw?.meta ?? {}), ...(globalThis.MCP_ATLAS_META ?? {}) });
