import type { Cart, CartLine } from "./cart.ts";
import type { Catalog, TaxClass } from "./catalog.ts";
import { findDiscount, reduceLines, type Discount } from "./discounts.ts";
import { ValidationError } from "./errors.ts";
import { add, money, percentOf, subtract, sum, type Money } from "./money.ts";
import { shippingCost } from "./shipping.ts";

export interface PricingContext {
  readonly catalog: Catalog;
  readonly discounts: readonly Discount[];
  readonly country: string;
  readonly now: Date;
}

export interface Quote {
  readonly lines: readonly CartLine[];
  readonly subtotal: Money;
  readonly discount: Money;
  readonly shipping: Money;
  readonly tax: Money;
  readonly total: Money;
  readonly appliedCodes: readonly string[];
  readonly unknownCodes: readonly string[];
}

const TAX_PERCENT: Readonly<Record<TaxClass, number>> = { food: 13.5, standard: 23 };

/** Shipping follows the standard rate, whatever is in the parcel. */
const SHIPPING_TAX: TaxClass = "standard";

function taxOn(amount: Money, taxClass: TaxClass): Money {
  return percentOf(amount, TAX_PERCENT[taxClass]);
}

function resolveCodes(codes: readonly string[], discounts: readonly Discount[]) {
  const known: Discount[] = [];
  const unknown: string[] = [];
  for (const code of codes) {
    const discount = findDiscount(discounts, code);
    if (discount) known.push(discount);
    else unknown.push(code);
  }
  return { known, unknown };
}

/** What a cart costs, here and now. Prices are net; tax is worked out line by line on what is left after discounts. */
export function quoteCart(cart: Cart, context: PricingContext): Quote {
  const lines = cart.lines(context.catalog);
  const { known, unknown } = resolveCodes(cart.codes, context.discounts);
  const reduction = reduceLines(lines, known, context.now);

  const subtotal = sum(lines.map((line) => line.amount));
  const discount = sum(reduction.perLine);
  const goods = subtract(subtotal, discount);

  const weight = lines.reduce((grams, line) => grams + line.product.weightGrams * line.quantity, 0);
  const parcel = shippingCost(context.country, weight, goods);
  if (parcel === undefined) {
    throw new ValidationError([{ path: "country", message: `${weight} g are too heavy for one parcel` }]);
  }
  const shipping = reduction.freeShipping || lines.length === 0 ? money(0) : parcel;

  const lineTaxes = lines.map((line, index) => {
    const paid = subtract(line.amount, reduction.perLine[index]!);
    return taxOn(paid, line.product.taxClass);
  });
  const tax = add(sum(lineTaxes), taxOn(shipping, SHIPPING_TAX));

  return {
    lines,
    subtotal,
    discount,
    shipping,
    tax,
    total: sum([goods, shipping, tax]),
    appliedCodes: reduction.applied,
    unknownCodes: unknown,
  };
}
