/** The layout worker: answers `{id, kind, input}` with `{id, result}` or `{id, error}`, and `{id, progress}`. */
import { answer } from "./answer.js";

self.onmessage = ({ data: { id, kind, input } }) => {
  try {
    self.postMessage({ id, result: answer(kind, input, (progress) => self.postMessage({ id, progress })) });
  } catch (error) {
    self.postMessage({ id, error: String(error?.message ?? error) });
  }
};
