/** Amounts of money as whole minor units (cents, pence), so that sums never drift. */

export type Currency = "EUR" | "GBP" | "USD";

export interface Money {
  readonly minor: number;
  readonly currency: Currency;
}

export function money(minor: number, currency: Currency = "EUR"): Money {
  if (!Number.isSafeInteger(minor)) {
    throw new RangeError(`Not a whole number of minor units: ${minor}`);
  }
  return { minor, currency };
}

function sameCurrency(a: Money, b: Money): Currency {
  if (a.currency !== b.currency) {
    throw new TypeError(`Cannot combine ${a.currency} with ${b.currency}`);
  }
  return a.currency;
}

export function add(a: Money, b: Money): Money {
  return money(a.minor + b.minor, sameCurrency(a, b));
}

export function subtract(a: Money, b: Money): Money {
  return money(a.minor - b.minor, sameCurrency(a, b));
}

export function min(a: Money, b: Money): Money {
  sameCurrency(a, b);
  return a.minor <= b.minor ? a : b;
}

export function sum(amounts: Iterable<Money>, currency: Currency = "EUR"): Money {
  let total = money(0, currency);
  for (const amount of amounts) total = add(total, amount);
  return total;
}

/** Half to even, as the accountants ask for: 0.5 → 0, 1.5 → 2, 2.5 → 2. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest < 0.5) return floor;
  if (rest > 0.5) return floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

export function multiply(amount: Money, factor: number): Money {
  return money(roundHalfEven(amount.minor * factor), amount.currency);
}

export function percentOf(amount: Money, percent: number): Money {
  return money(roundHalfEven((amount.minor * percent) / 100), amount.currency);
}

/**
 * Splits an amount in proportion to weights. The minor units that rounding leaves over go to the parts with the
 * largest remainders, so the parts always add up to the amount.
 */
export function allocate(amount: Money, weights: readonly number[]): Money[] {
  const total = weights.reduce((left, weight) => left + weight, 0);
  if (total <= 0) return weights.map(() => money(0, amount.currency));

  const exact = weights.map((weight) => (amount.minor * weight) / total);
  const parts = exact.map(Math.floor);
  let left = amount.minor - parts.reduce((done, part) => done + part, 0);

  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder) {
    if (left === 0) break;
    parts[index] = (parts[index] ?? 0) + 1;
    left -= 1;
  }
  return parts.map((part) => money(part, amount.currency));
}

export function format(amount: Money, locale = "en-IE"): string {
  const formatter = new Intl.NumberFormat(locale, { style: "currency", currency: amount.currency });
  return formatter.format(amount.minor / 100);
}
