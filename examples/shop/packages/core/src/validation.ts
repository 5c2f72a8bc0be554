import { MAX_QUANTITY } from "./cart.ts";
import { ValidationError, type Issue } from "./errors.ts";
import type { Address, OrderRequest } from "./orders.ts";

type Fields = Record<string, unknown>;

const ADDRESS_FIELDS = ["name", "street", "city", "postcode", "country"] as const satisfies readonly (keyof Address)[];

/** Good enough to catch a slip of the finger; the confirmation mail is the real check. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readText(fields: Fields, key: string, path: string, issues: Issue[]): string {
  const value = fields[key];
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  issues.push({ path: `${path}${key}`, message: "is missing" });
  return "";
}

function readItems(value: unknown, issues: Issue[]): Record<string, number> {
  if (!isFields(value)) {
    issues.push({ path: "cart.items", message: "must map SKUs to quantities" });
    return {};
  }
  const items: Record<string, number> = {};
  for (const [sku, quantity] of Object.entries(value)) {
    if (typeof quantity === "number" && Number.isInteger(quantity) && quantity >= 1 && quantity <= MAX_QUANTITY) {
      items[sku] = quantity;
    } else {
      issues.push({ path: `cart.items.${sku}`, message: `must be a whole number from 1 to ${MAX_QUANTITY}` });
    }
  }
  return items;
}

function readAddress(value: unknown, issues: Issue[]): Address {
  const fields = isFields(value) ? value : {};
  const read = (key: keyof Address): string => readText(fields, key, "address.", issues);
  const [name, street, city, postcode, country] = ADDRESS_FIELDS.map(read) as [string, string, string, string, string];
  if (country !== "" && !/^[A-Z]{2}$/.test(country)) {
    issues.push({ path: "address.country", message: "must be a country code of two letters" });
  }
  return { name, street, city, postcode, country };
}

/** Turns a request's body into an order request, or throws with everything that is wrong with it at once. */
export function parseOrderRequest(body: unknown): OrderRequest {
  const issues: Issue[] = [];
  const fields = isFields(body) ? body : {};
  const cart = isFields(fields.cart) ? fields.cart : {};

  const items = readItems(cart.items, issues);
  const codes = Array.isArray(cart.codes) ? cart.codes.filter((code) => typeof code === "string") : [];
  const address = readAddress(fields.address, issues);
  const email = readText(fields, "email", "", issues);
  if (email !== "" && !EMAIL.test(email)) issues.push({ path: "email", message: "is not an e-mail address" });

  if (issues.length > 0) throw new ValidationError(issues);
  return { cart: { items, codes }, address, email };
}
