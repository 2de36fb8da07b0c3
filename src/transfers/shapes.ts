import type { SignedTransferRow } from "./table.ts";

export function transferShape(row: SignedTransferRow) {
  return {
    network: row.network,
    tx_hash: row.txHash,
    from_address: row.sender,
    to_address: row.toAddress,
    amount: null,
    currency: null,
    block_number: row.blockNumber,
    booked_as: row.purpose,
    state: row.state,
    withdrawal_id: row.withdrawalId,
    sweep_id: row.sweepId,
    reason: null,
  };
}
