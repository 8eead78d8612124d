/** The export menu: SVG, PNG at double size, the A3 print sheet. */
import { download, fileName, pngBlob, svgText } from "../drawing/export.js";
import { fill, html } from "../drawing/svg.js";

export function showExport(box, app) {
  const close = () => {
    box.hidden = true;
    const button = document.getElementById("export-button");
    button.setAttribute("aria-expanded", "false");
    button.focus();
  };
  const action = (words, note, act) => html("button", { type: "button", class: "action", onclick: async () => {
    close();
    try {
      await act();
    } catch (error) {
      app.say(`That did not work: ${error.message}`);
    }
  } }, words, html("small", {}, note));
  fill(box,
    action("SVG", "this view, with its styles inside", () => download(new Blob([svgText(app.map)], { type: "image/svg+xml" }), fileName(app.plateTitle, "svg"))),
    action("PNG", "this view at double size", async () => download(await pngBlob(app.map), fileName(app.plateTitle, "png"))),
    action("Print sheet", "A3 landscape, black, with the full index", async () => {
      await app.printSheet();
      window.print();
      document.body.classList.remove("printing");
    }));
}
