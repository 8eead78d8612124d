/** Pointer: hover shows a tool's routes, a click chooses it, a double click looks closer. */

export function bindPointer(app) {
  const surface = app.map.svg;
  const target = (event) => event.target.closest?.(".tool, .territory");
  let hovered = null;
  surface.addEventListener("pointerover", (event) => {
    const item = event.pointerType === "touch" ? null : target(event);
    const id = item?.dataset.id ?? null;
    if (id === hovered) return;
    hovered = id;
    app.scene?.hover?.(id);
  });
  surface.addEventListener("pointerleave", () => {
    hovered = null;
    app.scene?.hover?.(null);
  });
  surface.addEventListener("click", (event) => {
    const item = target(event);
    if (!item) {
      if (app.state.tool && app.level === "country") app.clear();
      return;
    }
    if (item.classList.contains("territory")) app.enter(item.dataset.id);
    else app.choose(item.dataset.id, { focus: false });
  });
  surface.addEventListener("dblclick", (event) => {
    const item = target(event);
    if (item?.classList.contains("tool")) app.setLevel("place");
  });
}
