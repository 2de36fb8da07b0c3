import { receivingAddress } from "./manage_accounts.ts";
import { ReceivingWallets } from "./tables/accounts.ts";
import { findNetwork } from "../books/find.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { looksLike } from "../chains/any_address.ts";
import { walletsOf } from "../wallets/reads/addresses.ts";

export interface ReceivingPlan {
  readonly network: NetworkRow;
  /** As it will be stored, with its checksum. */
  readonly address: string;
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
  return { network, address, before, lookAlikes };
}
