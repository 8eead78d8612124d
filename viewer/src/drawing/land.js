/** Land: waterlines, the base and its tint, two ribbons along the coast, the coast itself. */
import { svg } from "./svg.js";

let clips = 0;

/** How a server's state shows on its land: a server that was not reached keeps what it had, or has no coast. */
export function standing(server) {
  if (server.status === "ok") return "ok";
  return server.tools.length ? "stale" : "failed";
}

/** A land `{coast, lines, ribbons}` (path data) as a group; `hue` 0 to 8, `hatch` for a tenth and later colour. */
export function drawLand(land, { hue, hatch = 0, status = "ok" }) {
  const group = svg("g", { class: `land hue-${hue} ${status}`, "aria-hidden": "true" });
  land.lines.forEach((d, i) => group.append(svg("path", { class: `water l${i}`, d })));
  group.append(svg("path", { class: "base", d: land.coast }), svg("path", { class: "tint", d: land.coast }));
  (land.ribbons ?? []).forEach((d, i) => group.append(svg("path", { class: `ribbon ${i ? "near" : "wide"}`, d, "fill-rule": "evenodd" })));
  if (hatch && land.box) {
    const id = `land-${(clips += 1)}`;
    group.append(svg("clipPath", { id }, svg("path", { d: land.coast })), svg("g", { "clip-path": `url(#${id})` }, hatching(land.box, hatch)));
  }
  group.append(svg("path", { class: "coast", d: land.coast }));
  return group;
}

/** Hatch lines 14 apart over a box: 1 rising, 2 falling, 3 level, 4 upright, 5 crossed. */
export function hatching(box, kind, apart = 14) {
  let d = "";
  const wide = box.x1 - box.x0;
  const tall = box.y1 - box.y0;
  const each = (style) => {
    if (style === 3) for (let y = box.y0; y < box.y1; y += apart) d += `M${box.x0} ${y}H${box.x1}`;
    else if (style === 4) for (let x = box.x0; x < box.x1; x += apart) d += `M${x} ${box.y0}V${box.y1}`;
    else
      for (let x = -tall; x < wide; x += apart * 1.414)
        d += style === 1 ? `M${box.x0 + x} ${box.y1}L${box.x0 + x + tall} ${box.y0}` : `M${box.x0 + x} ${box.y0}L${box.x0 + x + tall} ${box.y1}`;
  };
  if (kind === 5) (each(1), each(2));
  else each(kind);
  return svg("path", { class: "hatch", d });
}
