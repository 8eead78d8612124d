/** Asks the layout worker, started from a Blob; where no worker may run, the page lays out by itself. */
import source from "worker:worker.js";
import { answer } from "./answer.js";

export class LayoutClient {
  constructor() {
    this.waiting = new Map();
    this.next = 1;
    this.worker = null;
    try {
      const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      this.worker = new Worker(url);
      this.worker.onmessage = ({ data }) => this.receive(data);
      this.worker.onerror = () => this.withoutWorker();
    } catch {
      this.worker = null;
    }
  }

  /** A promise of the layout of `kind` for `input`. */
  ask(kind, input, onProgress = () => {}) {
    return new Promise((resolve, reject) => {
      const id = this.next;
      this.next += 1;
      this.waiting.set(id, { resolve, reject, onProgress, kind, input });
      if (this.worker) this.worker.postMessage({ id, kind, input });
      else setTimeout(() => this.alone(id), 0);
    });
  }

  receive({ id, result, error, progress }) {
    const request = this.waiting.get(id);
    if (!request) return;
    if (progress !== undefined) request.onProgress(progress);
    else {
      this.waiting.delete(id);
      if (error) request.reject(new Error(error));
      else request.resolve(result);
    }
  }

  alone(id) {
    const { kind, input } = this.waiting.get(id);
    try {
      this.receive({ id, result: answer(kind, input, () => {}) });
    } catch (error) {
      this.receive({ id, error: error.message });
    }
  }

  withoutWorker() {
    this.worker = null;
    for (const id of [...this.waiting.keys()]) this.alone(id);
  }
}
