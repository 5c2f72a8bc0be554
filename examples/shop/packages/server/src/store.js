"use strict";

/** Orders in memory, newest last. A database takes this place with the same four methods. */
class OrderStore {
  constructor() {
    this.orders = new Map();
  }

  get size() {
    return this.orders.size;
  }

  save(order) {
    this.orders.set(order.id, order);
    return order;
  }

  get(id) {
    return this.orders.get(id);
  }

  byEmail(email) {
    const wanted = email.toLowerCase();
    return [...this.orders.values()].filter((order) => order.email.toLowerCase() === wanted);
  }
}

module.exports.OrderStore = OrderStore;
