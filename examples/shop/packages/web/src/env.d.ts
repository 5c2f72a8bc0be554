/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** Where the server is, without a trailing slash; empty for the same origin. */
  readonly VITE_API_ORIGIN?: string;
}

interface ImportMeta {
  readonly env: ImportMetaEnv;
}

declare module "*.vue" {
  import type { DefineComponent } from "vue";

  const component: DefineComponent<Record<string, unknown>, object, unknown>;
  export default component;
}
