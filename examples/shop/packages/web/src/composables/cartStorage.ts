import type { CartSnapshot } from "@core/cart";

const KEY = "kettle.cart.v1";
const EMPTY: CartSnapshot = { items: {}, codes: [] };

function isSnapshot(value: unknown): value is CartSnapshot {
  if (typeof value !== "object" || value === null) return false;
  const { items, codes } = value as Partial<CartSnapshot>;
  const goodItems = typeof items === "object" && items !== null && Object.values(items).every(Number.isInteger);
  return goodItems && Array.isArray(codes) && codes.every((code) => typeof code === "string");
}

/** The cart of the last visit. Anything unreadable counts as an empty cart: a shop must open. */
export function loadCart(storage: Pick<Storage, "getItem"> = localStorage): CartSnapshot {
  try {
    const parsed: unknown = JSON.parse(storage.getItem(KEY) ?? "null");
    return isSnapshot(parsed) ? parsed : EMPTY;
  } catch {
    return EMPTY;
  }
}

export function saveCart(snapshot: CartSnapshot, storage: Pick<Storage, "setItem"> = localStorage): void {
  try {
    storage.setItem(KEY, JSON.stringify(snapshot));
  } catch {
    // Storage is full or switched off. The cart lives on for as long as the page does.
  }
}
