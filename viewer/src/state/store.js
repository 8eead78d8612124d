/** The one state of the page: what is set is told to listeners and written into the URL. */
import { readState, writeState } from "./url.js";

export function createStore(initial, { location = window.location, history = window.history } = {}) {
  let state = initial;
  const listeners = new Set();
  const tell = (before) => {
    for (const each of listeners) each(state, before);
  };
  return {
    get: () => state,
    listen: (each) => listeners.add(each),
    /** Change part of the state; `push` makes a step that Back undoes. */
    set(patch, { push = false, silent = false } = {}) {
      const before = state;
      state = { ...state, ...patch };
      const url = writeState(state) || "#";
      if (url !== (location.hash || "#")) history[push ? "pushState" : "replaceState"](null, "", url);
      if (!silent) tell(before);
    },
    /** Follow Back, Forward and an edited address. */
    follow(fit) {
      window.addEventListener("popstate", () => {
        const before = state;
        state = fit(readState(location.hash));
        tell(before);
      });
    },
  };
}
