import type { ChainPayer } from "../chain.ts";
import type { Pool } from "../pool/endpoints.ts";
import type { PayerOptions } from "./payer.ts";
import type { Rpc } from "./rpc.ts";

/** Paying needs viem, which would take a quarter of the time in which every command starts. */
export function payerWhenNeeded(pool: Pool<Rpc>, options: PayerOptions): ChainPayer {
  let loaded: Promise<ChainPayer> | undefined;
  const payer = () =>
    loaded ??= load(pool, options).catch((error) => {
      loaded = undefined;
      throw error;
    });
  return {
    paidLately: async () => await (await payer()).paidLately(),
    costNow: async (...asked) => await (await payer()).costNow(...asked),
    prepareTransfer: async (...asked) => await (await payer()).prepareTransfer(...asked),
    prepareDrain: async (...asked) => await (await payer()).prepareDrain(...asked),
    collector: {
      delegatesOf: async (asked) => await (await payer()).collector!.delegatesOf(asked),
      prepareBatch: async (...asked) => await (await payer()).collector!.prepareBatch(...asked),
      deployedBy: async (owner) => await (await payer()).collector!.deployedBy(owner),
      codeAt: async (addresses) => await (await payer()).collector!.codeAt(addresses),
      knowsDelegations: async (from) => await (await payer()).collector!.knowsDelegations(from),
      prepareDeployment: async (...asked) =>
        await (await payer()).collector!.prepareDeployment(...asked),
      prepareRelease: async (...asked) => await (await payer()).collector!.prepareRelease(...asked),
      prepareAgain: async (...asked) => await (await payer()).collector!.prepareAgain(...asked),
    },
    collect: async (...asked) => await (await payer()).collect(...asked),
    signTransfer: async (...asked) => await (await payer()).signTransfer(...asked),
    broadcast: async (raw) => await (await payer()).broadcast(raw),
    outcome: async (...asked) => await (await payer()).outcome(...asked),
    sentBytes: async (txHash) => await (await payer()).sentBytes(txHash),
  };
}

async function load(pool: Pool<Rpc>, options: PayerOptions): Promise<ChainPayer> {
  const { createPayer } = await import("./payer.ts");
  return createPayer(pool, options);
}
