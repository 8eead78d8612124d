import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["dist/", "node_modules/"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: { ...globals.browser, ATLAS_VERSION: "readonly" } },
    // What the page takes away from strangers' texts are control characters; sequences keep arrow bodies short.
    rules: { "no-control-regex": "off", "no-misleading-character-class": "off", eqeqeq: "error", "no-var": "error", "prefer-const": "error", "no-eval": "error", "no-implied-eval": "error" },
  },
  { files: ["*.mjs", "*.config.*", "test/**", "picture.mjs"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
];
