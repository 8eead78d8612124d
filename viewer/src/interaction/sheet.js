/** The phone's sheet: three stops (96, 392, full) by drag, tap or key on its grip. */

const STOPS = ["low", "half", "full"];

export function makeSheet(onChange) {
  let stop = "half";
  const grip = document.createElement("button");
  grip.type = "button";
  grip.className = "grip";
  const set = (next) => {
    stop = next;
    document.body.classList.toggle("sheet-low", stop === "low");
    document.body.classList.toggle("sheet-full", stop === "full");
    grip.setAttribute("aria-label", { low: "Open the sheet", half: "Open the sheet in full", full: "Close the sheet" }[stop]);
    onChange();
  };
  let from = null;
  let dragged = false;
  grip.addEventListener("pointerdown", (event) => {
    from = event.clientY;
    grip.setPointerCapture(event.pointerId);
  });
  grip.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const moved = event.clientY - from;
    from = null;
    if (Math.abs(moved) < 24) return;
    dragged = true;
    set(STOPS[Math.min(2, Math.max(0, STOPS.indexOf(stop) + (moved < 0 ? 1 : -1) * (Math.abs(moved) > 260 ? 2 : 1)))]);
  });
  grip.addEventListener("click", () => {
    if (dragged) {
      dragged = false;
      return;
    }
    set(STOPS[(STOPS.indexOf(stop) + 1) % 3]);
  });
  grip.setAttribute("aria-label", "Open the sheet in full");
  return { grip, set, stop: () => stop };
}
