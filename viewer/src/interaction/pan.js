/** Pan and zoom with d3-zoom: wheel, drag, pinch; flights of 420 ms, none with reduced motion. */
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
export const FLIGHT = 420;

/** cubic-bezier(.2, 0, 0, 1) at `t`. */
export function ease(t) {
  let u = t;
  for (let i = 0; i < 8; i += 1) {
    const x = 3 * (1 - u) * (1 - u) * u * 0.2 + u * u * u - t;
    const slope = 0.6 * (1 - u) * (1 - u) - 1.2 * (1 - u) * u + 3 * u * u;
    u -= x / Math.max(slope, 0.05);
    u = Math.min(1, Math.max(0, u));
  }
  return 3 * (1 - u) * u * u + u * u * u;
}

/** Controls over a map; `onEnd` after a gesture, `onBeyond(side, point)` when zoomed past the scene's limits. */
export function makePan(map, { onEnd, onBeyond }) {
  const surface = select(map.svg);
  let own = false;
  let limits = [0.3, 4];
  let flight = 0;
  let start = map.view;
  const behaviour = zoom()
    .scaleExtent(limits)
    .clickDistance(4)
    .filter((event) => (event.type === "wheel" ? true : !event.ctrlKey && !event.button))
    .on("start", () => {
      cancelAnimationFrame(flight);
      start = map.view;
    })
    .on("zoom", ({ transform, sourceEvent }) => {
      map.place({ k: transform.k, x: transform.x, y: transform.y });
      if (sourceEvent && !own) beyond(transform.k, sourceEvent);
    })
    .on("end", ({ sourceEvent }) => sourceEvent && start !== map.view && onEnd());
  surface.call(behaviour).on("dblclick.zoom", null);

  const beyond = (k, event) => {
    const zooming = event.type === "wheel" || (event.touches && event.touches.length > 1);
    if (!zooming) return;
    const side = k >= limits[1] * 0.999 ? "in" : k <= limits[0] * 1.001 ? "out" : "";
    if (!side) return;
    const box = map.svg.getBoundingClientRect();
    const touch = event.touches?.[0] ?? event;
    onBeyond(side, [touch.clientX - box.left, touch.clientY - box.top]);
  };

  const jump = (view) => {
    own = true;
    surface.call(behaviour.transform, zoomIdentity.translate(view.x, view.y).scale(view.k));
    own = false;
  };
  return {
    jump,
    limit(low, high) {
      limits = [low, high];
      behaviour.scaleExtent(limits);
    },
    bound(box) {
      behaviour.translateExtent([[box.x0, box.y0], [box.x1, box.y1]]);
    },
    /** Fly to a view; resolves when there. */
    fly(to, duration = FLIGHT) {
      cancelAnimationFrame(flight);
      if (calm() || duration === 0) {
        jump(to);
        return Promise.resolve();
      }
      const from = map.view;
      const [w, h] = [map.width / 2, map.height / 2];
      const centre = (view) => [(w - view.x) / view.k, (h - view.y) / view.k];
      const [a, b] = [centre(from), centre(to)];
      return new Promise((done) => {
        const start = performance.now();
        const step = (now) => {
          const t = Math.min(1, Math.max(0, (now - start) / duration));
          const e = ease(t);
          const k = from.k * (to.k / from.k) ** e;
          const cx = a[0] + (b[0] - a[0]) * e;
          const cy = a[1] + (b[1] - a[1]) * e;
          jump(t === 1 ? to : { k, x: w - cx * k, y: h - cy * k });
          if (t < 1) flight = requestAnimationFrame(step);
          else (map.refresh(), done());
        };
        flight = requestAnimationFrame(step);
      });
    },
    by(dx, dy) {
      jump({ k: map.view.k, x: map.view.x + dx, y: map.view.y + dy });
      onEnd();
    },
    scale(factor) {
      const k = Math.min(limits[1], Math.max(limits[0], map.view.k * factor));
      const [w, h] = [map.width / 2, map.height / 2];
      const r = k / map.view.k;
      const beyondLow = map.view.k * factor < limits[0] * 0.999;
      const beyondHigh = map.view.k * factor > limits[1] * 1.001;
      if (beyondLow && map.view.k <= limits[0] * 1.001) return onBeyond("out", [w, h]);
      if (beyondHigh && map.view.k >= limits[1] * 0.999) return onBeyond("in", [w, h]);
      jump({ k, x: w - (w - map.view.x) * r, y: h - (h - map.view.y) * r });
      onEnd();
    },
  };
}
