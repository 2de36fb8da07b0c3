import type { DemoWallet } from "../../invoices/rules/demo_wallet.ts";
import type { DemoChain } from "./chain.ts";
import { transferCall } from "./token.ts";
import type { DemoTron } from "./tron.ts";

/** Pays from the chain's own account. */
export function walletOf(chain: DemoChain, tron: DemoTron | undefined): DemoWallet {
  return {
    pay: async (payment) => {
      if (tron?.code === payment.network) return tron.pay(payment);
      const { contract, address, raw } = payment;
      await chain.pay(
        contract === null
          ? { to: address, valueRaw: raw }
          : { to: contract, data: transferCall({ to: address, amountRaw: raw }) },
      );
    },
  };
}
