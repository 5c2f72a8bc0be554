import type { Catalog, Product } from "./catalog.ts";
import { ValidationError } from "./errors.ts";
import { multiply, type Money } from "./money.ts";

export const MAX_QUANTITY = 99;

export interface CartLine {
  readonly product: Product;
  readonly quantity: number;
  readonly amount: Money;
}

export interface CartSnapshot {
  readonly items: Readonly<Record<string, number>>;
  readonly codes: readonly string[];
}

/** What a customer means to buy. It knows SKUs and quantities only; prices come from the catalogue when asked for. */
export class Cart {
  readonly #quantities = new Map<string, number>();
  readonly #codes: string[] = [];

  static restore(snapshot: CartSnapshot): Cart {
    const cart = new Cart();
    for (const [sku, quantity] of Object.entries(snapshot.items)) cart.setQuantity(sku, quantity);
    for (const code of snapshot.codes) cart.applyCode(code);
    return cart;
  }

  add(sku: string, quantity = 1): void {
    this.setQuantity(sku, (this.#quantities.get(sku) ?? 0) + quantity);
  }

  setQuantity(sku: string, quantity: number): void {
    if (!Number.isInteger(quantity) || quantity < 0 || quantity > MAX_QUANTITY) {
      throw new ValidationError([{ path: sku, message: `must be a whole number from 0 to ${MAX_QUANTITY}` }]);
    }
    if (quantity === 0) this.#quantities.delete(sku);
    else this.#quantities.set(sku, quantity);
  }

  /** Remembers a discount code; entering one twice changes nothing. */
  applyCode(code: string): void {
    const trimmed = code.trim();
    if (trimmed !== "" && !this.#codes.includes(trimmed)) this.#codes.push(trimmed);
  }

  /** Takes over the cart that a customer filled before signing in. The larger quantity wins. */
  merge(other: Cart): void {
    for (const [sku, quantity] of other.#quantities) {
      this.setQuantity(sku, Math.max(quantity, this.#quantities.get(sku) ?? 0));
    }
    for (const code of other.#codes) this.applyCode(code);
  }

  get codes(): readonly string[] {
    return this.#codes;
  }

  get isEmpty(): boolean {
    return this.#quantities.size === 0;
  }

  lines(catalog: Catalog): CartLine[] {
    return [...this.#quantities].map(([sku, quantity]) => {
      const product = catalog.require(sku);
      return { product, quantity, amount: multiply(product.price, quantity) };
    });
  }

  snapshot(): CartSnapshot {
    return { items: Object.fromEntries(this.#quantities), codes: [...this.#codes] };
  }
}
