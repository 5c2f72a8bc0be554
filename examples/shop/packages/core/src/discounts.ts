import type { CartLine } from "./cart.ts";
import { add, allocate, min, money, percentOf, subtract, sum, type Money } from "./money.ts";

interface Rule {
  readonly code: string;
  /** Nothing is taken off below this sum of the lines. */
  readonly minimum?: Money;
  readonly expires?: Date;
}

export interface PercentOff extends Rule {
  readonly kind: "percent";
  readonly percent: number;
  readonly tag?: string;
}

export interface AmountOff extends Rule {
  readonly kind: "amount";
  readonly amount: Money;
}

export interface FreeShipping extends Rule {
  readonly kind: "shipping";
}

export type Discount = PercentOff | AmountOff | FreeShipping;

export interface Reduction {
  /** What is taken off each line, in the order of the lines. */
  readonly perLine: readonly Money[];
  readonly freeShipping: boolean;
  readonly applied: readonly string[];
}

/** Codes are printed on cards and read out on the phone, so letter case does not matter. */
export function findDiscount(discounts: readonly Discount[], code: string): Discount | undefined {
  return discounts.find((discount) => discount.code === code.toUpperCase());
}

export function isRedeemable(discount: Discount, subtotal: Money, now: Date): boolean {
  if (discount.expires && discount.expires <= now) return false;
  return !discount.minimum || subtotal.minor >= discount.minimum.minor;
}

function percentPerLine(discount: PercentOff, lines: readonly CartLine[], left: readonly Money[]): Money[] {
  return lines.map((line, index) => {
    const rest = left[index] ?? money(0);
    const counts = discount.tag === undefined || line.product.tags.includes(discount.tag);
    return counts ? percentOf(rest, discount.percent) : money(0, rest.currency);
  });
}

function amountPerLine(discount: AmountOff, left: readonly Money[]): Money[] {
  const off = min(discount.amount, sum(left));
  return allocate(off, left.map((rest) => rest.minor));
}

/** Takes the discounts off one after another, percentages first: ten percent are ten percent of the full price. */
export function reduceLines(lines: readonly CartLine[], discounts: readonly Discount[], now: Date): Reduction {
  const subtotal = sum(lines.map((line) => line.amount));
  const usable = discounts.filter((discount) => isRedeemable(discount, subtotal, now));
  const percentFirst = usable.toSorted((a, b) => Number(b.kind === "percent") - Number(a.kind === "percent"));

  let left = lines.map((line) => line.amount);
  let perLine = lines.map((line) => money(0, line.amount.currency));
  let freeShipping = false;
  for (const discount of percentFirst) {
    if (discount.kind === "shipping") {
      freeShipping = true;
      continue;
    }
    const off = discount.kind === "percent" ? percentPerLine(discount, lines, left) : amountPerLine(discount, left);
    left = left.map((rest, index) => subtract(rest, off[index]!));
    perLine = perLine.map((before, index) => add(before, off[index]!));
  }
  return { perLine, freeShipping, applied: percentFirst.map((discount) => discount.code) };
}
