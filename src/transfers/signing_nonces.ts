import { zip } from "../base/lists.ts";
import type { Chain } from "../chains/chain.ts";
import type { Db } from "../store/engine/db.ts";
import { nextBooked } from "./reads/places.ts";
import { UNBOOKED_NONCES_MAX } from "./rules/unbooked.ts";

/**
 * By address, the nonce that it may sign an authorization for. What is signed for a later one waits
 * with whoever sees it, until the address gets there, so one endpoint's word isn't enough: the
 * lowest counts, and only if the books explain it, or all agree and it is hardly ahead of them.
 */
export async function signingNonces(
  db: Db,
  { network, chain, addresses }: {
    network: string;
    chain: Chain;
    addresses: readonly string[];
  },
): Promise<ReadonlyMap<string, number>> {
  const said = await chain.nextNonces?.(addresses) ?? [];
  const nonces = await Promise.all(
    zip(addresses, said).map(async ([sender, nonce]) => {
      const { lowest, isAgreed } = nonce;
      const ahead = lowest - await nextBooked(db, { network, sender });
      const isSure = ahead <= (isAgreed ? UNBOOKED_NONCES_MAX : 0);
      return isSure ? [[sender, lowest] as const] : [];
    }),
  );
  return new Map(nonces.flat());
}
