import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readGraph } from "../../src/data/graph.js";
import { views } from "../../src/interaction/views.js";
import { createStore } from "../../src/state/store.js";
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

describe("the store", () => {
  const page = () => {
    const calls = [];
    const location = { hash: "" };
    const note = (way) => (_, __, url) => (calls.push([way, url]), (location.hash = url));
    return { calls, location, history: { pushState: note("push"), replaceState: note("replace") } };
  };

  it("makes a step for Back where asked, and none where nothing changed", () => {
    const { calls, ...browser } = page();
    const store = createStore(DEFAULTS, browser);
    const heard = [];
    store.listen((state) => heard.push(state.tool));
    store.set({ tool: "a::b" }, { push: true });
    store.set({ tool: "a::b" }, { push: true });
    store.set({ depth: 2 });
    expect(calls).toEqual([["push", "#tool=a%3A%3Ab"], ["replace", "#tool=a%3A%3Ab&depth=2"]]);
    expect(heard).toEqual(["a::b", "a::b", "a::b"]);
  });

  it("writes a filter that is taken back out of the URL", () => {
    const { calls, ...browser } = page();
    const store = createStore(DEFAULTS, browser);
    store.set({ cross: true });
    store.set({ cross: false });
    expect(calls.at(-1)).toEqual(["replace", "#"]);
  });
});

describe("keeping the view in the URL", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("waits until the map rests, and forgets the old plate's view on the way to another", () => {
    const kept = [];
    const app = { map: { width: 100, height: 50, view: { k: 2, x: 10, y: 5 } }, store: { set: (patch) => kept.push(patch.view) }, updating: false };
    views.keepView.call(app);
    views.keepView.call(app);
    vi.runAllTimers();
    expect(kept).toEqual([{ k: 2, cx: 20, cy: 10 }]);
    app.updating = true;
    views.keepView.call(app);
    vi.runAllTimers();
    expect(kept).toHaveLength(1);
  });
});
