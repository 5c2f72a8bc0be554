import { Catalog, money, type Discount } from "../src/index.ts";

export const NOON = new Date("2026-03-02T12:00:00Z");

export const catalog = new Catalog([
  { sku: "TEA", title: "Assam", price: money(1000), weightGrams: 280, taxClass: "food", tags: ["tea"] },
  { sku: "POT", title: "Glass teapot", price: money(3500), weightGrams: 900, taxClass: "standard", tags: ["pot"] },
]);

export const discounts: readonly Discount[] = [
  { kind: "percent", code: "LEAF10", percent: 10, tag: "tea" },
  { kind: "amount", code: "WELCOME5", amount: money(500), minimum: money(2500) },
  { kind: "shipping", code: "SHIPFREE", expires: new Date("2026-01-01T00:00:00Z") },
];
