/** The search box: a combobox over the index; Enter flies to the first or the chosen find. */
import { find, makeIndex, nearest } from "../data/find.js";
import { oneLine } from "../data/text.js";
import { codeSample } from "../drawing/sample.js";
import { fill, html } from "../drawing/svg.js";

export function makeFinder(graph, { hues, choose, cellOf, say }) {
  const input = document.getElementById("find");
  const box = document.getElementById("found");
  let index = null;
  let options = [];
  let at = -1;

  const close = () => {
    box.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = (next) => {
    at = next;
    options.forEach(({ row }, i) => row.setAttribute("aria-selected", String(i === at)));
    if (options[at]) {
      input.setAttribute("aria-activedescendant", options[at].row.id);
      options[at].row.scrollIntoView({ block: "nearest" });
    }
  };
  const take = (tool) => {
    close();
    input.value = "";
    choose(tool.id);
  };
  const option = (tool, why, i) => {
    const server = graph.serverByName.get(tool.server);
    const row = html("div", { class: "option", role: "option", id: `found-${i}`, "aria-selected": "false", onmousedown: (event) => (event.preventDefault(), take(tool)) },
      codeSample(server, hues().get(server.name).hue), html("b", {}, tool.label), html("span", { class: "cell serif" }, cellOf(tool.id)), why ? html("span", { class: "why" }, why) : "");
    return { row, tool };
  };
  const search = () => {
    const query = input.value.trim();
    if (!query) return close();
    index ??= makeIndex(graph);
    const found = find(index, query);
    let head = null;
    if (found.length) options = found.map(({ tool, why }, i) => option(tool, why, i));
    else {
      options = nearest(index, query).map((tool, i) => option(tool, "", i));
      head = html("div", { class: "none" }, `No tool, parameter or description has “${oneLine(query, 40)}”.`);
    }
    fill(box, head, ...options.map(({ row }) => row));
    box.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(found.length ? 0 : -1);
    say(found.length ? `${found.length} found, first ${found[0].tool.label}` : `Nothing found${options.length ? `; nearest ${options[0].tool.label}` : ""}`);
  };
  input.addEventListener("input", search);
  input.addEventListener("focus", () => input.value && search());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (box.hidden) search();
      if (options.length) mark((at + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length);
    } else if (event.key === "Enter") {
      if (box.hidden) search();
      if (options[at]) take(options[at].tool);
    } else if (event.key === "Escape") {
      if (box.hidden) return;
      close();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { open: () => (input.focus(), input.select()) };
}
