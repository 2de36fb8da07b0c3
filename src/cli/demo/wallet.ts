import type { DemoWallet } from "../../domain/invoices/demo_wallet.ts";
import type { DemoChain } from "./chain.ts";
import { transferCall } from "./token.ts";

/** Pays from the chain's own account. */
export function walletOf(chain: DemoChain): DemoWallet {
  return {
    pay: async ({ contract, address, raw }) => {
      await chain.send(
        contract === null
          ? { to: address, valueRaw: raw }
          : { to: contract, data: transferCall({ to: address, amountRaw: raw }) },
      );
    },
  };
}
