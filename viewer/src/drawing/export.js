/** Pictures to take away: the map as SVG with its styles inside, and as PNG at double size. */

import { svg } from "./svg.js";

const PROPERTIES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "visibility",
  "vector-effect", "paint-order", "font-family", "font-size", "font-style", "font-weight", "letter-spacing", "text-anchor",
];
const DEFAULTS = {
  "fill-opacity": "1", stroke: "none", "stroke-opacity": "1", "stroke-dasharray": "none", "stroke-linecap": "butt", "stroke-linejoin": "miter", opacity: "1", visibility: "visible",
  "vector-effect": "none", "paint-order": "normal", "font-style": "normal", "letter-spacing": "normal", "text-anchor": "start",
};
const TEXTUAL = new Set(["font-family", "font-size", "font-style", "font-weight", "letter-spacing", "text-anchor", "paint-order"]);
const LEAVE = new Set(["hit", "focusring under", "focusring over", "ripple"]);

/** The map's layers as one SVG text: no class, no style sheet, no script; every look is an attribute. */
export function svgText(map) {
  map.refresh();
  const { width, height, inner } = map;
  const whole = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const clip = svg("clipPath", { id: "map-window" }, svg("rect", { x: inner.x0, y: inner.y0, width: inner.x1 - inner.x0, height: inner.y1 - inner.y0 }));
  const layers = [map.base, map.sceneSvg, map.top].map((layer) => svg("g", layer === map.sceneSvg ? { "clip-path": "url(#map-window)" } : {}, ...[...layer.children].map(bake)));
  whole.append(clip, ...layers);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(whole)}\n`;
}

/** A copy of a drawn element without what is hidden. */
function bake(element) {
  const copy = element.cloneNode(false);
  const name = element.tagName;
  if (name !== "clipPath" && name !== "pattern" && element.closest("clipPath, pattern") === null) {
    const style = getComputedStyle(element);
    const text = name === "text" || name === "tspan";
    if (name !== "g" && name !== "svg")
      for (const property of PROPERTIES) {
        if (TEXTUAL.has(property) && !text) continue;
        const value = style.getPropertyValue(property);
        if (value && value !== DEFAULTS[property]) copy.setAttribute(property, value);
        else copy.removeAttribute(property);
      }
    if (copy.getAttribute("vector-effect") === "non-scaling-stroke") unscale(element, copy);
    else if (style.opacity !== "1") copy.setAttribute("opacity", style.opacity);
  }
  for (const each of ["class", "tabindex", "role", "aria-label", "aria-hidden", "data-id", "data-label"]) copy.removeAttribute(each);
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.cloneNode());
    else if (child.nodeType === Node.ELEMENT_NODE && !LEAVE.has(child.getAttribute("class")) && child.getAttribute("display") !== "none" && (child.closest("clipPath, pattern, defs") || getComputedStyle(child).display !== "none")) copy.append(bake(child));
  }
  return copy;
}

/** Strokes keep their width whatever the plane's scale; a picture that is scaled itself needs them in plane units. */
function unscale(element, copy) {
  const { a, b } = element.getCTM() ?? { a: 1, b: 0 };
  const scale = Math.hypot(a, b) || 1;
  copy.removeAttribute("vector-effect");
  const divide = (text) => text.replace(/[\d.]+(px)?/g, (each) => String(Math.round((parseFloat(each) / scale) * 1000) / 1000));
  for (const property of ["stroke-width", "stroke-dasharray"]) if (copy.hasAttribute(property)) copy.setAttribute(property, divide(copy.getAttribute(property)));
}

/** The map as a PNG blob, `scale` times its size on the page. */
export async function pngBlob(map, scale = 2) {
  const { width, height } = map;
  const url = URL.createObjectURL(new Blob([svgText(map)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the picture is too large"))), "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Offer a blob as a file. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A file name from what the plate is called: letters, figures and hyphens. */
export const fileName = (title, ending) => `mcp-atlas-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "map"}.${ending}`;
