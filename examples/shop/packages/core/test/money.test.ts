import { describe, expect, it } from "vitest";

import { add, allocate, format, money, percentOf, roundHalfEven } from "../src/money.ts";

describe("roundHalfEven", () => {
  it.each([
    [0.5, 0],
    [1.5, 2],
    [2.5, 2],
    [2.51, 3],
    [-0.5, 0],
    [-1.5, -2],
  ])("rounds %d to %d", (value, rounded) => {
    expect(roundHalfEven(value) + 0).toBe(rounded);
  });
});

describe("allocate", () => {
  it("gives the cents that are left over to the largest remainders", () => {
    const parts = allocate(money(100), [1, 1, 1]);
    expect(parts.map((part) => part.minor)).toEqual([34, 33, 33]);
  });

  it("always adds up to the amount", () => {
    const parts = allocate(money(999), [3, 5, 11, 0, 2]);
    expect(parts.reduce((sum, part) => sum + part.minor, 0)).toBe(999);
  });

  it("gives nothing to anybody when there is no weight", () => {
    expect(allocate(money(100), [0, 0])).toEqual([money(0), money(0)]);
  });
});

describe("money", () => {
  it("refuses fractions of a cent", () => {
    expect(() => money(0.1)).toThrow(RangeError);
  });

  it("refuses to add two currencies", () => {
    expect(() => add(money(1, "EUR"), money(1, "GBP"))).toThrow(/EUR with GBP/);
  });

  it("takes a percentage and shows it", () => {
    expect(format(percentOf(money(1290), 10))).toBe("€1.29");
  });
});
