import { HOLD_MINUTES } from "@core/inventory";
import { cancelOrder, confirmPayment, placeOrder, type OrderRequest } from "@core/orders";
import { describe, expect, it } from "vitest";

import { NOON, makeShop } from "./fixtures.ts";

const later = (minutes: number): Date => new Date(NOON.getTime() + minutes * 60_000);

function request(items: Record<string, number>): OrderRequest {
  const address = { name: "A. Reader", street: "Quay 1", city: "Cork", postcode: "T12", country: "IE" };
  return { cart: { items, codes: [] }, address, email: "reader@example.com" };
}

describe("placeOrder", () => {
  it("holds the goods until the order is paid", () => {
    const shop = makeShop();
    const order = placeOrder(shop, request({ POT: 2 }), NOON);
    expect(shop.inventory.available("POT", NOON)).toBe(0);
    expect(confirmPayment(shop, order, later(5)).status).toBe("paid");
    expect(shop.inventory.available("POT", later(HOLD_MINUTES + 1))).toBe(0);
  });

  it("holds nothing when one product is short", () => {
    const shop = makeShop();
    expect(() => placeOrder(shop, request({ TEA: 1, POT: 3 }), NOON)).toThrow("Only 2 of POT left");
    expect(shop.inventory.available("TEA", NOON)).toBe(10);
  });

  it("gives the goods back when the order is cancelled", () => {
    const shop = makeShop();
    cancelOrder(shop, placeOrder(shop, request({ POT: 2 }), NOON), later(1));
    expect(shop.inventory.available("POT", later(1))).toBe(2);
  });
});

describe("confirmPayment", () => {
  it("refunds a payment that comes after the hold has run out", () => {
    const shop = makeShop();
    const order = placeOrder(shop, request({ POT: 2 }), NOON);
    const settled = confirmPayment(shop, order, later(HOLD_MINUTES));
    expect(settled.status).toBe("refunded");
    expect(settled.history.map((step) => step.status)).toEqual(["placed", "paid", "refunded"]);
  });
});
