/** The panel beside the map: the chosen tool, a server, or the index. */
import { confidence, count, oneLine, plural, sentences, visible } from "../data/text.js";
import { codeSample, lineSample, markSample } from "../drawing/sample.js";
import { fill, html } from "../drawing/svg.js";

const SAYS = { reads: "only reads", writes: "writes", destroys: "may destroy" };

/** What the page can do from the panel: `{choose(id), enter(server), copy(), table(), dagster(id)}`. */
export function showTool(panel, graph, tool, { hues, cell, shown, go, meta }) {
  const server = graph.serverByName.get(tool.server);
  const into = graph.into.get(tool.id).filter(shown);
  const out = graph.out.get(tool.id).filter(shown);
  const context = { graph, hues, go };
  fill(panel,
    html("div", { class: "panel-top" }, codeSample(server, hues.get(server.name).hue), html("button", { type: "button", class: "plain server", onclick: () => go.enter(server.name) }, server.label), cell ? html("span", { class: "cell", title: "Its place on the map" }, cell.replace(/^(\D)/, "$1\u2009")) : ""),
    html("h2", { class: "tool-title" }, oneLine(tool.name, 500)),
    html("p", { class: "hints" }, ...hints(tool)),
    tabs(panel, into.length, out.length),
    warning(tool),
    tool.warning ? "" : description(tool),
    parameters(tool, into, context),
    consumers(out, context),
    leftToPerson(graph, tool, into),
    chain(graph, tool, context),
    legendList(),
    html("p", { class: "links" }, dagsterLink(meta, tool), link("Copy link", go.copy), link("Show as table", go.table)),
  );
}

/** On a phone the panel is a sheet with tabs; the style sheet shows them there only. */
function tabs(panel, producers, consumers) {
  const names = [["producers", `Producers ${producers}`], ["consumers", `Consumers ${consumers}`], ["text", "Text"], ["legend", "Legend"]];
  panel.classList.add("tabbed");
  const pick = (key) => {
    panel.dataset.tab = key;
    for (const button of row.children) {
      button.setAttribute("aria-selected", String(button.dataset.tab === key));
      button.tabIndex = button.dataset.tab === key ? 0 : -1;
    }
  };
  const row = html("div", { class: "tabs", role: "tablist", "aria-label": "About this tool" }, ...names.map(([key, words]) => html("button", { type: "button", role: "tab", "data-tab": key, onclick: () => pick(key) }, words)));
  row.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = row.children[([...row.children].indexOf(document.activeElement) + step + 4) % 4];
    pick(next.dataset.tab);
    next.focus();
  });
  pick(panel.dataset.tab ?? "producers");
  return row;
}

/** The legend as a list, for the phone's map has no room for it. */
function legendList() {
  const rows = [[lineSample("direct"), "direct: the schemas match"], [lineSample("semantic"), "semantic: the meanings match"], [lineSample("manual"), "manual: a person drew it"], [markSample("reads"), "only reads"], [markSample("writes"), "writes"], [markSample("destroys"), "may destroy"]];
  return html("ul", { class: "rows legendlist" }, ...rows.map(([sign, words]) => html("li", {}, sign, ` ${words}`)));
}

const link = (words, act) => html("button", { type: "button", class: "link", onclick: act }, words);

function hints(tool) {
  const list = [html("span", {}, markSample(tool.mark), SAYS[tool.mark] + (tool.told === "name" ? ", by its name" : ""))];
  const { annotations } = tool;
  if (annotations.idempotentHint === true) list.push(html("span", {}, "safe to repeat"));
  if (annotations.openWorldHint === false) list.push(html("span", {}, "stays inside the server"));
  if (annotations.openWorldHint === true) list.push(html("span", {}, "reaches outside"));
  if (tool.status !== "ok") list.push(html("span", { class: "warn" }, tool.status));
  return list;
}

function warning(tool) {
  if (!tool.warning) return "";
  const { text, removed } = visible(tool.description);
  const raw = html("pre", { class: "raw", hidden: true }, escapeInvisible(tool.description.slice(0, 20000)));
  return html("div", { class: "warning" }, html("strong", {}, tool.warning), html("p", {}, oneLine(text, 600) + (removed ? ` [${plural(removed, "invisible character")} removed]` : "")),
    html("em", {}, "Shown as plain text, never obeyed."),
    html("button", { type: "button", class: "link", onclick: () => (raw.hidden = !raw.hidden) }, "Show raw text"), raw);
}

const escapeInvisible = (text) => Array.from(text, (letter) => (visible(letter).removed || letter === "\ufffd" ? `\\u{${letter.codePointAt(0).toString(16)}}` : letter)).join("");

function description(tool) {
  const said = sentences(tool.description);
  if (!said.length) return html("p", { class: "prose quiet" }, "The server gives no description.");
  const first = said.slice(0, 3).map((each) => (each.length > 420 ? oneLine(each, 420) : each));
  const shortened = said.slice(0, 3).some((each) => each.length > 420);
  const rest = said.length - first.length;
  const paragraph = html("p", { class: "prose" }, first.join(" "));
  if (rest > 0 || shortened) {
    const more = html("button", { type: "button", class: "link", onclick: () => fill(paragraph, visible(tool.description).text) }, rest > 0 ? `More (${plural(rest, "sentence")})` : "More");
    more.addEventListener("click", () => paragraph.classList.add("whole"));
    paragraph.append(" ", more);
  }
  return paragraph;
}

