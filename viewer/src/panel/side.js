/** What stands beside the map: panel, table, menus, the print sheet. Methods of the app. */
import { single } from "../data/plates.js";
import { count, oneLine, plural } from "../data/text.js";
import { legend, remark, worldLegend } from "../drawing/cartouche.js";
import { printSheet } from "../drawing/print.js";
import { html } from "../drawing/svg.js";
import { showFilters } from "./filters.js";
import { showServers, showTools } from "./index.js";
import { showTool } from "./panel.js";
import { showTable } from "./table.js";
import { showExport } from "./takeaway.js";

const $ = (id) => document.getElementById(id);

export const side = {
  go() {
    return { choose: (id) => this.choose(id), enter: (name) => this.enter(name), copy: () => this.copyLink(), table: () => this.store.set({ table: true }, { push: true }) };
  },

  async copyLink() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.say("Link copied");
    } catch {
      this.say(`The link is in the address bar: ${location.href}`);
    }
  },

  cellOf(id) {
    const item = this.scene?.byId?.get(this.level === "world" && this.graph.toolById.has(id) ? this.graph.toolById.get(id).server : id);
    return item ? this.map.cell(item.node.x, item.node.y) : "";
  },

  showPanel() {
    const { state, graph, hues } = this;
    const shown = this.shown();
    const common = { hues, go: this.go(), shown, meta: this.meta, cellOf: (id) => this.cellOf(id) };
    if (state.tool) showTool($("panel"), graph, graph.toolById.get(state.tool), { ...common, cell: this.cellOf(state.tool) });
    else if (this.level === "world") showServers($("panel"), graph, common);
    else {
      const whole = single(graph);
      const server = graph.serverByName.get(this.serverOf(state));
      showTools($("panel"), graph, whole ? null : server, whole ? graph.tools : server.tools, common);
    }
    this.counted = html("p", { class: "counted" });
    $("panel").append(this.counted);
    this.countInPanel();
    $("panel").prepend(this.sheet.grip);
    $("panel").scrollTop = 0;
  },

  showTabular() {
    const { state, graph } = this;
    $("table").hidden = !state.table;
    $("table-button").setAttribute("aria-expanded", String(state.table));
    if (!state.table) return;
    const world = this.level === "world" || single(graph);
    const tools = state.tool ? [graph.toolById.get(state.tool)] : world ? graph.tools : graph.serverByName.get(this.serverOf(state)).tools;
    showTable($("table"), graph, { shown: this.shown(), tools, title: state.tool ? tools[0].label : this.plateTitle, go: { choose: (id) => (this.store.set({ table: false }), this.choose(id)) }, close: () => (this.store.set({ table: false }, { push: true }), $("table-button").focus()) });
  },

  bindHead() {
    $("levels").addEventListener("click", (event) => event.target.dataset.level && this.setLevel(event.target.dataset.level));
    $("table-button").addEventListener("click", () => this.store.set({ table: !this.state.table }, { push: true }));
    const open = (name, show) => {
      const box = $(name);
      const button = $(`${name}-button`);
      button.addEventListener("click", () => {
        box.hidden = !box.hidden;
        button.setAttribute("aria-expanded", String(!box.hidden));
        if (!box.hidden) (show(box), box.querySelector("input, button")?.focus());
      });
      box.addEventListener("keydown", (event) => {
        if (event.key !== "Escape") return;
        box.hidden = true;
        button.setAttribute("aria-expanded", "false");
        button.focus();
        event.stopPropagation();
      });
    };
    open("filters", (box) => (this.updateFilters = showFilters(box, this.graph, () => this.state, { set: (patch) => this.store.set(patch), count: () => this.remark?.textContent ?? "" })));
    open("export", (box) => showExport(box, this));
    document.addEventListener("pointerdown", ({ target }) => {
      for (const name of ["filters", "export"]) {
        if ($(name).hidden || target.closest(`#${name}, #${name}-button`)) continue;
        $(name).hidden = true;
        $(`${name}-button`).setAttribute("aria-expanded", "false");
      }
    });
    $("skip").addEventListener("click", (event) => (event.preventDefault(), $("panel").focus()));
  },

  /** The print sheet of this plate, laid into the page for printing only. */
  async printSheet() {
    const { graph, hues } = this;
    const world = this.level === "world";
    const server = this.serverOf(this.state);
    const shown = this.shown();
    const plate = world ? null : await this.plateOf(server);
    const whole = single(graph);
    const routes = world ? graph.edges.filter((edge) => edge.cross && shown(edge)).length : new Set(plate.pieces.flatMap((piece) => piece.edges)).size;
    const title = this.level === "place" ? (whole ? "All servers" : graph.serverByName.get(server).label) : this.plateTitle;
    const facts = [...(this.meta.scanned ? [["scanned", this.meta.scanned]] : []), ["edges from", oneLine(this.meta.model || graph.providers.join(", ") || "nobody yet", 40)], [world ? "routes between servers" : "routes drawn", count(routes)], ["atlas", this.meta.version || ATLAS_VERSION]];
    const furnish = (map, scene) => {
      const note = remark(map.width, map.height);
      note.textContent = world ? scene.counts() : `${plural(plate.undrawn.length, "route")} not drawn.`;
      return [world ? worldLegend(map.height) : legend(map.height), note];
    };
    document.body.classList.add("measuring");
    printSheet($("print"), { graph, hues, plate, world: world ? await this.survey() : null, bundles: this.bundles, title, sub: world ? `${plural(graph.tools.length, "tool")} on ${plural(graph.servers.length, "server")}` : `${plural(plate.nodes.length, "tool")} on ${plural(plate.lands.length, "server")}, and the routes between their parameters`, facts, furnish, shown });
    document.body.classList.remove("measuring");
    document.body.classList.add("printing");
  },
};
