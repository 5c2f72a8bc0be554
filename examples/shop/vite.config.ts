import { fileURLToPath } from "node:url";

import vue from "@vitejs/plugin-vue";
import vueJsx from "@vitejs/plugin-vue-jsx";
import { defineConfig } from "vitest/config";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [vue(), vueJsx()],
  resolve: {
    // Keep in step with `paths` in tsconfig.json.
    alias: {
      "@core": here("./packages/core/src"),
      "@web": here("./packages/web/src"),
    },
  },
  server: {
    port: 5173,
    proxy: { "/api": "http://localhost:3000" },
  },
  test: {
    // The server is CommonJS and is tested by `node --test`.
    include: ["packages/{core,web}/test/**/*.test.ts"],
    restoreMocks: true,
  },
});
