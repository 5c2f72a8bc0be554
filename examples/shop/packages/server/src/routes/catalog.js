"use strict";

const { Cart, quoteCart } = require("@kettle/core");

const PAGE_SIZE = 24;

/** What the web front shows of a product: stock is told apart only as long as it is short. */
function present(product, available) {
  return {
    sku: product.sku,
    title: product.title,
    price: product.price,
    tags: product.tags,
    availability: available <= 0 ? "sold_out" : available < 5 ? "few_left" : "in_stock",
  };
}

module.exports = function mountCatalog(router, { shop, clock }) {
  router.get("/products", (req, res) => {
    const query = String(req.query.q ?? "");
    const page = Math.max(1, Number.parseInt(req.query.page, 10) || 1);
    const found = shop.catalog.search(query);
    const start = (page - 1) * PAGE_SIZE;
    const now = clock();
    res.json({
      total: found.length,
      products: found
        .slice(start, start + PAGE_SIZE)
        .map((product) => present(product, shop.inventory.available(product.sku, now))),
    });
  });

  router.get("/products/:sku", (req, res) => {
    const product = shop.catalog.require(req.params.sku);
    res.json(present(product, shop.inventory.available(product.sku, clock())));
  });

  router.post("/quote", (req, res) => {
    const { items = {}, codes = [], country = "IE" } = req.body ?? {};
    const cart = Cart.restore({ items, codes });
    res.json(quoteCart(cart, { ...shop, country, now: clock() }));
  });
};
