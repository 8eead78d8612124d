/** Rows: 40 passes of the neighbours' mean, with block merging so that nothing stands in another's place. */

const PASSES = 40;

/**
 * Positions as near to `wanted` as `gaps[i]` (least distance of i from i - 1) allow, in this order.
 *
 * Least squares by merging blocks (pool adjacent violators).
 */
export function spread(wanted, gaps) {
  const blocks = [];
  let offset = 0;
  for (let i = 0; i < wanted.length; i += 1) {
    if (i > 0) offset += gaps[i];
    blocks.push({ sum: wanted[i] - offset, n: 1 });
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1];
      const before = blocks[blocks.length - 2];
      if (before.sum / before.n <= last.sum / last.n) break;
      before.sum += last.sum;
      before.n += last.n;
      blocks.pop();
    }
  }
  const out = [];
  offset = 0;
  for (const block of blocks)
    for (let k = 0; k < block.n; k += 1) {
      if (out.length > 0) offset += gaps[out.length];
      out.push(block.sum / block.n + offset);
    }
  return out;
}

/**
 * Order and place the tools of each column.
 *
 * `columns` arrays of nodes `{id, up, down}` (extent above and below the mark); `links` pairs of ids.
 * Sets `y` on each node and sorts each column by it.
 */
export function placeRows(columns, links, gap = 10) {
  const node = new Map(columns.flat().map((each) => [each.id, each]));
  const near = new Map([...node.keys()].map((id) => [id, []]));
  for (const [a, b] of links) {
    near.get(a).push(node.get(b));
    near.get(b).push(node.get(a));
  }
  for (const column of columns) {
    let y = 0;
    for (const each of column) {
      each.y = y + each.up;
      y += each.up + each.down + gap;
    }
    for (const each of column) each.y -= (y - gap) / 2;
  }
  for (let pass = 0; pass < PASSES; pass += 1) {
    const order = pass % 2 ? [...columns].reverse() : columns;
    for (const column of order) {
      for (const each of column) {
        const beside = near.get(each.id).filter((other) => other.column !== each.column);
        const mean = beside.length ? beside.reduce((sum, other) => sum + other.y, 0) / beside.length : each.y;
        each.want = pass < PASSES - 6 ? mean : 0.5 * mean + 0.5 * each.y;
      }
      settle(column, gap);
    }
  }
}

/** Sort a column by `want` and give it the nearest places that keep `gap` between extents. */
export function settle(column, gap, sort = true) {
  if (sort) column.sort((a, b) => a.want - b.want || (a.id < b.id ? -1 : 1));
  const gaps = column.map((each, i) => (i === 0 ? 0 : column[i - 1].down + each.up + (typeof gap === "number" ? gap : gap(i))));
  const y = spread(column.map((each) => each.want), gaps);
  column.forEach((each, i) => (each.y = y[i]));
}
