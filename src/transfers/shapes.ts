import type { GasWithdrawn } from "./withdraw_gas.ts";
import type { Signed, SignedPaymentRow } from "./table.ts";

/** One for each of its orders. */
export function transferShapes({ tx, payments }: Signed) {
  return payments.length === 0 ? [shapeOf(tx)] : payments.map((payment) => shapeOf(tx, payment));
}

function shapeOf(tx: Signed["tx"], payment?: SignedPaymentRow) {
  return {
    network: tx.network,
    tx_hash: tx.txHash,
    from_address: payment?.fromAddress ?? tx.sender,
    output: null,
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

export function gasWithdrawnShape({ txHash, ...withdrawn }: GasWithdrawn) {
  return { ...withdrawn, tx_hash: txHash };
}
