"use strict";

const { randomUUID } = require("node:crypto");

const { Catalog, Inventory, money } = require("@kettle/core");

const product = (sku, title, cents, weightGrams, taxClass, ...tags) => ({
  sku,
  title,
  price: money(cents),
  weightGrams,
  taxClass,
  tags,
});

const PRODUCTS = [
  product("TEA-ASSAM-250", "Assam Mangalam, loose leaf", 1290, 280, "food", "tea", "black"),
  product("TEA-SENCHA-100", "Sencha Yame, loose leaf", 1490, 120, "food", "tea", "green"),
  product("TEA-ROOIBOS-250", "Rooibos, organic", 890, 280, "food", "tea", "herbal", "organic"),
  product("POT-GLASS-12", "Glass teapot, 1.2 l", 3490, 900, "standard", "pot", "glass"),
  product("POT-IRON-08", "Cast iron teapot, 0.8 l", 7900, 2100, "standard", "pot", "iron"),
  product("CUP-STONE-02", "Stoneware cup, pair", 2200, 700, "standard", "cup"),
];

const DISCOUNTS = [
  { kind: "percent", code: "LEAF10", percent: 10, tag: "tea" },
  { kind: "amount", code: "WELCOME5", amount: money(500), minimum: money(2_500) },
  { kind: "shipping", code: "SHIPFREE", expires: new Date("2030-01-01T00:00:00Z") },
];

/** A shop with the goods of the house, enough of each for an afternoon. */
function loadShop() {
  return {
    catalog: new Catalog(PRODUCTS),
    discounts: DISCOUNTS,
    inventory: new Inventory(PRODUCTS.map(({ sku }) => [sku, 40])),
    nextId: () => randomUUID(),
  };
}

module.exports = { DISCOUNTS, PRODUCTS, loadShop };
