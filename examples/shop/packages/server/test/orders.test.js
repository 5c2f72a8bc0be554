"use strict";

const assert = require("node:assert/strict");
const { after, before, describe, it } = require("node:test");

const { createApp } = require("../src/app");
const { loadShop } = require("../src/seed");

const ORDER = {
  cart: { items: { "TEA-ASSAM-250": 2 }, codes: ["leaf10"] },
  address: { name: "A. Reader", street: "Quay 1", city: "Cork", postcode: "T12", country: "IE" },
  email: "reader@example.com",
};

describe("POST /api/orders", () => {
  let server;
  let origin;

  before(async () => {
    server = createApp(loadShop()).listen(0);
    await new Promise((resolve) => server.once("listening", resolve));
    origin = `http://localhost:${server.address().port}`;
  });

  after(() => server.close());

  async function post(path, body, headers = {}) {
    const response = await fetch(`${origin}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  it("places an order and takes the discount off", async () => {
    const { status, body } = await post("/api/orders", ORDER);
    assert.equal(status, 201);
    assert.equal(body.quote.discount.minor, 258);
    assert.equal(body.status, "placed");
  });

  it("names everything that is wrong at once", async () => {
    const { status, body } = await post("/api/orders", { ...ORDER, address: {}, email: "reader" });
    assert.equal(status, 400);
    assert.ok(body.error.issues.length >= 6);
  });

  it("answers a repeated request with the first order", async () => {
    const key = { "Idempotency-Key": "checkout-1" };
    const first = await post("/api/orders", ORDER, key);
    const second = await post("/api/orders", ORDER, key);
    assert.equal(second.body.id, first.body.id);
    assert.equal(second.headers.get("idempotent-replay"), "true");
  });

  it("refuses to cancel an order that is paid", async () => {
    const { body: order } = await post("/api/orders", ORDER);
    await post(`/api/orders/${order.id}/payment`, {});
    const { status, body } = await post(`/api/orders/${order.id}/cancel`, {});
    assert.equal(status, 409);
    assert.equal(body.error.code, "invalid_transition");
  });
});
