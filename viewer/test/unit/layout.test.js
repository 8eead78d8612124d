import { describe, expect, it } from "vitest";
import { readGraph } from "../../src/data/graph.js";
import { plateInput } from "../../src/data/plates.js";
import { coast, transform } from "../../src/layout/coast.js";
import { area } from "../../src/layout/contour.js";
import { nameLines } from "../../src/layout/measure.js";
import { layoutPlate } from "../../src/layout/plate.js";
import { rankTools } from "../../src/layout/ranks.js";
import { spread } from "../../src/layout/rows.js";
import { edge, garden, graphOf, tool } from "../fixtures/graphs.js";

describe("ranks and rows", () => {
  it("puts a consumer after its producers and breaks circles", () => {
    const edges = [["a", "b", 0.9], ["b", "c", 0.9], ["c", "a", 0.3]].map(([from, to, confidence]) => ({ from, to, port: "p", confidence }));
    const { rank } = rankTools(["a", "b", "c", "d"], edges);
    expect([rank.get("a"), rank.get("b"), rank.get("c"), rank.get("d")]).toEqual([0, 1, 2, undefined]);
  });

  it("keeps gaps and moves as little as it can", () => {
    expect(spread([0, 0, 100], [0, 10, 10])).toEqual([-5, 5, 100]);
    expect(spread([50, 0], [0, 20])).toEqual([15, 35]);
  });

  it("breaks long names at an underscore", () => {
    expect(nameLines("list_directory_with_sizes")).toEqual(["list_directory_", "with_sizes"]);
    expect(nameLines("short")).toEqual(["short"]);
    expect(nameLines("x".repeat(500)).every((line) => line.length <= 26)).toBe(true);
  });
});

describe("the coast", () => {
  it("measures exact distances", () => {
    const squares = new Float64Array(49).fill(Infinity);
    squares[24] = 0;
    transform(squares, 7, 7);
    expect(squares[0]).toBe(18);
    expect(squares[27]).toBe(9);
  });

  it("holds every name, and fills the strait between near ones", () => {
    const land = coast([{ x0: 0, y0: 0, x1: 100, y1: 20 }, { x0: 0, y0: 110, x1: 100, y1: 130 }], 7);
    expect(land.coast).toHaveLength(1);
    expect(land.box.x0).toBeLessThan(0);
    expect(land.box.x1).toBeGreaterThan(100);
    expect(area(land.coast[0])).toBeGreaterThan(150 * 130);
    expect(coast([{ x0: 0, y0: 0, x1: 100, y1: 20 }, { x0: 0, y0: 400, x1: 100, y1: 420 }], 7).coast).toHaveLength(2);
  });

  it("is the same for the same seed, another for another", () => {
    const box = [{ x0: 0, y0: 0, x1: 100, y1: 20 }];
    expect(coast(box, 1)).toEqual(coast(box, 1));
    expect(coast(box, 1).coast).not.toEqual(coast(box, 2).coast);
  });
});

