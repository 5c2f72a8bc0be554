import { ApiClient, ApiError, retryDelay } from "@web/api/client";
import { describe, expect, it, vi } from "vitest";

const CART = { items: { TEA: 1 }, codes: [] };

function answer(status: number, body: unknown = {}, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

function clientWith(...answers: (Response | Error)[]) {
  const fetch = vi.fn<typeof globalThis.fetch>();
  for (const next of answers) {
    if (next instanceof Error) fetch.mockRejectedValueOnce(next);
    else fetch.mockResolvedValueOnce(next);
  }
  const sleep = vi.fn(async (_ms: number) => {});
  return { client: new ApiClient("https://shop.example.com", { fetch, sleep }), fetch, sleep };
}

describe("ApiClient", () => {
  it("tries again when the server is busy, for as long as it is asked to wait", async () => {
    const { client, sleep } = clientWith(answer(503, {}, { "Retry-After": "2" }), answer(200, { total: {} }));
    await client.quote(CART, "IE");
    expect(sleep).toHaveBeenCalledExactlyOnceWith(2000);
  });

  it("does not try again when the request itself is wrong", async () => {
    const { client, fetch } = clientWith(answer(409, { error: { code: "out_of_stock", message: "Only 1 left" } }));
    await expect(client.quote(CART, "IE")).rejects.toThrow(new ApiError(409, "out_of_stock", "Only 1 left"));
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it("sends one key with every attempt to place an order", async () => {
    const { client, fetch } = clientWith(new TypeError("network"), answer(201, { id: "order-1" }));
    await client.placeOrder({ cart: CART } as never);
    const keys = fetch.mock.calls.map(([, init]) => new Headers(init?.headers).get("Idempotency-Key"));
    expect(keys[0]).toBeTruthy();
    expect(keys[0]).toBe(keys[1]);
  });

  it("gives up after four attempts", async () => {
    const { client, fetch } = clientWith(...Array.from({ length: 4 }, () => answer(502)));
    await expect(client.order("order-1")).rejects.toBeInstanceOf(ApiError);
    expect(fetch).toHaveBeenCalledTimes(4);
  });
});

describe("retryDelay", () => {
  it("doubles, but never waits longer than five seconds", () => {
    expect([0, 1, 2, 10].map((attempt) => retryDelay(attempt))).toEqual([200, 400, 800, 5000]);
  });
});
