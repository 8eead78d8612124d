/** The same data as a table: one row a shown route, or a parameter that a person supplies. */
import { confidence, count, oneLine, plural } from "../data/text.js";
import { fill, html } from "../drawing/svg.js";

const PAGE = 500;

export function showTable(section, graph, { shown, tools, title, go, close }) {
  const here = new Set(tools.map((tool) => tool.id));
  const rows = [];
  for (const tool of tools) {
    for (const edge of graph.into.get(tool.id)) if (shown(edge)) rows.push({ from: edge.from, to: edge.to, edge });
    for (const port of tool.ports) if (port.person) rows.push({ from: null, to: tool.id, port });
    for (const edge of graph.out.get(tool.id)) if (shown(edge) && !here.has(edge.to)) rows.push({ from: edge.from, to: edge.to, edge });
  }
  const name = (id) => html("button", { type: "button", class: "plain", onclick: () => go.choose(id) }, `${graph.serverByName.get(graph.toolById.get(id).server).label} ${graph.toolById.get(id).label}`);
  const line = ({ from, to, edge, port }) =>
    html("tr", {}, html("td", {}, from ? name(from) : html("span", { class: "warn" }, "a person")), html("th", { scope: "row" }, name(to)), html("td", {}, html("i", {}, oneLine(edge ? edge.param : port.name, 60))),
      html("td", {}, edge ? edge.type : ""), html("td", {}, edge ? confidence(edge.confidence) : ""), html("td", {}, edge ? oneLine(edge.reason, 160) : "nothing found that returns it"));
  const body = html("tbody", {}, ...rows.slice(0, PAGE).map(line));
  const more = rows.length > PAGE ? html("button", { type: "button", class: "link", onclick: (event) => (body.append(...rows.slice(PAGE).map(line)), event.target.remove()) }, `Show all ${count(rows.length)} rows`) : "";
  fill(section,
    html("div", { class: "bar" }, html("h2", { id: "table-title" }, title), html("button", { type: "button", class: "link", onclick: close }, "Close the table")),
    html("table", { "aria-labelledby": "table-title" }, html("caption", { class: "live" }, plural(rows.length, "row")),
      html("thead", {}, html("tr", {}, ...["Producer", "Consumer", "Parameter", "Type", "Confidence", "Reason"].map((each) => html("th", { scope: "col" }, each)))), body), more);
}
