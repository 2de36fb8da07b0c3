import type { Deps } from "../deps/deps.ts";
import { Networks } from "../networks/table.ts";
import { xpubKeys } from "../wallets/addresses.ts";
import { Xpubs } from "../wallets/tables/xpubs.ts";
import { longestGap } from "./reads/gap.ts";
import { keyIn } from "./receiver.ts";
import type { ReceivingWalletRow } from "./tables/accounts.ts";

/** A receiving wallet with what only a look at the books says. */
export interface DescribedReceiver {
  readonly row: ReceivingWalletRow;
  /** Null: deposits are swept to an address. */
  readonly own: { readonly firstAddress: string; readonly gap: number } | null;
  /** What waits is a key. */
  readonly isNextKey: boolean;
}

export async function describeReceiver(
  { db }: Deps,
  row: ReceivingWalletRow,
): Promise<DescribedReceiver> {
  const network = await db.get(Networks, [row.network]);
  const key = keyIn(network, row.address);
  const isNextKey = row.nextAddress !== null && keyIn(network, row.nextAddress) !== undefined;
  if (!key) return { row, own: null, isNextKey };
  const xpub = await db.find(Xpubs, [key.id], "key");
  const gap = xpub ? await longestGap(db, xpubKeys(network, { xpub, key })) : 0;
  return { row, own: { firstAddress: key.addressAt(0), gap }, isNextKey };
}
