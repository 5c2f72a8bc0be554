import { Cart } from "@core/cart";
import { ValidationError } from "@core/errors";
import { quoteCart } from "@core/pricing";
import { describe, expect, it } from "vitest";

import { NOON, catalog, discounts } from "./fixtures.ts";

function quote(items: Record<string, number>, codes: string[] = [], country = "IE") {
  return quoteCart(Cart.restore({ items, codes }), { catalog, discounts, country, now: NOON });
}

describe("quoteCart", () => {
  it("costs nothing when the cart is empty", () => {
    expect(quote({}).total.minor).toBe(0);
  });

  it("adds shipping and the tax of each class", () => {
    const { subtotal, shipping, tax, total } = quote({ TEA: 1, POT: 1 });
    expect(subtotal.minor).toBe(4500);
    expect(shipping.minor).toBe(590);
    expect(tax.minor).toBe(135 + 805 + 136);
    expect(total.minor).toBe(4500 + 590 + tax.minor);
  });

  it("takes a percentage off tagged products only", () => {
    expect(quote({ TEA: 1, POT: 1 }, ["leaf10"]).discount.minor).toBe(100);
  });

  it("taxes what the customer pays, not the price before the discount", () => {
    const { tax } = quote({ POT: 2, TEA: 1 }, ["LEAF10"]);
    expect(tax.minor).toBe(122 + 1610);
  });

  it("takes percentages off before amounts", () => {
    const { discount, appliedCodes } = quote({ TEA: 3 }, ["WELCOME5", "LEAF10"]);
    expect(discount.minor).toBe(300 + 500);
    expect(appliedCodes).toEqual(["LEAF10", "WELCOME5"]);
  });

  it("ignores a code that has expired or is unknown", () => {
    const { shipping, appliedCodes, unknownCodes } = quote({ TEA: 1 }, ["SHIPFREE", "NOPE"]);
    expect(shipping.minor).toBe(390);
    expect(appliedCodes).toEqual([]);
    expect(unknownCodes).toEqual(["NOPE"]);
  });

  it("ships free within the country once the goods are dear enough", () => {
    expect(quote({ POT: 2 }).shipping.minor).toBe(0);
    expect(quote({ POT: 2 }, [], "DE").shipping.minor).toBe(1390);
  });

  it("refuses a parcel that nobody carries", () => {
    expect(() => quote({ POT: 9 }, [], "NZ")).toThrow(ValidationError);
  });
});
