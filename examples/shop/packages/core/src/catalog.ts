import { NotFound } from "./errors.ts";
import type { Money } from "./money.ts";

/** Tea and coffee are taxed as food; pots, cups and gift cards are not. */
export type TaxClass = "food" | "standard";

export interface Product {
  readonly sku: string;
  readonly title: string;
  readonly price: Money;
  readonly weightGrams: number;
  readonly taxClass: TaxClass;
  readonly tags: readonly string[];
}

export class Catalog {
  readonly #bySku: ReadonlyMap<string, Product>;

  constructor(products: Iterable<Product>) {
    const bySku = new Map<string, Product>();
    for (const product of products) {
      if (bySku.has(product.sku)) throw new Error(`Two products share the SKU ${product.sku}`);
      bySku.set(product.sku, product);
    }
    this.#bySku = bySku;
  }

  get size(): number {
    return this.#bySku.size;
  }

  find(sku: string): Product | undefined {
    return this.#bySku.get(sku);
  }

  require(sku: string): Product {
    const product = this.find(sku);
    if (!product) throw new NotFound("product", sku);
    return product;
  }

  /** Products whose title or tags hold every word of the query, cheapest first. */
  search(query: string): Product[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (product: Product): boolean => {
      const text = [product.title, ...product.tags].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    };
    return [...this.#bySku.values()].filter(matches).sort((a, b) => a.price.minor - b.price.minor);
  }
}
