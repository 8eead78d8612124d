/**
 * The place: one tool as a card with a port for each parameter, its producers to the left and its
 * consumers to the right, each on the land of its server.
 */
import { COUNTRY_COAST, coast } from "./coast.js";
import { ringPath } from "./contour.js";
import { Curve, placeArrow } from "./curve.js";
import { nameLines, textWidth } from "./measure.js";

const CARD = 228;
const ROW = 53;
const ROWS_MOST = 8;
const LANDS_MOST = 3;
const ISLAND = 142;
const NOISE = [[6, 130], [4, 50], [2.6, 22], [1.2, 11]];
const NAME = 15;
const LEFT = 66;
const CARD_AT = 404;
const RIGHT = 812;

/**
 * `input`: `{tool: {id, server, seed}, params: [{name, label, filled}], producers, consumers, width, height}`;
 * the others `{id, label, server, title, seed, mark, edges: [{number, param, type, confidence, reason}]}`
 * strongest first. Returns card, tools, pieces, lands and how many were left out.
 */
export function layoutPlace(input) {
  const { width, height } = input;
  const rows = input.params.slice(0, ROWS_MOST);
  const cardTall = Math.max(1, rows.length) * ROW;
  const place = new Map(rows.map((row, i) => [row.name, i]));
  // Where nothing consumes it, the inset stands at the right, and the producers have the sheet's height.
  const insetAt = input.consumers.length ? "left" : "right";
  const below = insetAt === "left" ? 0 : 140;
  const left = column(input.producers.filter((each) => each.edges.some((edge) => place.has(edge.param))), input.tool.server, height - 430 + below * 1.2, (each) => Math.min(...each.edges.map((edge) => place.get(edge.param) ?? 99)));
  const right = column(input.consumers, input.tool.server, height - 200, () => 0);
  stand(left.groups, LEFT, 214, height - (left.groups.length > 1 ? 250 : 226) + below, "left");
  stand(right.groups, RIGHT, 156, height - 50, "right");
  const own = [...left.groups, ...right.groups].filter((group) => group.server === input.tool.server).flatMap((group) => group.tools);
  const wanted = left.groups.length ? mean(left.groups.flatMap((group) => group.tools).map((tool) => tool.y)) : own.length ? mean(own.map((tool) => tool.y)) : height / 2;
  const card = { x: CARD_AT, width: CARD, height: cardTall, y: Math.min(height - 70 - cardTall, Math.max(236, wanted - cardTall / 2)) };
  card.rows = rows.map((row, i) => ({ ...row, y: card.y + i * ROW + 26 }));
  const tools = [...left.groups, ...right.groups].flatMap((group) => group.tools);
  const pieces = routes(left.groups, right.groups, card);
  const lands = landsOf(input, left.groups, right.groups, card);
  keepApart(lands);
  const shown = new Set(pieces.flatMap((piece) => piece.edges));
  const all = new Set([...input.producers, ...input.consumers].flatMap((each) => each.edges.map((edge) => edge.number)));
  return {
    box: { x0: 0, y0: 0, x1: width, y1: height }, card, insetAt,
    tools: tools.map(({ edges, ...tool }) => ({ ...tool, confidence: edges[0].confidence, reason: edges[0].reason })),
    pieces: pieces.map((piece) => ({ ...piece, curve: undefined, d: piece.curve.data })),
    lands, shown: [...shown].sort((a, b) => a - b), missing: [...all].filter((number) => !shown.has(number)).length, rowsLeft: input.params.length - rows.length,
  };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Tools by server, the home land first, as many as the height bears. */
function column(list, home, tall, order) {
  const groups = new Map();
  for (const each of list) {
    if (!groups.has(each.server)) groups.set(each.server, { server: each.server, title: each.title, seed: each.seed, tools: [] });
    groups.get(each.server).tools.push(each);
  }
  const sorted = [...groups.values()].sort((a, b) => Number(b.server === home) - Number(a.server === home) || b.tools[0].edges[0].confidence - a.tools[0].edges[0].confidence || (a.server < b.server ? -1 : 1)).slice(0, LANDS_MOST);
  let room = Math.max(3, Math.floor((tall - (sorted.length - 1) * ISLAND) / 42));
  // Each land shows its strongest; the rest of the room goes to the first lands.
  for (const group of sorted) group.share = 1;
  room -= sorted.length;
  for (const group of sorted) {
    const more = Math.max(0, Math.min(room, group.tools.length - 1));
    group.share += more;
    room -= more;
  }
  for (const group of sorted) {
    group.tools = group.tools.slice(0, group.share);
    group.tools.sort((a, b) => order(a) - order(b) || b.edges[0].confidence - a.edges[0].confidence || (a.id < b.id ? -1 : 1));
  }
  return { groups: sorted };
}

/** Heights of a column's tools between `top` and `bottom`. */
function stand(groups, x, top, bottom, side) {
  const n = groups.reduce((sum, group) => sum + group.tools.length, 0);
  if (!n) return;
  const islands = groups.length - 1;
  const pitch = Math.min(side === "left" ? 140 : 84, Math.max(42, (bottom - top - islands * ISLAND) / Math.max(1, n - 1 - islands)));
  const tall = (n - 1 - islands) * pitch + islands * ISLAND;
  let y = top + Math.max(0, (bottom - top - tall) / 2);
  groups.forEach((group, g) => {
    group.tools.forEach((tool, i) => {
      if (g && !i) y += ISLAND;
      else if (i) y += pitch;
      const label = Array.from(tool.label);
      tool.lines = side === "left" ? [label.length > 30 ? label.slice(0, 29).join("") + "…" : tool.label] : label.length > 21 && pitch >= 56 ? nameLines(tool.label) : [label.length > 23 ? label.slice(0, 22).join("") + "…" : tool.label];
      tool.nameWidth = Math.max(...tool.lines.map((line) => textWidth(line, NAME)));
      Object.assign(tool, { x, y, side, tight: pitch < 56 });
    });
  });
}

function routes(left, right, card) {
  const pieces = [];
  const arrows = [];
  const used = card.rows.filter((row) => left.some((group) => group.tools.some((tool) => tool.edges.some((edge) => edge.param === row.name))));
  used.forEach((row, i) => {
    const into = left.flatMap((group) => group.tools).flatMap((tool) => tool.edges.filter((edge) => edge.param === row.name).map((edge) => ({ tool, edge })));
    const bend = card.x - 60 - 15 * Math.min(i, 4);
    for (const { tool, edge } of into) {
      const curve = new Curve(tool.x + 6, tool.y);
      const down = Math.sign(row.y - tool.y);
      const r = Math.min(14, Math.abs(row.y - tool.y) / 2);
      if (r < 1) curve.line(card.x - 14, row.y);
      else curve.line(bend - r, tool.y).cubic(bend - r / 2, tool.y, bend, tool.y + (down * r) / 2, bend, tool.y + down * r).line(bend, row.y - down * r).cubic(bend, row.y - (down * r) / 2, bend + r / 2, row.y, bend + r, row.y).line(card.x - 14, row.y);
      const long = Math.abs(row.y - tool.y);
      const arrow = long > 40 ? { x: bend, y: (tool.y + row.y) / 2, angle: (down * Math.PI) / 2 } : { x: (tool.x + bend) / 2, y: tool.y, angle: 0 };
      pieces.push({ curve, edges: [edge.number], side: "in", arrow, tip: null });
    }
    if (into.length) pieces.push({ curve: new Curve(card.x - 14, row.y).line(card.x - 13, row.y), edges: into.map(({ edge }) => edge.number), side: "in", arrow: null, tip: [card.x - 6, row.y] });
  });
  const out = card.y + 26;
  const start = card.x + card.width;
  const bend = start + 24;
  for (const tool of right.flatMap((group) => group.tools))
    tool.edges.slice(0, 3).forEach((edge, i) => {
      const label = textWidth(edge.label, NAME, "serif");
      const y = tool.y + (i - (Math.min(3, tool.edges.length) - 1) / 2) * 17;
      const meet = Math.max(bend + 60, tool.x - label - 26);
      const curve = new Curve(start + 6, out).line(bend, out).swing(meet, y).line(tool.x - 16, y);
      pieces.push({ curve, edges: [edge.number], side: "out", arrow: placeArrow(curve, arrows), tip: [tool.x - 8, y], label: edge.label, labelAt: [tool.x - 20, y + 17], manual: edge.type === "manual" ? curve.onBend(0.72) : null });
    });
  return pieces;
}

/** Land below the home tools and the card, and an island for each other server on each side. */
function landsOf(input, left, right, card) {
  const { width, height } = input;
  const home = [{ x0: card.x - 8, y0: card.y - 78, x1: card.x + card.width + 8, y1: card.y + card.height + 10 }];
  const lands = [];
  const wideTitle = textWidth(input.tool.title, 1, "capitals", 0.2);
  let title = 0;
  const homeSize = Math.min(24, 300 / wideTitle);
  if (!left.some((group) => group.server === input.tool.server)) home.push({ x0: card.x + card.width / 2 - (wideTitle * homeSize) / 2, x1: card.x + card.width / 2 + (wideTitle * homeSize) / 2, y0: card.y - 112, y1: card.y - 80 });
  const box = (tool) =>
    tool.side === "left"
      ? { x0: tool.x - 12, y0: tool.y - 26, x1: tool.x + Math.max(tool.nameWidth + 8, tool.tight ? 0 : 20 + textWidth(`${tool.edges[0].reason} .00`, 12.5, "serif")), y1: tool.y + (tool.tight ? 8 : 22) }
      : { x0: tool.x - 92, y0: tool.y - 20, x1: Math.min(width + 60, tool.x + 18 + tool.nameWidth + 14), y1: tool.y + (tool.tight ? 12 : 22) };
  for (const group of [...left, ...right]) {
    const boxes = group.tools.map(box);
    // Land runs off the map on the side where more of the server may lie.
    if (group.tools.length > 1 || group.server === input.tool.server) boxes.push(...boxes.map((b) => (group.tools[0].side === "left" ? { ...b, x0: -160 } : { ...b, x1: width + 160 })));
    if (group.server === input.tool.server) {
      home.push(...boxes);
      if (group.tools[0].side === "left") {
        title = group.tools[0].y - 48;
        home.push({ x0: 40, y0: title - 28, x1: 46 + wideTitle * homeSize, y1: title + 8 });
      }
      for (const tool of group.tools) home.push({ ax: tool.x, ay: tool.y, bx: card.x + card.width / 2, by: card.y + card.height / 2, r: 10 });
    } else lands.push({ server: group.server, title: group.title, seed: group.seed, primitives: boxes, side: group.tools[0].side });
  }
  lands.unshift({ server: input.tool.server, title: input.tool.title, seed: input.tool.seed, primitives: home, home: true, side: left.some((group) => group.server === input.tool.server) ? "left" : "middle" });
  const clip = { x0: -140, y0: -140, x1: width + 140, y1: height + 140 };
  return lands.map((land) => {
    const shape = coast(land.primitives, land.seed, { ...COUNTRY_COAST, noise: NOISE, close: land.home && !lands.some((each) => !each.home) ? COUNTRY_COAST.close : 26 }, clip);
    const b = shape.box;
    const inHome = land.home;
    const size = inHome ? homeSize : Math.min(18, 260 / textWidth(land.title, 1, "capitals", 0.2));
    const wide = textWidth(land.title, size, "capitals", 0.2);
    const name = inHome && land.side === "left"
      ? { x: 46 + wide / 2, y: title, size }
      : inHome ? { x: card.x + card.width / 2, y: card.y - 84, size }
        : { x: Math.max(wide / 2 + 20, Math.min(width - wide / 2 - 20, (Math.max(b.x0, 20) + Math.min(b.x1, width - 20)) / 2)), y: b.y1 + size + 2 > height - 6 ? b.y0 - 8 : b.y1 + size + 2, size };
    return { server: land.server, title: land.title, home: !!land.home, coast: ringPath(shape.coast), lines: shape.lines.map(ringPath), ribbons: shape.inner.map((rings) => ringPath([...shape.coast, ...rings])), box: b, rings: shape.coast, name: { ...name, width: wide, spacing: 0.2, inside: inHome } };
  });
}

function keepApart(lands) {
  for (const land of lands) land.rings = land.rings.map((ring) => ring.map((value) => Math.round(value)));
}

