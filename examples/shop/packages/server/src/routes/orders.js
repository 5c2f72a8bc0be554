"use strict";

const { NotFound, cancelOrder, confirmPayment, parseOrderRequest, placeOrder } = require("@kettle/core");

const { idempotent } = require("../middleware/idempotency");

function findOrder(store, id) {
  const order = store.get(id);
  if (!order) throw new NotFound("order", id);
  return order;
}

module.exports = function mountOrders(router, { shop, store, clock }) {
  router.post("/orders", idempotent({ clock }), (req, res) => {
    const request = parseOrderRequest(req.body);
    const order = placeOrder(shop, request, clock());
    store.save(order);
    res.status(201).location(`/api/orders/${order.id}`).json(order);
  });

  router.get("/orders/:id", (req, res) => {
    res.json(findOrder(store, req.params.id));
  });

  router.get("/orders", (req, res) => {
    const email = String(req.query.email ?? "");
    res.json({ orders: email ? store.byEmail(email) : [] });
  });

  router.post("/orders/:id/cancel", (req, res) => {
    const order = findOrder(store, req.params.id);
    res.json(store.save(cancelOrder(shop, order, clock())));
  });

  router.post("/orders/:id/payment", (req, res) => {
    const order = findOrder(store, req.params.id);
    const settled = store.save(confirmPayment(shop, order, clock()));
    res.status(settled.status === "paid" ? 200 : 409).json(settled);
  });
};
