import { withAdvice } from "../operations/words/advice.ts";
import type { AddressRow } from "./tables/addresses.ts";

function haltedReason({ haltedReason, haltedCode, network, address }: AddressRow): string | null {
  if (haltedReason === null || haltedCode === null) return haltedReason;
  return withAdvice(haltedReason, { code: "resume_wallet", network, address, halted: haltedCode });
}

export function walletShape(row: AddressRow) {
  return {
    network: row.network,
    account_id: row.accountId,
    purpose: row.purpose,
    address: row.address,
    halted_reason: haltedReason(row),
  };
}
