import { first } from "../../base/lists.ts";
import { NodeError } from "../faults.ts";
import type { Ask } from "./endpoint.ts";
import type { Pool } from "./endpoints.ts";
import type { Named } from "./protocol.ts";

/** What one endpoint answers; with a quorum, what that many answer independently. */
export async function readAgreed<N extends Named, T>(
  pool: Pool<N>,
  { height, ask, textOf }: { height: number; ask: Ask<N, T>; textOf: (value: T) => string },
): Promise<T> {
  if (pool.quorum === 1) return await pool.read(ask, { height });
  const alike = (values: readonly T[]) =>
    [...Map.groupBy(values, textOf).values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
  const { values, errors } = await pool.several(ask, {
    height,
    missing: (answers) => pool.quorum - alike(answers).length,
  });
  const agreed = alike(values);
  if (agreed.length >= pool.quorum) return first(agreed);
  const reasons = errors.map((error) => `; ${error.message}`).join("");
  const text = `${pool.quorum} endpoints must agree about block ${height}, ` +
    `${agreed.length} do${reasons}`;
  throw new NodeError(text, { cause: errors });
}
