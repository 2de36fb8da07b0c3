import assert from "node:assert/strict";
import { findNetwork } from "../../src/books/find.ts";
import { present } from "../../src/base/assert.ts";
import { first } from "../../src/base/lists.ts";
import type { GatherOrder } from "../../src/chains/gathering.ts";
import { priceFor } from "../../src/transfers/preflight.ts";
import { signerOf, signersOf } from "../../src/wallets/addresses.ts";
import { Addresses } from "../../src/wallets/tables/addresses.ts";
import type { BareWorld } from "./world.ts";

/** Bytes with our own keys that the books don't know: all of these outputs, in one to this address. */
export async function gatherElsewhere(
  { deps }: Pick<BareWorld, "deps">,
  { orders, to }: { orders: readonly GatherOrder[]; to: string },
): Promise<string> {
  const network = await findNetwork(deps, "LTC");
  const chain = deps.chains.of(network);
  const price = await priceFor(deps, { network, chain }, null);
  const gathered = await present(chain.gathering, "It has outputs").prepare(orders, { to, price });
  assert.ok(gathered.kind === "ready", gathered.kind);
  const rows = await Promise.all(
    orders.map(({ from }) => deps.db.get(Addresses, ["LTC", from], "address")),
  );
  const signer = signerOf(await deps.keyRing(), network, first(rows));
  const authorizers = await signersOf(deps, { network, rows });
  const { raw } = await chain.signTransfer(gathered.prepared, { nonce: 0, signer, authorizers });
  return raw;
}