describe("a country plate", () => {
  const graph = readGraph(garden());
  const plate = layoutPlate(plateInput(graph, "garden"));

  it("is the same map for the same graph in any order", () => {
    const raw = garden();
    raw.nodes.reverse();
    raw.edges.reverse();
    expect(layoutPlate(plateInput(readGraph(raw), "garden"))).toEqual(plate);
  });

  it("draws every visible edge and ends it at its parameter", () => {
    const drawn = new Set(plate.pieces.flatMap((piece) => piece.edges));
    expect([...drawn].sort((a, b) => a - b)).toEqual(graph.edges.map((each) => each.number));
    for (const each of graph.edges) expect(plate.pieces.some((piece) => piece.to === each.to && piece.port === each.param && piece.edges.includes(each.number))).toBe(true);
  });

  it("merges only routes into the same parameters of the same tool", () => {
    for (const piece of plate.pieces) {
      const edges = piece.edges.map((number) => graph.edges[number]);
      const oneConsumer = new Set(edges.map((each) => each.to)).size === 1;
      const oneProducer = new Set(edges.map((each) => each.from)).size === 1;
      expect(oneConsumer || oneProducer).toBe(true);
    }
  });

  it("leads no route over a name", () => {
    const crossed = [];
    for (const node of plate.nodes) {
      const tall = Math.max(0, node.ports.length - 1) * 9 + 4.6;
      const lines = node.lines.length * 14.5;
      const box = node.above
        ? { x0: node.x - node.nameWidth / 2, x1: node.x + node.nameWidth / 2, y0: node.y - tall - 3 - lines, y1: node.y - tall - 6 }
        : { x0: node.x + 10, x1: node.x + 12 + node.nameWidth, y0: node.y - lines / 2 + 2, y1: node.y + lines / 2 - 2 };
      for (const { points } of plate.pieces)
        for (let i = 0; i + 3 < points.length; i += 2)
          for (let t = 0; t <= 1; t += 0.2) {
            const x = points[i] + (points[i + 2] - points[i]) * t;
            const y = points[i + 1] + (points[i + 3] - points[i + 1]) * t;
            if (x > box.x0 && x < box.x1 && y > box.y0 && y < box.y1) crossed.push(`${node.id} at ${Math.round(x)}, ${Math.round(y)}`);
          }
    }
    expect(crossed).toEqual([]);
  });

  it("lets no tool stand in another's place", () => {
    const box = (node) => [node.x - node.left, node.x + node.right, node.y - node.up, node.y + node.down];
    plate.nodes.forEach((a, i) => plate.nodes.slice(i + 1).forEach((b) => {
      const [ax0, ax1, ay0, ay1] = box(a);
      const [bx0, bx1, by0, by1] = box(b);
      expect(ax0 < bx1 && ax1 > bx0 && ay0 < by1 && ay1 > by0).toBe(false);
    }));
  });
});

describe("a crowded country", () => {
  // Five listers feed two kinds of consumers in two ranks, with a circle among the listers.
  const listers = Array.from({ length: 5 }, (_, i) => tool("big", `list_${i}`, i ? ["x"] : []));
  const some = Array.from({ length: 24 }, (_, i) => tool("big", `use_${i}`, ["x", "y"]));
  const last = Array.from({ length: 12 }, (_, i) => tool("big", `end_${i}`, ["z", "x"]));
  const edges = [];
  for (const [i, a] of listers.entries()) {
    for (const [k, b] of some.entries()) if (k % 2 || i < 3) edges.push(edge(a.id, b.id, "x"));
    for (const b of listers) if (b !== a && b !== listers[0]) edges.push(edge(a.id, b.id, "x", { confidence: 0.5 }));
    for (const b of last) edges.push(edge(a.id, b.id, "x", { confidence: 0.6 }));
  }
  for (const b of last) for (const a of some.slice(0, 4)) edges.push(edge(a.id, b.id, "z"));
  const graph = readGraph(graphOf([...listers, ...some, ...last], edges));
  const plate = layoutPlate(plateInput(graph, "big"));
  const exists = new Set(graph.edges.map((each) => `${each.from} ${each.to} ${each.param}`));

  it("draws or counts every route", () => {
    const drawn = new Set(plate.pieces.flatMap((piece) => piece.edges));
    expect(drawn.size + plate.undrawn.length).toBe(graph.edges.length);
    expect(plate.undrawn).toHaveLength(0);
  });

  it("folds lanes, and lets no line imply a route that is absent", () => {
    expect(plate.pieces.some((piece) => piece.folded && new Set(piece.edges.map((number) => graph.edges[number].to)).size > 3)).toBe(true);
    const implied = [];
    for (const piece of plate.pieces) {
      const mine = piece.edges.map((number) => graph.edges[number]);
      for (const from of new Set(mine.map((each) => each.from)))
        for (const { to, param } of mine) if (!exists.has(`${from} ${to} ${param}`) && from !== to) implied.push(`${from} ${to} ${param}`);
    }
    expect(implied).toEqual([]);
  });
});
