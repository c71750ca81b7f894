import js from "@eslint/js";
import solid from "eslint-plugin-solid/configs/typescript";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["dist", "src/gen", "node_modules"] },
  js.configs.recommended,
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [ts.configs.strictTypeChecked, ts.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "no-restricted-properties": ["error", { property: "innerHTML", message: "text of scripts and referees is never markup" }],
    },
  },
  { files: ["src/**/*.tsx"], ...solid },
  {
    files: ["src/**/*.tsx"],
    rules: {
      // Handlers read the present value when they run, which is what they are for; the rule takes
      // every function that is handed on for a forgotten effect.
      "solid/reactivity": "off",
    },
  },
);
