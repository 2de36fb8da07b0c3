import { receivingAddress } from "./manage_accounts.ts";
import { ReceivingWallets } from "./tables/accounts.ts";
import { keyIn } from "./receiver.ts";
import type { ExtendedKey } from "../chains/extended_key.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { Xpubs } from "../wallets/tables/xpubs.ts";
import { findNetwork } from "../books/find.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { looksLike } from "../chains/any_address.ts";
import { walletsOf } from "../wallets/reads/addresses.ts";

export interface ReceivingPlan {
  readonly network: NetworkRow;
  /** As it will be stored, with its checksum: an address, or an extended key. */
  readonly address: string;
  /** To compare with what the wallet of that key shows; null for an address. */
  readonly firstAddress: string | null;
  readonly before: string | null;
  /** Other addresses with the same beginning and end: somebody may have slipped one in. */
  readonly lookAlikes: readonly string[];
}

/** The preview before a receiving wallet is set. It refuses what setting it would refuse. */
export async function planReceivingWallet(
  deps: Deps,
  order: { accountId: number; network: string; address: string },
): Promise<ReceivingPlan> {
  const { accountId } = order;
  const network = await findNetwork(deps, order.network);
  const address = await receivingAddress(deps, network, order.address);
  const [set, own] = await Promise.all([
    deps.db.list(ReceivingWallets, { accountId }),
    walletsOf(deps.db, accountId),
  ]);
  const known = [...set, ...own].map((row) => row.address);
  const lookAlikes = [...new Set(known)].filter((other) => looksLike(other, address));
  const before = set.find((row) => row.network === network.code)?.address ?? null;
  const key = keyIn(network, address);
  if (key) await mustBeOwn(deps, { key, accountId });
  const firstAddress = key?.addressAt(0) ?? null;
  return { network, address, firstAddress, before, lookAlikes: key ? [] : lookAlikes };
}

async function mustBeOwn(
  { db }: Deps,
  { key, accountId }: { key: ExtendedKey; accountId: number },
): Promise<void> {
  const known = await db.find(Xpubs, [key.id], "key");
  if (known && known.accountId !== accountId) throw refuse("xpub_taken", {});
}
