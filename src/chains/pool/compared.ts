import { at } from "../../base/lists.ts";
import { NodeError } from "../faults.ts";
import type { Pool } from "./endpoints.ts";
import type { Named } from "./protocol.ts";

/** The answers of all endpoints that answer soon, for values that no single one may decide. */
export async function askAll<N extends Named, T>(
  pool: Pool<N>,
  ask: (node: N) => Promise<T>,
): Promise<readonly T[]> {
  if (pool.endpoints.length === 1) return [await pool.read(ask)];
  const answers = await pool.survey(ask).catch((error) => {
    if (!(error instanceof NodeError)) throw error;
    return [];
  });
  const counted = answers.filter(({ endpoint }) => !pool.isContradicted(endpoint));
  return counted.length > 0 ? counted.map(({ value }) => value) : [await pool.read(ask)];
}

/** Of two values the lower one: a lie then only delays the payment. */
export function lowerMedian(values: readonly bigint[]): bigint {
  return at(sorted(values), (values.length - 1) >> 1);
}

/** For charges that a signature can't limit: of two values the higher one. */
export function upperMedian(values: readonly bigint[]): bigint {
  return at(sorted(values), values.length >> 1);
}

function sorted(values: readonly bigint[]): bigint[] {
  return values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
