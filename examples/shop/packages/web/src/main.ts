import { createApp } from "vue";

import { ApiClient } from "./api/client";
import CartPanel from "./components/CartPanel.vue";
import { API_CLIENT } from "./composables/useCart";
import "./styles/base.css";

const app = createApp(CartPanel, { country: "IE" });
app.provide(API_CLIENT, new ApiClient(import.meta.env.VITE_API_ORIGIN ?? ""));
app.config.errorHandler = (error, _instance, where) => {
  console.error(`Unhandled error in ${where}`, error);
};
app.mount("#app");
