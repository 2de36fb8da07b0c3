import { refuse } from "../../domain/refusals/refuse.ts";
import type { Identity } from "../chain.ts";
import { allFailed } from "./asking/race.ts";
import type { Pool } from "./endpoints.ts";
import type { Named } from "./protocol.ts";
import { textOf } from "./shown_identity.ts";

/** An endpoint on another chain would credit money that doesn't exist here. */
export async function readIdentity<N extends Named>(pool: Pool<N>): Promise<Identity> {
  const answers = await pool.strangers(pool.protocol.identityOn);
  const known = answers.flatMap((answer) => answer.ok ? [answer] : []);
  const [first, ...others] = known;
  if (!first) throw allFailed(answers.flatMap((answer) => answer.ok ? [] : [answer.error]));
  const other = others.find(({ value }) => textOf(value) !== textOf(first.value));
  if (other) {
    const [one, another] = [first, other].map(({ host, value }) => `${host} on ${textOf(value)}`);
    throw refuse("nodes_on_different_chains", { one: one!, other: another! });
  }
  return first.value;
}
