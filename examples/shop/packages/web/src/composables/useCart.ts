import { Cart } from "@core/cart";
import type { Address, Order, Quote } from "@kettle/core";
import { computed, inject, ref, shallowRef, type InjectionKey } from "vue";

import { ApiError, type ApiClient } from "../api/client";
import { loadCart, saveCart } from "./cartStorage";

export const API_CLIENT: InjectionKey<ApiClient> = Symbol("api client");

function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.code === "out_of_stock") return `${error.message}. Please change the amount.`;
  if (error instanceof ApiError && error.status < 500) return error.message;
  return "The shop cannot be reached. Your cart is kept.";
}

/** The cart of this browser with its price. Prices always come from the server; the cart itself lives here. */
export function useCart(country: string) {
  const client = inject(API_CLIENT);
  if (!client) throw new Error("useCart() needs an API client, see main.ts");

  const cart = Cart.restore(loadCart());
  const quote = shallowRef<Quote>();
  const problem = ref("");
  const busy = ref(false);
  let latest = 0;

  async function refresh(): Promise<void> {
    saveCart(cart.snapshot());
    const mine = ++latest;
    busy.value = true;
    try {
      const answer = await client!.quote(cart.snapshot(), country);
      // A slower, older answer must not overwrite a newer one.
      if (mine === latest) [quote.value, problem.value] = [answer, ""];
    } catch (error) {
      if (mine === latest) problem.value = messageOf(error);
    } finally {
      if (mine === latest) busy.value = false;
    }
  }

  async function setQuantity(sku: string, quantity: number): Promise<void> {
    cart.setQuantity(sku, quantity);
    await refresh();
  }

  async function applyCode(code: string): Promise<void> {
    cart.applyCode(code);
    await refresh();
  }

  async function checkout(address: Address, email: string): Promise<Order | undefined> {
    busy.value = true;
    try {
      return await client!.placeOrder({ cart: cart.snapshot(), address, email });
    } catch (error) {
      problem.value = messageOf(error);
      return undefined;
    } finally {
      busy.value = false;
    }
  }

  const count = computed(() => quote.value?.lines.reduce((sum, line) => sum + line.quantity, 0) ?? 0);
  return { quote, count, problem, busy, refresh, setQuantity, applyCode, checkout };
}
