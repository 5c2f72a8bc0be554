import type { CartSnapshot, Order, OrderRequest, Quote } from "@kettle/core";

import type { components, operations } from "./schema";

type ProductPage = operations["listProducts"]["responses"][200];
type ErrorBody = components["schemas"]["Error"];

export interface ClientOptions {
  readonly fetch?: typeof fetch;
  readonly sleep?: (ms: number) => Promise<void>;
  readonly attempts?: number;
  readonly timeoutMs?: number;
}

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const RETRYABLE = new Set([408, 429, 502, 503, 504]);

/** Doubles from 200 ms up to 5 s; what the server asks for wins. */
export function retryDelay(attempt: number, response?: Response): number {
  const asked = Number(response?.headers.get("Retry-After"));
  if (Number.isFinite(asked) && asked > 0) return Math.min(asked * 1000, 30_000);
  return Math.min(200 * 2 ** attempt, 5_000);
}

export class ApiClient {
  readonly #origin: string;
  readonly #options: Required<ClientOptions>;

  constructor(origin: string, options: ClientOptions = {}) {
    this.#origin = origin;
    this.#options = {
      fetch: (input, init) => globalThis.fetch(input, init),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      attempts: 4,
      timeoutMs: 8_000,
      ...options,
    };
  }

  products(query = "", page = 1): Promise<ProductPage> {
    return this.#send("GET", `/api/products?${new URLSearchParams({ q: query, page: String(page) })}`);
  }

  quote(cart: CartSnapshot, country: string): Promise<Quote> {
    return this.#send("POST", "/api/quote", { ...cart, country });
  }

  /** One key for all attempts: the server answers a repeated order with the first one. */
  placeOrder(request: OrderRequest, key: string = crypto.randomUUID()): Promise<Order> {
    return this.#send("POST", "/api/orders", request, { "Idempotency-Key": key });
  }

  order(id: string): Promise<Order> {
    return this.#send("GET", `/api/orders/${encodeURIComponent(id)}`);
  }

  async #send<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const { attempts, sleep } = this.#options;
    for (let attempt = 0; ; attempt += 1) {
      const last = attempt + 1 >= attempts;
      let response: Response | undefined;
      try {
        response = await this.#once(method, path, body, headers);
      } catch (error) {
        if (last) throw error;
      }
      if (response?.ok) return (await response.json()) as T;
      if (response && (last || !RETRYABLE.has(response.status))) throw await toError(response);
      await sleep(retryDelay(attempt, response));
    }
  }

  #once(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
    return this.#options.fetch(this.#origin + path, {
      method,
      headers: { Accept: "application/json", "Content-Type": "application/json", ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(this.#options.timeoutMs),
    });
  }
}

async function toError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as ErrorBody | null;
  const { code = "unknown", message = response.statusText } = body?.error ?? {};
  return new ApiError(response.status, code, message);
}
