import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["test/browser/**/*.test.js"], environment: "node", globalSetup: ["test/browser/build.js"], fileParallelism: false, testTimeout: 90000, hookTimeout: 90000 },
});
