/**
 * Generated from the server's OpenAPI description. Do not edit.
 * @generated
 */

export interface paths {
  "/api/products": { get: operations["listProducts"] };
  "/api/quote": { post: operations["quote"] };
  "/api/orders": { post: operations["placeOrder"] };
  "/api/orders/{id}": { get: operations["getOrder"] };
}

export interface components {
  schemas: {
    Money: { minor: number; currency: "EUR" | "GBP" | "USD" };
    Product: {
      sku: string;
      title: string;
      price: components["schemas"]["Money"];
      tags: string[];
      availability: "in_stock" | "few_left" | "sold_out";
    };
    QuoteRequest: { items: Record<string, number>; codes?: string[]; country?: string };
    Error: { error: { code: string; message: string; issues?: { path: string; message: string }[] } };
  };
}

export interface operations {
  listProducts: {
    parameters: { query?: { q?: string; page?: number } };
    responses: { 200: { total: number; products: components["schemas"]["Product"][] } };
  };
  quote: { requestBody: components["schemas"]["QuoteRequest"]; responses: { 200: unknown } };
  placeOrder: { requestBody: unknown; responses: { 201: unknown; 409: components["schemas"]["Error"] } };
  getOrder: { parameters: { path: { id: string } }; responses: { 200: unknown } };
}
