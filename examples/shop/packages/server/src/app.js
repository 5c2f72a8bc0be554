"use strict";

const express = require("express");

const { answerErrors, notFound } = require("./middleware/errors");
const { requestLog } = require("./middleware/request-log");
const mountCatalog = require("./routes/catalog");
const mountOrders = require("./routes/orders");
const { OrderStore } = require("./store");

/**
 * Builds the server around a shop. Nothing listens yet, so tests can start as many as they like.
 *
 * @param {import("@kettle/core").Shop} shop
 * @param {{ clock?: () => Date, store?: OrderStore, log?: (line: string) => void }} [options]
 */
function createApp(shop, options = {}) {
  const { clock = () => new Date(), store = new OrderStore(), log } = options;
  const app = express();
  app.disable("x-powered-by");
  app.use(express.json({ limit: "32kb" }));
  if (log) app.use(requestLog(log));

  app.get("/health", (req, res) => {
    res.json({ status: "ok", products: shop.catalog.size });
  });

  const api = express.Router();
  mountCatalog(api, { shop, clock });
  mountOrders(api, { shop, store, clock });
  app.use("/api", api);

  app.use(notFound);
  app.use(answerErrors);
  return app;
}

module.exports = { createApp };
