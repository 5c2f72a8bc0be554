import { money, type Money } from "./money.ts";

export type Zone = "home" | "eu" | "world";

interface Band {
  readonly upToGrams: number;
  readonly cost: Money;
}

const EU = new Set(["AT", "BE", "DE", "DK", "ES", "FI", "FR", "IT", "LU", "NL", "PT", "SE"]);

const BANDS: Readonly<Record<Zone, readonly Band[]>> = {
  home: [
    { upToGrams: 500, cost: money(390) },
    { upToGrams: 5_000, cost: money(590) },
    { upToGrams: 30_000, cost: money(990) },
  ],
  eu: [
    { upToGrams: 500, cost: money(890) },
    { upToGrams: 5_000, cost: money(1390) },
    { upToGrams: 20_000, cost: money(2490) },
  ],
  world: [
    { upToGrams: 500, cost: money(1490) },
    { upToGrams: 5_000, cost: money(3490) },
  ],
};

/** Orders within the country ship free from here on, after discounts. */
export const FREE_SHIPPING_FROM = money(4_900);

export function zoneOf(country: string): Zone {
  if (country === "IE") return "home";
  return EU.has(country) ? "eu" : "world";
}

/** The cost of a parcel, or undefined when it is too heavy to be sent there in one piece. */
export function shippingCost(country: string, weightGrams: number, goods: Money): Money | undefined {
  const zone = zoneOf(country);
  const band = BANDS[zone].find(({ upToGrams }) => weightGrams <= upToGrams);
  if (!band) return undefined;
  const free = zone === "home" && goods.minor >= FREE_SHIPPING_FROM.minor;
  return free ? money(0) : band.cost;
}
