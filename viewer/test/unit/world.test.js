import { describe, expect, it } from "vitest";
import { readGraph } from "../../src/data/graph.js";
import { placeInput } from "../../src/data/plates.js";
import { bundlesOf, worldInput } from "../../src/data/world.js";
import { Boxes } from "../../src/layout/labels.js";
import { layoutPlace } from "../../src/layout/place.js";
import { Ground } from "../../src/layout/router.js";
import { layoutWorld } from "../../src/layout/world.js";
import { neighbour } from "../../src/interaction/keyboard.js";
import { ease } from "../../src/interaction/pan.js";
import { edge, garden, graphOf, tool } from "../fixtures/graphs.js";

/** Servers of many sizes, each trading with some others. */
function sea(servers) {
  const nodes = [];
  const edges = [];
  for (let s = 0; s < servers; s += 1) for (let t = 0; t <= (s * 5) % 23; t += 1) nodes.push(tool(`isle-${s}`, `tool_${t}`, ["x"]));
  const first = new Map(nodes.map((node) => [node.server, node.id]));
  for (let s = 1; s < servers; s += 1) if (s % 4) edges.push(edge(first.get(`isle-${s}`), first.get(`isle-${Math.floor(s / 2)}`), "x"));
  return graphOf(nodes, edges);
}

const world = (raw) => {
  const graph = readGraph(raw);
  return layoutWorld(worldInput(graph, bundlesOf(graph)));
};

describe("the world", () => {
  const raw = sea(24);
  const made = world(raw);

  it("is the same map for the same graph in any order", () => {
    expect(world({ ...raw, nodes: [...raw.nodes].reverse(), edges: [...raw.edges].reverse(), servers: [...raw.servers].reverse() })).toEqual(made);
  });

  it("has a territory for every server and a dot for every tool, on the map", () => {
    expect(made.territories).toHaveLength(24);
    expect(made.territories.reduce((sum, land) => sum + land.dots.length, 0)).toBe(raw.nodes.length);
    for (const { box } of made.territories) {
      expect(box.x0).toBeGreaterThan(made.box.x0 - 1);
      expect(box.x1).toBeLessThan(made.box.x1 + 1);
      expect(box.y0).toBeGreaterThan(made.box.y0 - 1);
      expect(box.y1).toBeLessThan(made.box.y1 + 1);
    }
  });

  it("keeps territories off each other and out of cartouche and legend", () => {
    const keep = worldInput(readGraph(raw), []).keep.map((box) => Object.fromEntries(Object.entries(box).map(([key, value]) => [key, value * made.scale])));
    const meets = (a, b) => a.x0 < b.x1 && a.x1 > b.x0 && a.y0 < b.y1 && a.y1 > b.y0;
    made.territories.forEach(({ box }, i) => {
      expect(made.territories.slice(i + 1).filter((other) => meets(box, other.box)).map((other) => other.name)).toEqual([]);
      expect(keep.some((kept) => meets(box, kept))).toBe(false);
    });
  });

  it("draws a bundle for each pair that trades, from coast to coast", () => {
    const pairs = bundlesOf(readGraph(raw));
    expect(made.routes.length + made.undrawn).toBe(pairs.length);
    expect(made.routes.length).toBeGreaterThan(pairs.length * 0.9);
    for (const route of made.routes) {
      const near = (name, [x, y]) => {
        const { box } = made.territories.find((land) => land.name === name);
        return x > box.x0 - 12 && x < box.x1 + 12 && y > box.y0 - 12 && y < box.y1 + 12;
      };
      expect(near(route.from, route.start)).toBe(true);
      expect(near(route.to, route.end)).toBe(true);
    }
  });

  it("places servers that trade with nobody, and a world of one", () => {
    expect(world(graphOf([tool("a", "x")], [])).territories).toHaveLength(1);
    expect(world(graphOf([tool("a", "x"), tool("b", "x"), tool("c", "x")], [])).territories).toHaveLength(3);
  });
});

describe("a place", () => {
  const graph = readGraph(garden());
  const place = layoutPlace(placeInput(graph, graph.toolById.get("garden::find_plant"), () => true, { width: 1022, height: 790 }));

  it("stands producers to the left, consumers to the right, the card between", () => {
    const left = place.tools.filter((each) => each.side === "left");
    const right = place.tools.filter((each) => each.side === "right");
    expect(left.map((each) => each.id).sort()).toEqual(["garden::list_beds", "garden::move_plant"]);
    expect(right).toHaveLength(4);
    expect(Math.max(...left.map((each) => each.x))).toBeLessThan(place.card.x);
    expect(Math.min(...right.map((each) => each.x))).toBeGreaterThan(place.card.x + place.card.width);
  });

  it("gives every parameter a port and leaves out nothing without counting it", () => {
    expect(place.card.rows.map((row) => [row.name, row.filled])).toEqual([["bed_id", true], ["word", false]]);
    expect(place.shown.length + place.missing).toBe(6);
  });

  it("counts what a crowded place has no room for", () => {
    const nodes = [tool("a", "hub", ["x"]), ...Array.from({ length: 60 }, (_, i) => tool(`s${i % 7}`, `c${i}`, ["y"]))];
    const crowd = readGraph(graphOf(nodes, nodes.slice(1).map((node) => edge("a::hub", node.id, "y"))));
    const full = layoutPlace(placeInput(crowd, crowd.toolById.get("a::hub"), () => true, { width: 1022, height: 790 }));
    expect(full.shown.length).toBeGreaterThan(5);
    expect(full.shown.length + full.missing).toBe(60);
    expect(full.tools.every((each) => each.y > 60 && each.y < 780)).toBe(true);
  });
});

describe("ways and names", () => {
  it("goes round what is dear", () => {
    const ground = new Ground({ x0: 0, y0: 0, x1: 200, y1: 200 });
    ground.paint({ x0: 90, y0: 0, x1: 110, y1: 150 }, 30);
    const cells = ground.way([20, 20], [180, 20], (k) => ground.cost[k]);
    expect(cells.every((k) => ground.cost[k] < 30)).toBe(true);
    expect(Math.max(...cells.map((k) => ground.middle(k)[1]))).toBeGreaterThan(150);
  });

  it("knows which names lie over each other", () => {
    const boxes = new Boxes();
    boxes.add({ x0: 0, y0: 0, x1: 300, y1: 20 });
    expect(boxes.hits({ x0: 290, y0: 10, x1: 400, y1: 30 })).toBe(true);
    expect(boxes.hits({ x0: 301, y0: 10, x1: 400, y1: 30 })).toBe(false);
  });

  it("steps to the neighbour in a direction, to nobody where there is none", () => {
    const items = [{ x: 0, y: 0 }, { x: 100, y: 10 }, { x: 60, y: 200 }];
    expect(neighbour(items, items[0], 1, 0)).toBe(items[1]);
    expect(neighbour(items, items[0], 0, 1)).toBe(items[2]);
    expect(neighbour(items, items[0], -1, 0)).toBe(null);
  });

  it("eases from standing to standing", () => {
    expect(ease(0)).toBeCloseTo(0, 3);
    expect(ease(1)).toBeCloseTo(1, 3);
    expect(ease(0.3)).toBeGreaterThan(0.6);
  });
});
