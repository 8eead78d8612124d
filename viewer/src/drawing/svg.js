/** SVG by hand: elements from a name, attributes and children. Text goes in as text only. */

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. Attributes null, undefined or false are left out; strings among children are text. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined && value !== false) element.setAttribute(key, String(value));
  for (const child of children.flat()) if (child) element.append(child);
  return element;
}

/** An HTML element, likewise; `on…` attributes are listeners, `class`, `hidden` and the rest as written. */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false && child !== "") element.append(child);
  return element;
}

/** Replace what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return element;
}

export const at = (x, y) => `translate(${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10})`;

/** Set an attribute only where it changes: an unchanged one still costs the browser a look. */
export function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
