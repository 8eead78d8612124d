/** Builds the viewer once before the browser tests. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function setup() {
  execFileSync(process.execPath, [fileURLToPath(new URL("../../build.mjs", import.meta.url))], { stdio: "pipe" });
}
