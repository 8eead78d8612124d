/** The map's furniture: cartouche, legend, the remark that counts what is left out. Methods of the app. */
import { personPortsLeft, single } from "../data/plates.js";
import { count, oneLine, plural } from "../data/text.js";
import { cartouche, legend, remark, worldLegend } from "./cartouche.js";

export const SMALL = 620;

export const furniture = {
  /** Cartouche, legend and remark of a plate. */
  furnish(scene, level, server) {
    const { graph } = this;
    const edgesFrom = ["edges from", oneLine(this.meta.model || graph.providers.join(", ") || "nobody yet", 30)];
    const facts = this.meta.scanned ? [["scanned", this.meta.scanned]] : [];
    if (level === "place") {
      this.plateTitle = graph.toolById.get(this.state.tool).label;
      this.cartouche = this.legend = null;
      this.remark = remark(this.map.width, this.map.height, "start");
      this.remark.setAttribute("x", 232);
      this.map.svg.classList.toggle("small", this.map.width < SMALL);
      this.map.furniture.replaceChildren(...(this.map.width < SMALL ? [] : [this.remark]));
      return;
    }
    if (level === "world") {
      this.plateTitle = graph.servers.length === 1 ? graph.servers[0].label : `The world of ${count(graph.servers.length)} servers`;
      facts.push(["servers, tools", `${count(graph.servers.length)}, ${count(graph.tools.length)}`], ["routes between servers", "9,999 in 60 bundles"], edgesFrom, ["atlas", this.meta.version || ATLAS_VERSION]);
      this.routesAt = facts.length - 3;
      this.cartouche = cartouche({ kicker: "PLATE 1", title: this.plateTitle, sub: "Which tools must run before which", facts });
      this.legend = worldLegend(this.map.height);
      this.remark = remark(this.map.width, this.map.height, "start");
    } else {
      const whole = single(graph);
      const names = graph.servers.filter((each) => each.tools.length).sort((a, b) => b.tools.length - a.tools.length || (a.name < b.name ? -1 : 1)).map((each) => each.label);
      this.plateTitle = whole ? (names.length <= 3 ? names.join(" & ") : `${names.length} servers`) : graph.serverByName.get(server).label;
      facts.push(["servers, tools", `${count(scene.plate.lands.length)}, ${count(scene.plate.nodes.length)}`], ["routes drawn", ""], edgesFrom, ["atlas", this.meta.version || ATLAS_VERSION]);
      this.routesAt = facts.length - 3;
      this.cartouche = cartouche({ kicker: `PLATE ${whole ? 2 : graph.servers.findIndex((each) => each.name === server) + 2}`, title: this.plateTitle, sub: whole || scene.plate.lands.length === 1 ? `${plural(scene.plate.nodes.length, "tool")} and the routes between them` : `${plural(graph.serverByName.get(server).tools.length, "tool")}, with those it trades with`, facts });
      this.legend = legend(this.map.height);
      this.remark = remark(this.map.width, this.map.height);
    }
    // A small map has no room for furniture: the sheet holds it.
    const small = this.map.width < SMALL;
    this.map.svg.classList.toggle("small", small);
    this.map.furniture.replaceChildren(...(small ? [] : [this.cartouche, this.legend, this.remark]));
  },

  /** Say what this view leaves out. */
  setOmitted(omitted) {
    this.omitted = omitted;
    if (!this.remark || !this.scene || this.drawn === undefined) return;
    const { scene } = this;
    if (scene.kind === "place") {
      this.remark.textContent = scene.counts();
      this.countInPanel();
      return;
    }
    const value = this.cartouche.querySelectorAll(".value")[this.routesAt];
    const names = omitted ? ` ${plural(omitted, "name")} without room.` : "";
    if (scene.kind === "world") {
      this.remark.textContent = scene.counts() + names;
      value.textContent = scene.facts();
    } else {
      const total = scene.total ?? (scene.total = new Set([...scene.plate.pieces.flatMap((piece) => piece.edges), ...scene.plate.undrawn]).size);
      const left = personPortsLeft(this.graph, this.serverOf(this.state));
      const dimmed = scene.dimmed ? ` ${plural(scene.dimmed, "route")} dimmed.` : "";
      this.remark.textContent = `${plural(total - this.drawn, "route")} not drawn.${dimmed}${left ? ` ${plural(left, "parameter")} left to a person not marked.` : ""}${names}`;
      value.textContent = `${count(this.drawn)} of ${count(total)}`;
    }
    this.groundFurniture();
    this.countInPanel();
  },

  /** On a phone the count of what is left out stands in the sheet. */
  countInPanel() {
    if (this.counted) this.counted.textContent = this.remark?.textContent ?? "";
  },

  /** Give cartouche and legend a ground where land lies under them. */
  groundFurniture() {
    const { scene } = this;
    if (!this.cartouche || this.map.width < SMALL || scene.kind === "place") return;
    const { k, x, y } = this.map.view;
    const under = (box) => (scene.plate?.lands ?? scene.world.territories).some((land) => {
      const b = land.box;
      if (b.x0 * k + x > box.x1 || b.x1 * k + x < box.x0 || b.y0 * k + y > box.y1 || b.y1 * k + y < box.y0) return false;
      return !land.rings || land.rings.some((ring) => {
        for (let i = 0; i < ring.length; i += 2) {
          const sx = ring[i] * k + x;
          const sy = ring[i + 1] * k + y;
          if (sx > box.x0 && sx < box.x1 && sy > box.y0 && sy < box.y1) return true;
        }
        return insideRing(ring, ((box.x0 + box.x1) / 2 - x) / k, ((box.y0 + box.y1) / 2 - y) / k);
      });
    });
    for (const part of [this.cartouche, this.legend]) part.classList.toggle("over", under(part.box));
  },
};

function insideRing(ring, x, y) {
  let inside = false;
  for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2)
    if (ring[i + 1] > y !== ring[j + 1] > y && x < ((ring[j] - ring[i]) * (y - ring[i + 1])) / (ring[j + 1] - ring[i + 1]) + ring[i]) inside = !inside;
  return inside;
}
