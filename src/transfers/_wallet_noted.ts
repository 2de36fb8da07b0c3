import type { AddressRow } from "../wallets/tables/addresses.ts";
import { reportTampered } from "../books/tampered.ts";
import { UnnotedPayment, unnotedPayment } from "../integrity/payment_noted.ts";
import type { Deps } from "../deps/deps.ts";

/** Checked before a wallet's first payment in this program: the log must contain its newest one. */
export async function checkWalletNoted(deps: Deps, wallet: AddressRow): Promise<void> {
  const { checkedWallets } = deps.memory;
  const key = `${wallet.network}/${wallet.address}`;
  if (checkedWallets.has(key)) return;
  const unnoted = await unnotedPayment(deps, wallet);
  if (unnoted) {
    const fault = new UnnotedPayment(unnoted, wallet.accountId);
    await reportTampered(deps, fault);
    throw fault;
  }
  checkedWallets.add(key);
}