function section(title, note, ...content) {
  const kind = { Parameters: "producers", Consumers: "consumers" }[title] ?? "other";
  return html("section", { class: `part ${kind}` }, html("h3", {}, title, html("span", {}, note)), ...content);
}

function parameters(tool, into, context) {
  const list = [...tool.params.values()];
  const required = list.filter((param) => param.required).length;
  const all = required === list.length ? (list.length === 1 ? "required" : list.length === 2 ? "both required" : "all required") : `${count(required)} required`;
  if (!list.length) return section("Parameters", "none");
  return section("Parameters", `${count(list.length)}, ${all}`, ...list.map((param) => parameter(param, into.filter((edge) => edge.param === param.name), context)));
}

function parameter(param, edges, context) {
  const kind = [param.type, param.required ? "required" : "optional"].filter(Boolean).join(", ");
  const side = edges.length ? html("span", {}, plural(edges.length, "producer")) : html("span", { class: "person" }, "a person supplies this");
  return html("div", { class: "param-block" },
    html("div", { class: "param-head", title: oneLine(param.description, 300) }, html("span", { class: `param-name${edges.length ? " filled" : ""}` }, oneLine(param.name, 80)), html("span", { class: "kind" }, kind), side),
    edges.length ? html("ul", { class: "edges" }, ...edges.map((edge) => producer(edge, context))) : "");
}

function producer(edge, { graph, hues, go }) {
  const tool = graph.toolById.get(edge.from);
  const server = graph.serverByName.get(tool.server);
  const evidence = [edge.path ? `fills ${oneLine(edge.path, 60)}` : "", edge.produces ? `from its ${edge.produces}` : "", `found by ${edge.layer}${edge.provider && edge.provider !== "heuristic" && edge.provider !== edge.layer ? ` (${edge.provider})` : ""}`].filter(Boolean).join(", ");
  return html("li", {}, lineSample(edge.type, "in"),
    html("div", { class: "edge" },
      html("div", { class: "edge-head" }, html("button", { type: "button", class: "plain name", onclick: () => go.choose(tool.id) }, tool.label), edge.cross ? codeSample(server, hues.get(server.name).hue) : "", html("span", { class: "figure" }, `${confidence(edge.confidence)} ${edge.type}`)),
      edge.reason ? html("p", { class: "reason" }, edge.reason.length > 300 ? oneLine(edge.reason, 300) : edge.reason) : "",
      edge.quote ? html("blockquote", {}, `“${oneLine(edge.quote, 300)}”`) : "",
      html("p", { class: "evidence" }, evidence)));
}

const SHORT = 60;

function consumers(out, { graph, hues, go }) {
  if (!out.length) return section("Consumers", "none found");
  const servers = new Set(out.map((edge) => graph.toolById.get(edge.to).server)).size;
  const row = (edge) => {
    const tool = graph.toolById.get(edge.to);
    return html("li", { class: "consumer" }, codeSample(graph.serverByName.get(tool.server), hues.get(tool.server).hue),
      html("button", { type: "button", class: "plain", onclick: () => go.choose(tool.id) }, tool.label), html("span", { class: "fills" }, oneLine(edge.param, 40)), html("span", { class: "figure" }, confidence(edge.confidence)));
  };
  const list = html("ul", { class: "rows" }, ...out.slice(0, SHORT).map(row));
  const more = out.length > SHORT ? html("button", { type: "button", class: "link", onclick: (event) => (fill(list, ...out.map(row)), event.target.remove()) }, `Show all ${count(out.length)}`) : "";
  return section("Consumers", `${plural(new Set(out.map((edge) => edge.to)).size, "tool")} on ${plural(servers, "server")}`, list, more);
}

function leftToPerson(graph, tool, into) {
  const filled = new Set(into.map((edge) => edge.param));
  const required = [...tool.params.values()].filter((param) => param.required);
  const left = required.filter((param) => !filled.has(param.name));
  if (!required.length) return "";
  return section("Left to a person", `${count(left.length)} of ${count(required.length)} here`, left.length ? html("ul", { class: "left" }, ...left.map((param) => html("li", {}, `${oneLine(param.name, 60)}: a person supplies this`))) : "");
}

function chain(graph, tool, { go }) {
  const raw = graph.chains[tool.id];
  const steps = Array.isArray(raw) ? raw : Array.isArray(raw?.steps) ? raw.steps : [];
  const known = steps.map((step) => (typeof step === "string" ? step : step?.tool ?? step?.id)).filter((id) => graph.toolById.has(id));
  if (!known.length) return "";
  const weakest = Number(raw?.weakest);
  const words = known.flatMap((id, i) => [i ? ", then " : "", html("button", { type: "button", class: "plain", onclick: () => go.choose(id) }, graph.toolById.get(id).label)]);
  return section("Chain", `${plural(known.length, "call")}${Number.isFinite(weakest) ? `, weakest link ${confidence(weakest)}` : ""}`, html("p", { class: "chain" }, ...words));
}

/** A link to the tool's partition in Dagster, where the graph's meta names an http(s) address. */
function dagsterLink(meta, tool) {
  // Dagster writes what a reader could not tell apart in another way; such tools get no link.
  if (!meta.dagster || visible(tool.id).removed || tool.id.includes("...")) return "";
  const url = new URL("assets/semantic_edges", meta.dagster);
  url.searchParams.set("view", "partitions");
  url.searchParams.set("partition", tool.id);
  return html("a", { class: "link", href: url.href, target: "_blank", rel: "noreferrer noopener" }, "Open in Dagster");
}
