/**
 * Names on the map: greedy, the chosen tool first, then territories, then by routes, then by name. A name
 * without a free place is left out and counted.
 */

/** Boxes kept in a coarse grid, so that a thousand names are tested in a frame. */
export class Boxes {
  constructor(size = 96) {
    this.size = size;
    this.cells = new Map();
  }

  cover(box, visit) {
    for (let j = Math.floor(box.y0 / this.size); j <= Math.floor(box.y1 / this.size); j += 1)
      for (let i = Math.floor(box.x0 / this.size); i <= Math.floor(box.x1 / this.size); i += 1) if (visit(i * 65536 + j)) return true;
    return false;
  }

  add(box) {
    this.cover(box, (key) => {
      if (!this.cells.has(key)) this.cells.set(key, []);
      this.cells.get(key).push(box);
      return false;
    });
  }

  hits(box) {
    return this.cover(box, (key) => (this.cells.get(key) ?? []).some((b) => box.x0 < b.x1 && box.x1 > b.x0 && box.y0 < b.y1 && box.y1 > b.y0));
  }
}

/**
 * Show the names of a country plate that have room at this view, hide the others.
 *
 * `within` (px) leaves out names partly outside it, as on a phone. Returns how many tool names had no room.
 */
export function cull(items, lands, { k, x, y }, chosen, within = null, pieces = []) {
  const outside = (box) => within && (box.x0 < within.x0 || box.x1 > within.x1 || box.y0 < within.y0 || box.y1 > within.y1);
  const boxes = new Boxes();
  for (const { name, text } of lands) {
    const size = Math.min(1, Math.max(0.6, k));
    const cx = name.x * k + x;
    const cy = name.y * k + y;
    boxes.add({ x0: cx - (name.width / 2) * size, x1: cx + (name.width / 2) * size, y0: cy - name.size * size, y1: cy + 4 });
    text.removeAttribute("display");
  }
  const order = items.order ?? (items.order = [...items].sort((a, b) => b.degree - a.degree || (a.node.id < b.node.id ? -1 : 1)));
  const first = chosen ? order.filter((item) => item.node.id === chosen) : [];
  const queue = first.length ? [...first, ...order.filter((item) => item !== first[0])] : order;
  let omitted = 0;
  const marks = new Boxes();
  if (k < 1) for (const item of items) {
    const tall = Math.max(0, item.node.ports.length - 1) * 9 * k + 4;
    marks.add({ x0: item.node.x * k + x - 6, x1: item.node.x * k + x + 6, y0: item.node.y * k + y - tall, y1: item.node.y * k + y + tall, item });
  }
  for (const item of queue) {
    const { node } = item;
    const cx = node.x * k + x;
    const cy = node.y * k + y;
    const tall = Math.max(0, node.ports.length - 1) * 9 * k + 4.6;
    const lines = node.lines.length * 14.5;
    const box = node.above
      ? { x0: cx - node.nameWidth / 2, x1: cx + node.nameWidth / 2, y0: cy - tall - 4 - lines, y1: cy - tall - 2 }
      : { x0: cx + 9, x1: cx + 14 + node.nameWidth, y0: cy - lines / 2, y1: cy + lines / 2 };
    const beyond = outside(box);
    const clash = beyond || boxes.hits(box) || (k < 1 && marks.hits(box));
    if (clash && !beyond && item.node.id !== chosen) omitted += 1;

    if (!clash || item.node.id === chosen) boxes.add(box);
    set(item.name, clash && item.node.id !== chosen);
  }
  for (const item of queue) {
    const { node } = item;
    for (const port of item.ports) {
      const cx = node.x * k + x - 12.6;
      const cy = node.y * k + y + port.dy * k;
      const box = { x0: cx - port.width, x1: cx, y0: cy + 2.5, y1: cy + 13.5 };
      const clash = k < 0.8 || outside(box) || (k < 1 && (boxes.hits(box) || marks.hits(box)));
      set(port.label, clash);
      if (!clash && k < 1) boxes.add(box);
    }
  }
  for (const piece of pieces) {
    if (!piece.tally) continue;
    const cx = piece.folded.x * k + x;
    const cy = piece.folded.y * k + y;
    const wide = piece.tally.textContent.length * 3.6 + 3;
    const box = { x0: cx - wide, x1: cx + wide, y0: cy - 7, y1: cy + 7 };
    const clash = !piece.shown || outside(box) || boxes.hits(box) || marks.hits(box);
    set(piece.tally, clash);
    if (!clash) boxes.add(box);
  }
  return omitted;
}

function set(element, hidden) {
  const value = hidden ? "none" : "inline";
  if (element.getAttribute("display") !== value) element.setAttribute("display", value);
}
