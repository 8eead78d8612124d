/**
 * Builds the viewer: dist/{index.html, atlas.js, atlas.css} for a folder, and dist/single.html, one page
 * with everything inside but the graph.
 *
 * The layout worker is bundled first and carried as text, for a worker from a file fails from file://.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "src");
const dist = join(here, "dist");
const { version } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
const common = { bundle: true, write: false, charset: "ascii", minify: true, target: "es2022", legalComments: "none", format: "iife", define: { ATLAS_VERSION: JSON.stringify(version) } };

const workerText = {
  name: "worker-text",
  setup(build_) {
    build_.onResolve({ filter: /^worker:/ }, (args) => ({ path: join(args.resolveDir, args.path.slice(7)), namespace: "worker" }));
    build_.onLoad({ filter: /.*/, namespace: "worker" }, async (args) => {
      const made = await build({ ...common, entryPoints: [args.path] });
      return { contents: made.outputFiles[0].text, loader: "text" };
    });
  },
};

const script = (await build({ ...common, entryPoints: [join(source, "main.js")], plugins: [workerText], loader: { ".css": "text" } })).outputFiles[0].text
  // Safe inside a page too: a script element ends at the first of these, even within a string.
  .replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const styles = (await build({ ...common, entryPoints: [join(source, "page", "atlas.css")], format: undefined })).outputFiles[0].text;
const page = await readFile(join(source, "page", "index.html"), "utf8");

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = (scripts, styles_) =>
  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${scripts}; style-src ${styles_}; img-src blob: data:; worker-src blob:; base-uri 'none'; form-action 'none'">`;
const fill = (parts) => page.replace(/<!--(CSP|STYLE|SCRIPTS)-->/g, (_, part) => parts[part]);

const folder = fill({
  CSP: policy("'self'", "'self'"),
  STYLE: '<link rel="stylesheet" href="atlas.css">',
  SCRIPTS: '<script src="graph.js"></script>\n<script src="atlas.js"></script>',
});
// The graph takes the place of __ATLAS_GRAPH__, its "<" written \u003c: a data block, which no policy runs.
const single = fill({
  CSP: policy(hash(script), hash(styles)),
  STYLE: `<style>${styles}</style>`,
  SCRIPTS: `<script type="application/json" id="atlas-graph">__ATLAS_GRAPH__</script>\n<script>${script}</script>`,
});

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await Promise.all([
  writeFile(join(dist, "index.html"), folder),
  writeFile(join(dist, "atlas.js"), script),
  writeFile(join(dist, "atlas.css"), styles),
  writeFile(join(dist, "single.html"), single),
]);
console.log(`viewer/dist: atlas.js ${(script.length / 1024).toFixed(0)} kB, atlas.css ${(styles.length / 1024).toFixed(0)} kB, single.html`);
