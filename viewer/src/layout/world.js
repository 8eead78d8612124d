/**
 * The world: dagre places the territories by their bundled routes, overlaps are pushed apart within the
 * map, coasts are drawn about a dot a tool, bundles find their way over the sea.
 */
import { arrange, CROWDED, footprint, planeScale } from "./arrange.js";
import { routeBundles } from "./bundles.js";
import { WORLD_COAST, coast } from "./coast.js";
import { ringPath } from "./contour.js";
import { textWidth, worldSize, worldSpacing } from "./measure.js";
import { random } from "./noise.js";

const APART = 13;
const NAMES_CLAIM = 95;
const NAMES_CROWDED = 60;

/**
 * `input`: `{servers: [{name, label, seed, tools}], bundles: [{from, to, count, strength}], width, height,
 * keep}`, sorted; `keep` boxes (px) that stay open sea. Returns territories, routes and the plane's size.
 */
export function layoutWorld(input, progress = () => {}) {
  const most = Math.max(1, ...input.servers.map((server) => server.tools));
  const crowded = input.servers.length > CROWDED;
  const lands = input.servers.map((server) => {
    const dots = scatter(server.tools, server.seed);
    const xs = dots.map((dot) => dot[0]);
    const ys = dots.map((dot) => dot[1]);
    const spacing = worldSpacing(server.tools);
    const landWide = Math.max(...xs) - Math.min(...xs) + 54;
    // A long name is set smaller rather than wider than its land bears.
    const one = textWidth(server.label, 1, "capitals", spacing);
    const largest = crowded ? 17 : Infinity;
    const size = Math.round(Math.max(10.5, Math.min(worldSize(server.tools, most), largest, (landWide * 1.1 + 36) / one)) * 10) / 10;
    const wide = one * size;
    return { ...server, dots, size, spacing, nameWidth: crowded ? wide : Math.max(wide, 42), count: !crowded, claims: true, halfW: landWide / 2, halfH: (Math.max(...ys) - Math.min(...ys) + 54) / 2, x: 0, y: 0 };
  });
  // Beyond some number of names only the largest lands claim room for theirs; the others may find some.
  [...lands].sort((a, b) => b.tools - a.tools || (a.name < b.name ? -1 : 1)).slice(lands.length > 120 ? NAMES_CROWDED : NAMES_CLAIM).forEach((land) => (land.claims = false));
  const scale = planeScale(lands, input);
  const plane = { x0: 0, y0: 0, x1: input.width * scale, y1: input.height * scale };
  for (const land of lands) footprint(land, scale);
  const keep = input.keep.map((box) => ({ x0: box.x0 * scale, y0: box.y0 * scale, x1: box.x1 * scale, y1: box.y1 * scale }));
  arrange(lands, input.bundles, plane, keep, scale);
  progress(0.3);
  const territories = lands.map((land, i) => {
    const primitives = land.dots.map(([x, y]) => ({ x0: land.x + x, y0: land.y + y, x1: land.x + x, y1: land.y + y, r: 3 }));
    const shape = coast(primitives, land.seed, WORLD_COAST);
    if (i % 8 === 0) progress(0.3 + (0.4 * i) / lands.length);
    return { land, shape };
  });
  const routes = input.bare ? { drawn: [], undrawn: 0 } : routeBundles(territories, input.bundles, plane, keep, scale);
  return {
    scale,
    box: plane,
    territories: territories.map(({ land, shape }) => ({
      name: land.name, label: land.label, tools: land.tools, size: land.size, spacing: land.spacing, nameWidth: land.nameWidth, x: land.x, y: land.y,
      inside: land.inside, count: land.count, bottom: shape.box.y1, top: shape.box.y0, box: shape.box, coast: ringPath(shape.coast), lines: shape.lines.map(ringPath), ribbons: shape.inner.map((rings) => ringPath([...shape.coast, ...rings])),
      dots: land.dots.map(([x, y]) => [Math.round((land.x + x) * 10) / 10, Math.round((land.y + y) * 10) / 10]),
    })),
    routes: routes.drawn,
    undrawn: routes.undrawn,
  };
}

/** `n` dots on a shaken hexagonal lattice, those nearest to the middle of an uneven blob. */
function scatter(n, seed) {
  const next = random(seed);
  const [a, b, c] = [next() * 6.28, next() * 6.28, next() * 6.28];
  const long = 1.05 + 0.3 * next();
  const reach = Math.ceil(Math.sqrt(n) * 1.1) + 2;
  const points = [];
  for (let j = -reach; j <= reach; j += 1)
    for (let i = -reach; i <= reach; i += 1) {
      const x = (i + (j & 1 ? 0.5 : 0)) * APART;
      const y = j * APART * 0.88;
      const angle = Math.atan2(y, x);
      const rim = 1 + 0.2 * Math.sin(2 * angle + a) + 0.14 * Math.sin(3 * angle + b) + 0.07 * Math.sin(5 * angle + c);
      points.push([Math.hypot(x / long, y * long) / rim, x, y, i, j]);
    }
  points.sort((p, q) => p[0] - q[0] || p[4] - q[4] || p[3] - q[3]);
  const dots = points.slice(0, Math.max(1, n)).map(([, x, y]) => [x + (next() - 0.5) * 5, y + (next() - 0.5) * 5]);
  const cx = (Math.max(...dots.map((d) => d[0])) + Math.min(...dots.map((d) => d[0]))) / 2;
  const cy = (Math.max(...dots.map((d) => d[1])) + Math.min(...dots.map((d) => d[1]))) / 2;
  return dots.map(([x, y]) => [x - cx, y - cy]);
}
