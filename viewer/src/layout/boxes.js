/** Boxes `{x0, y0, x1, y1}` of primitives and of many boxes. */

/** The box of a primitive, whose radius is left out. */
export function boxOf(p) {
  if (p.ax === undefined) return p;
  return { x0: Math.min(p.ax, p.bx), y0: Math.min(p.ay, p.by), x1: Math.max(p.ax, p.bx), y1: Math.max(p.ay, p.by) };
}

/** The box about all. */
export const union = (boxes) => ({
  x0: Math.min(...boxes.map((b) => b.x0)),
  y0: Math.min(...boxes.map((b) => b.y0)),
  x1: Math.max(...boxes.map((b) => b.x1)),
  y1: Math.max(...boxes.map((b) => b.y1)),
});
