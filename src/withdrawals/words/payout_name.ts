import type { PayeeNames, Recipient } from "../../payees/names.ts";

/** To whom, or else what for. */
export function payoutName(
  row: Recipient & { readonly clientReference: string | null },
  nameOf: PayeeNames,
): string {
  return nameOf(row) ?? row.clientReference ?? shortAddress(row.toAddress);
}

function shortAddress(text: string): string {
  return `${text.slice(0, 8)}…${text.slice(-6)}`;
}
