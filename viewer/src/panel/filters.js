/** The filters' form: servers, types, layers, confidence, cross-server, required, depth. */
import { confidence, plural } from "../data/text.js";
import { fill, html } from "../drawing/svg.js";
import { TYPES } from "../state/url.js";

export function showFilters(box, graph, state, { set, count }) {
  const toggle = (key, value) => (event) => set({ [key]: event.target.checked ? [...state()[key], value].sort() : state()[key].filter((each) => each !== value) });
  const check = (key, value, words) => html("label", {}, html("input", { type: "checkbox", checked: state()[key].includes(value), onchange: toggle(key, value) }), words);
  const flag = (key, words) => html("label", {}, html("input", { type: "checkbox", checked: state()[key], onchange: (event) => set({ [key]: event.target.checked }) }), words);
  const figure = html("output", {}, state().least ? confidence(state().least) : "any");
  const note = html("p", { class: "reason", role: "status" }, count());
  const range = html("input", { type: "range", min: 0, max: 1, step: 0.05, value: state().least, "aria-label": "Least confidence", oninput: (event) => {
    figure.textContent = Number(event.target.value) ? confidence(Number(event.target.value)) : "any";
    set({ least: Number(event.target.value) });
  } });
  const depth = [0, 1, 2, 3].map((value) => html("label", {}, html("input", { type: "radio", name: "depth", value, checked: state().depth === value, onchange: () => set({ depth: value }) }), value ? plural(value, "step") : "all"));
  fill(box,
    html("fieldset", { class: "two" }, html("legend", {}, "Found as"), ...TYPES.map((type) => check("types", type, type))),
    html("fieldset", { class: "two" }, html("legend", {}, "Layer"), ...graph.layers.map((layer) => check("layers", layer, layer))),
    html("fieldset", {}, html("legend", {}, "Least confidence"), html("label", {}, range, figure)),
    html("fieldset", { class: "two" }, html("legend", {}, "Only"), flag("cross", "between servers"), flag("required", "required")),
    html("fieldset", { class: "two" }, html("legend", {}, "From the chosen tool"), ...depth),
    html("fieldset", { class: "servers" }, html("legend", {}, "Servers"), ...graph.servers.map((server) => check("servers", server.name, server.label))),
    note,
    html("button", { type: "button", class: "link", onclick: () => (set({ servers: [], types: [], layers: [], least: 0, cross: false, required: false, depth: 0 }), showFilters(box, graph, state, { set, count })) }, "Clear all filters"),
  );
  return () => (note.textContent = count());
}
