import { describe, expect, it } from "vitest";
import { readGraph } from "../../src/data/graph.js";
import { DEFAULTS, fitState, readState, writeState } from "../../src/state/url.js";
import { garden } from "../fixtures/graphs.js";

describe("the state in the URL", () => {
  it("says nothing for the state without anything said", () => {
    expect(writeState(DEFAULTS)).toBe("");
    expect(readState("")).toEqual(DEFAULTS);
  });

  it("comes back whole", () => {
    const state = { ...DEFAULTS, level: "country", server: "a&b", tool: "a&b::x=#y", servers: ["a&b", "ü"], types: ["direct", "manual"], layers: ["slug"], least: 0.35, cross: true, required: true, depth: 2, table: true, view: { k: 1.25, cx: -40, cy: 7 } };
    expect(readState(writeState(state))).toEqual(state);
  });

  it("ignores what it does not understand", () => {
    expect(readState("#level=moon&depth=99&least=-3&types=evil&view=1,2&other=x")).toEqual(DEFAULTS);
  });

  it("drops names that the graph does not have", () => {
    const graph = readGraph(garden());
    const state = fitState(readState("#level=place&tool=gone::tool&server=gone&servers=gone&servers=kitchen"), graph);
    expect(state).toMatchObject({ tool: "", server: "", servers: ["kitchen"], level: "country" });
  });
});
