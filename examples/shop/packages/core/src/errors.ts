/** Failures that a customer can cause. Each has a code for machines and the HTTP status that the server answers with. */

export abstract class ShopError extends Error {
  abstract readonly code: string;
  abstract readonly status: number;

  override get name(): string {
    return this.constructor.name;
  }
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

export class ValidationError extends ShopError {
  readonly code = "invalid_request";
  readonly status = 400;
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues.map((issue) => `${issue.path}: ${issue.message}`).join("; "));
    this.issues = issues;
  }
}

export class NotFound extends ShopError {
  readonly code = "not_found";
  readonly status = 404;

  constructor(what: string, id: string) {
    super(`No ${what} with the id ${JSON.stringify(id)}`);
  }
}

export class OutOfStock extends ShopError {
  readonly code = "out_of_stock";
  readonly status = 409;
  readonly sku: string;
  readonly available: number;

  constructor(sku: string, available: number) {
    super(available > 0 ? `Only ${available} of ${sku} left` : `${sku} is out of stock`);
    this.sku = sku;
    this.available = available;
  }
}

export class InvalidTransition extends ShopError {
  readonly code = "invalid_transition";
  readonly status = 409;

  constructor(from: string, to: string) {
    super(`An order that is ${from} cannot become ${to}`);
  }
}
