/** The index: servers of the world, or the tools of a plate, with the cells they lie in. */
import { count, plural } from "../data/text.js";
import { codeSample, markSample } from "../drawing/sample.js";
import { fill as put, html } from "../drawing/svg.js";

function fill(panel, ...children) {
  panel.classList.remove("tabbed");
  put(panel, ...children);
}

/** Index of servers. `cellOf(name)` gives the cell on the world's plate. */
export function showServers(panel, graph, { hues, cellOf, go, shown }) {
  const counts = new Map(graph.servers.map((server) => [server.name, [0, 0]]));
  for (const edge of graph.edges) {
    if (!edge.cross || !shown(edge)) continue;
    counts.get(graph.toolById.get(edge.from).server)[0] += 1;
    counts.get(graph.toolById.get(edge.to).server)[1] += 1;
  }
  const rows = graph.servers.map((server) =>
    html("tr", {}, html("td", {}, codeSample(server, hues.get(server.name).hue)),
      html("th", { scope: "row" }, html("button", { type: "button", class: "plain", onclick: () => go.enter(server.name) }, server.label), server.status !== "ok" ? html("span", { class: "warn" }, ` ${server.status}`) : ""),
      html("td", {}, count(server.tools.length)), html("td", {}, counts.get(server.name).map(count).join(", ")), html("td", { class: "cell" }, cellOf(server.name))));
  fill(panel,
    html("div", { class: "panel-top" }, html("h2", { class: "index-title" }, "Index of servers"), html("span", { class: "cell" }, "A to F, 1 to 6")),
    html("table", { class: "index" }, html("thead", {}, html("tr", {}, html("td", {}), html("th", { scope: "col" }, "server"), html("th", { scope: "col" }, "tools"), html("th", { scope: "col" }, "out, in"), html("td", {}))), html("tbody", {}, ...rows)),
    html("p", { class: "prose small" }, "Counts are routes from and to other servers. Arrow keys move between territories; Enter goes in."),
    leftOut(graph));
}

/** What the graph holds and the page shows nowhere: edges too weak to show, rows that could not be read. */
function leftOut(graph) {
  const parts = [graph.hidden ? `${plural(graph.hidden, "edge")} too weak to show` : "", graph.problems ? `${plural(graph.problems, "row")} that could not be read` : ""].filter(Boolean);
  return parts.length ? html("p", { class: "prose small" }, `Left out: ${parts.join(", ")}.`) : "";
}

/** Index of a plate's tools. */
export function showTools(panel, graph, server, tools, { hues, cellOf, go, shown }) {
  const rows = tools.map((tool) =>
    html("tr", {}, html("td", {}, markSample(tool.mark)), html("th", { scope: "row" }, html("button", { type: "button", class: "plain", onclick: () => go.choose(tool.id) }, tool.label)),
      html("td", {}, count(graph.into.get(tool.id).filter(shown).length)), html("td", {}, count(graph.out.get(tool.id).filter(shown).length)), html("td", { class: "cell" }, cellOf(tool.id))));
  const trouble = server && server.status !== "ok" ? html("p", { class: "prose warn" }, `${server.status}: ${server.reason || "no reason given"}`) : "";
  fill(panel,
    html("div", { class: "panel-top" }, server ? codeSample(server, hues.get(server.name).hue) : "", html("h2", { class: "index-title" }, server ? server.label : "Index of tools"), html("span", { class: "cell" }, plural(tools.length, "tool"))),
    trouble,
    html("table", { class: "index" }, html("thead", {}, html("tr", {}, html("td", {}), html("th", { scope: "col" }, "tool"), html("th", { scope: "col" }, "in"), html("th", { scope: "col" }, "out"), html("td", {}))), html("tbody", {}, ...rows)),
    html("p", { class: "prose small" }, "Arrow keys move between tools; o and i follow a route out or in; Enter looks closer; Esc steps back."),
    leftOut(graph));
}
