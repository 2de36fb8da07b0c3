import type { Signed } from "./table.ts";

export function transferShape({ tx, payments: [payment] }: Signed) {
  return {
    network: tx.network,
    tx_hash: tx.txHash,
    from_address: tx.sender,
    to_address: payment?.toAddress ?? "",
    amount: null,
    currency: null,
    block_number: tx.blockNumber,
    booked_as: payment?.purpose ?? (tx.isForeign ? "foreign" : "collector"),
    state: tx.state,
    withdrawal_id: payment?.withdrawalId ?? null,
    sweep_id: payment?.sweepId ?? null,
    reason: null,
  };
}
