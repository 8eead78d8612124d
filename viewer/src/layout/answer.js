/** What the worker can be asked for. */
import { layoutPlace } from "./place.js";
import { layoutPlate } from "./plate.js";
import { layoutWorld } from "./world.js";

const KINDS = { place: layoutPlace, plate: layoutPlate, world: layoutWorld };

/** The layout of one `kind` of plate; the same input gives the same answer. */
export function answer(kind, input, progress) {
  return KINDS[kind](input, progress);
}
