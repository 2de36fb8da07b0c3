import { first } from "../../base/lists.ts";
import { NodeError } from "../faults.ts";
import type { Ask, Endpoint } from "./endpoint.ts";
import type { Pool } from "./endpoints.ts";
import type { Lane } from "./pace.ts";
import type { Named } from "./protocol.ts";

interface Reading<N extends Named, T> {
  readonly endpoint: Endpoint<N>;
  readonly value: T;
  /** Made once: readings are compared again with each one that comes. */
  readonly text: string;
}

interface Question<N extends Named, T> {
  readonly height: number;
  readonly ask: Ask<N, T>;
  readonly textOf: (value: T) => string;
  /** Of one that is asked alone. */
  readonly lane?: Lane;
  /** Of all that have answered, which agree with the quorum. */
  readonly onAgreed?: (endpoint: Endpoint<N>, agrees: boolean) => void;
}

/** What one endpoint answers; with a quorum, what that many answer independently. */
export async function readAgreed<N extends Named, T>(
  pool: Pool<N>,
  { height, ask, textOf, lane = "urgent", onAgreed }: Question<N, T>,
): Promise<T> {
  const { quorum } = pool;
  if (quorum === 1) return await pool.read(ask, { height, lane });
  const { values: readings, errors } = await pool.several(
    async (node, endpoint): Promise<Reading<N, T>> => {
      const value = await ask(node);
      return { endpoint, value, text: textOf(value) };
    },
    { height, missing: (readings) => quorum - mostAlike(readings).length },
  );
  const alike = mostAlike(readings);
  if (alike.length >= quorum) {
    const { value, text } = first(alike);
    for (const reading of readings) onAgreed?.(reading.endpoint, reading.text === text);
    return value;
  }
  const reasons = errors.map((error) => `; ${error.message}`).join("");
  const text = `${quorum} endpoints must agree about block ${height}, ${alike.length} do${reasons}`;
  throw new NodeError(text, { cause: errors });
}

function mostAlike<R extends { readonly text: string }>(readings: readonly R[]): readonly R[] {
  const sides = [...Map.groupBy(readings, ({ text }) => text).values()];
  return sides.toSorted((a, b) => b.length - a.length)[0] ?? [];
}
