import type { DemoWallet } from "../../invoices/rules/demo_wallet.ts";
import type { Beside } from "./beside.ts";
import type { DemoChain } from "./chain.ts";
import { transferCall } from "./token.ts";

/** Pays from the chain's own account. */
export function walletOf(chain: DemoChain, beside: readonly Beside[]): DemoWallet {
  return {
    pay: async (payment) => {
      const other = beside.find(({ code }) => code === payment.network);
      if (other) return await other.pay(payment);
      const { contract, address, raw } = payment;
      await chain.pay(
        contract === null
          ? { to: address, valueRaw: raw }
          : { to: contract, data: transferCall({ to: address, amountRaw: raw }) },
      );
    },
  };
}
