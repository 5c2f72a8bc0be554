/** The public face of the shop's rules. Packages import from here; only the web front reaches inside, by `@core/*`. */

export { Cart, MAX_QUANTITY, type CartLine, type CartSnapshot } from "./cart.ts";
export { Catalog, type Product, type TaxClass } from "./catalog.ts";
export { findDiscount, type Discount } from "./discounts.ts";
export * from "./errors.ts";
export { HOLD_MINUTES, Inventory } from "./inventory.ts";
export { format as formatMoney, money, type Currency, type Money } from "./money.ts";
export {
  cancelOrder,
  canBecome,
  confirmPayment,
  placeOrder,
  transition,
  type Address,
  type Order,
  type OrderRequest,
  type OrderStatus,
  type Shop,
} from "./orders.ts";
export { quoteCart, type PricingContext, type Quote } from "./pricing.ts";
export { FREE_SHIPPING_FROM, shippingCost } from "./shipping.ts";
export { parseOrderRequest } from "./validation.ts";
