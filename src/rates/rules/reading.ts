interface Price {
  readonly value: string;
  readonly atMs: number;
}

/** What a source says: a price of some time, or why there is none. */
export type Reading = Price | { readonly fault: string };

/** A price of a time that its source gives. It can't be after ours: a clock is wrong, or it's a lie. */
export function dated(price: Price, nowMs: number): Reading {
  return price.atMs > nowMs ? { fault: "its price is from the future" } : price;
}

export function isPriced(reading: Reading): reading is Price {
  return "value" in reading;
}
