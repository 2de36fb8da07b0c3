import { reasonText, refusalText } from "../operations/words/refusals.ts";
import type { LeftSpend } from "./adopt_spends.ts";
import type { RecoveredAddress } from "./recover_addresses.ts";

export function leftSpendShape(row: LeftSpend) {
  return {
    network: row.network,
    tx_hash: row.txHash,
    from_address: row.sender,
    output: row.output,
    to_address: row.to,
    amount: row.amount,
    currency: row.currency,
    block_number: row.blockNumber,
    booked_as: null,
    state: null,
    withdrawal_id: null,
    sweep_id: null,
    reason: reasonText(row.reason),
  };
}

export function recoveredShape(row: RecoveredAddress) {
  return {
    account_id: row.accountId,
    network: row.network,
    address: row.address,
    key_index: row.keyIndex,
    holds: row.holds.map(({ currency, amount }) => ({ currency, amount: amount.toString() })),
    state: row.state,
    reason: row.reason && refusalText(row.reason),
  };
}
