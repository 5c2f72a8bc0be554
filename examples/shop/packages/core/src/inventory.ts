import { OutOfStock } from "./errors.ts";

/** Unpaid orders give their goods back after this long. */
export const HOLD_MINUTES = 15;

interface Hold {
  readonly quantities: ReadonlyMap<string, number>;
  readonly expires: number;
}

/** Counts of what is on the shelf, and of what is promised to orders that are not paid yet. */
export class Inventory {
  readonly #onHand: Map<string, number>;
  readonly #holds = new Map<string, Hold>();

  constructor(onHand: Iterable<readonly [sku: string, count: number]>) {
    this.#onHand = new Map(onHand);
  }

  available(sku: string, now: Date): number {
    let count = this.#onHand.get(sku) ?? 0;
    for (const hold of this.#holds.values()) {
      if (hold.expires > now.getTime()) count -= hold.quantities.get(sku) ?? 0;
    }
    return count;
  }

  /** Holds all of the quantities or, when one of them is short, none. */
  reserve(orderId: string, quantities: ReadonlyMap<string, number>, now: Date): void {
    this.sweep(now);
    for (const [sku, wanted] of quantities) {
      const available = this.available(sku, now);
      if (wanted > available) throw new OutOfStock(sku, available);
    }
    const expires = now.getTime() + HOLD_MINUTES * 60_000;
    this.#holds.set(orderId, { quantities: new Map(quantities), expires });
  }

  /** Takes held goods off the shelf. False when the hold has run out and was given to somebody else. */
  commit(orderId: string, now: Date): boolean {
    const hold = this.#holds.get(orderId);
    if (!hold || hold.expires <= now.getTime()) return false;
    for (const [sku, quantity] of hold.quantities) {
      this.#onHand.set(sku, (this.#onHand.get(sku) ?? 0) - quantity);
    }
    this.#holds.delete(orderId);
    return true;
  }

  release(orderId: string): void {
    this.#holds.delete(orderId);
  }

  restock(sku: string, count: number): void {
    this.#onHand.set(sku, (this.#onHand.get(sku) ?? 0) + count);
  }

  /** Forgets holds that have run out. */
  sweep(now: Date): void {
    for (const [orderId, hold] of this.#holds) {
      if (hold.expires <= now.getTime()) this.#holds.delete(orderId);
    }
  }
}
