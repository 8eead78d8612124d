/** What the worker can be asked for. */
import { layoutPlate } from "./plate.js";

const KINDS = { plate: layoutPlate };

/** The layout of one `kind` of plate; the same input gives the same answer. */
export function answer(kind, input, progress) {
  return KINDS[kind](input, progress);
}
