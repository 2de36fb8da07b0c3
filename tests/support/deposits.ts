import assert from "node:assert/strict";
import type { ApiClient } from "./api_client.ts";
import { eventually } from "./programs/eventually.ts";
import { depositsOf, type Listed } from "./views.ts";

/** For an account that gets one deposit. */
export async function onlyDeposit(api: ApiClient): Promise<Listed> {
  const rows = await depositsOf(api);
  assert.equal(rows.length, 1, JSON.stringify(rows));
  return rows[0]!;
}

export async function depositWith(
  api: ApiClient,
  expected: Partial<Listed>,
): Promise<Listed> {
  const names = Object.keys(expected) as (keyof Listed)[];
  const isIt = (row: Listed | undefined) => names.every((name) => row?.[name] === expected[name]);
  const [row] = await eventually(() => depositsOf(api), { until: ([row]) => isIt(row) });
  return row!;
}
