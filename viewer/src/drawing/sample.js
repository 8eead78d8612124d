/** Small drawn signs for panel and legend: a route's line, a tool's mark, a server's code. */
import { html, svg } from "./svg.js";

/** A line sample of an edge type. */
export function lineSample(type, side = "", width = 34) {
  return svg("svg", { class: `sample atlas ${side}`, width, height: 12, viewBox: `0 0 ${width} 12`, "aria-hidden": "true" },
    svg("path", { class: `route ${type} ${side}`, d: `M0 6H${width - 6}`, "stroke-width": type === "manual" ? 2.2 : 1.6 }),
    svg("path", { class: `arrow ${side}`, d: `M${width} 6L${width - 7} 2.6V9.4Z` }));
}

/** A tool's mark: hollow reads, filled writes, ringed may destroy. */
export function markSample(mark) {
  const sign = svg("svg", { class: `sample atlas ${mark}`, width: 17, height: 16, viewBox: "0 0 17 16", "aria-hidden": "true" }, svg("circle", { class: "mark", cx: 8.5, cy: 8, r: 4.6 }));
  if (mark === "destroys") sign.append(svg("circle", { class: "ring", cx: 8.5, cy: 8, r: 7.2 }));
  return sign;
}

/** A server's two letters in its colour. */
export const codeSample = (server, hue) => html("span", { class: `code hue-${hue}` }, server.code);
