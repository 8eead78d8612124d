/** The frame: border rules, letters and figures, and the grid that the index's cells refer to. */
import { svg } from "./svg.js";

export const BAND = 17;
export const LETTERS = "ABCDEF";

/** The cell ("C4") of a point, for a grid of six by six over `home` (plane); "" outside it. */
export function cellOf(home, x, y) {
  const i = Math.floor(((x - home.x0) / (home.x1 - home.x0)) * 6);
  const j = Math.floor(((y - home.y0) / (home.y1 - home.y0)) * 6);
  return i < 0 || j < 0 || i > 5 || j > 5 ? "" : `${LETTERS[i]}${j + 1}`;
}

/** The frame for a map of `width` × `height`; `update(view, home)` moves its grid with the plane. */
export function makeFrame(width, height) {
  const group = svg("g", { class: "frame", "aria-hidden": "true" });
  const lines = svg("g", { "aria-hidden": "true" });
  const inner = { x0: BAND, y0: BAND, x1: width - BAND, y1: height - BAND };
  const border = `M0 0H${width}V${height}H0ZM${BAND} ${BAND}V${height - BAND}H${width - BAND}V${BAND}Z`;
  const labels = svg("g");
  group.append(
    svg("path", { class: "paper", d: border, "fill-rule": "evenodd" }),
    svg("rect", { class: "outer", x: 0.7, y: 0.7, width: width - 1.4, height: height - 1.4 }),
    svg("rect", { class: "inner", x: BAND, y: BAND, width: width - 2 * BAND, height: height - 2 * BAND }),
    labels,
  );
  const update = (view, home) => {
    const grid = [];
    const marks = [];
    for (const axis of ["x", "y"]) {
      const from = home[`${axis}0`];
      const step = (home[`${axis}1`] - from) / 6;
      const low = inner[`${axis}0`];
      const high = inner[`${axis}1`];
      const place = (i) => (from + step * i) * view.k + view[axis];
      for (let i = 0; i <= 6; i += 1) {
        const p = place(i);
        if (p > low + 1 && p < high - 1) {
          grid.push(axis === "x" ? `M${p} ${BAND}V${height - BAND}` : `M${BAND} ${p}H${width - BAND}`);
          marks.push(axis === "x" ? `M${p} 0V${BAND}M${p} ${height - BAND}V${height}` : `M0 ${p}H${BAND}M${width - BAND} ${p}H${width}`);
        }
        if (i === 6) continue;
        const a = Math.max(low, p);
        const b = Math.min(high, place(i + 1));
        if (b - a < 16) continue;
        const middle = (a + b) / 2;
        const name = axis === "x" ? LETTERS[i] : String(i + 1);
        for (const far of [0, 1]) {
          const along = far ? (axis === "x" ? height : width) - BAND / 2 : BAND / 2;
          marks.push(svg("text", axis === "x" ? { x: middle, y: along + 4 } : { x: along, y: middle + 4 }, name));
        }
      }
    }
    lines.replaceChildren(svg("path", { class: "graticule", d: grid.join("") }));
    labels.replaceChildren(svg("path", { class: "tick", d: marks.filter((each) => typeof each === "string").join("") }), ...marks.filter((each) => typeof each !== "string"));
  };
  return { group, lines, inner, update };
}
