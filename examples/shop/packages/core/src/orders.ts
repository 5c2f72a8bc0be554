import { Cart, type CartSnapshot } from "./cart.ts";
import { InvalidTransition, ValidationError } from "./errors.ts";
import type { Inventory } from "./inventory.ts";
import { quoteCart, type PricingContext, type Quote } from "./pricing.ts";

export type OrderStatus = "placed" | "paid" | "shipped" | "delivered" | "cancelled" | "refunded";

export interface Address {
  readonly name: string;
  readonly street: string;
  readonly city: string;
  readonly postcode: string;
  readonly country: string;
}

export interface OrderRequest {
  readonly cart: CartSnapshot;
  readonly address: Address;
  readonly email: string;
}

export interface Order {
  readonly id: string;
  readonly email: string;
  readonly address: Address;
  readonly quote: Quote;
  readonly status: OrderStatus;
  readonly history: readonly { readonly status: OrderStatus; readonly at: Date }[];
}

const NEXT: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: ["paid", "cancelled"],
  paid: ["shipped", "refunded"],
  shipped: ["delivered"],
  delivered: ["refunded"],
  cancelled: [],
  refunded: [],
};

export function canBecome(from: OrderStatus, to: OrderStatus): boolean {
  return NEXT[from].includes(to);
}

export function transition(order: Order, to: OrderStatus, now: Date): Order {
  if (!canBecome(order.status, to)) throw new InvalidTransition(order.status, to);
  return { ...order, status: to, history: [...order.history, { status: to, at: now }] };
}

export interface Shop extends Omit<PricingContext, "country" | "now"> {
  readonly inventory: Inventory;
  readonly nextId: () => string;
}

/** Prices the cart, holds the goods and writes the order. Throws before anything is held when the cart cannot be sold. */
export function placeOrder(shop: Shop, request: OrderRequest, now: Date): Order {
  const cart = Cart.restore(request.cart);
  if (cart.isEmpty) throw new ValidationError([{ path: "cart", message: "is empty" }]);

  const quote = quoteCart(cart, { ...shop, country: request.address.country, now });
  const id = shop.nextId();
  shop.inventory.reserve(id, new Map(quote.lines.map((line) => [line.product.sku, line.quantity])), now);
  return {
    id,
    email: request.email,
    address: request.address,
    quote,
    status: "placed",
    history: [{ status: "placed", at: now }],
  };
}

export function cancelOrder(shop: Shop, order: Order, now: Date): Order {
  const cancelled = transition(order, "cancelled", now);
  shop.inventory.release(order.id);
  return cancelled;
}

/** Called by the payment provider. A hold that ran out in the meantime means that the money goes back. */
export function confirmPayment(shop: Shop, order: Order, now: Date): Order {
  const paid = transition(order, "paid", now);
  return shop.inventory.commit(order.id, now) ? paid : transition(paid, "refunded", now);
}
