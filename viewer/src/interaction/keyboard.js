/**
 * Keys: "/" finds; arrows move within the plate; Enter looks closer; o and i follow a route out and in;
 * Esc steps back; + - 0 zoom.
 */

/** The item nearest to `from` in the direction (dx, dy), within a quarter turn; null where none. */
export function neighbour(items, from, dx, dy) {
  let best = null;
  for (const item of items) {
    const x = item.x - from.x;
    const y = item.y - from.y;
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy - y * dx);
    if (ahead <= 1 || aside > ahead * 2.2) continue;
    const cost = ahead + 2 * aside;
    if (!best || cost < best.cost) best = { item, cost };
  }
  return best?.item ?? null;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function bindKeys(app) {
  const typing = (event) => event.target.closest?.("input, select, textarea, .popover, .tabular") || event.ctrlKey || event.metaKey || event.altKey;
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !typing(event)) {
      event.preventDefault();
      app.finder.open();
      return;
    }
    if (event.key === "Escape" && !event.target.closest?.("input, .popover")) {
      app.back();
      event.preventDefault();
    }
  });
  app.map.svg.addEventListener("keydown", (event) => {
    if (typing(event)) return;
    if (handle(app, event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  app.map.svg.addEventListener("focusin", (event) => {
    const item = event.target.closest?.(".tool, .territory");
    if (item) app.roving(item.dataset.id);
  });
}

function handle(app, event) {
  const { key } = event;
  if (key in ARROWS) {
    if (event.shiftKey) {
      const [dx, dy] = ARROWS[key];
      app.pan.by(-dx * 80, -dy * 80);
    } else app.step(...ARROWS[key]);
    return true;
  }
  if (key === "Enter" || key === " ") return app.closer();
  if (key === "o" || key === "i") return app.follow(key === "o" ? "out" : "into");
  if (key === "+" || key === "=") return (app.pan.scale(1.25), true);
  if (key === "-") return (app.pan.scale(0.8), true);
  if (key === "0") return (app.goHome(), true);
  return false;
}
