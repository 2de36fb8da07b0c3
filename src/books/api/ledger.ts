import { z } from "zod";
import { type EntryOrigin, entryOrigins } from "../../accounts/entry_origins.ts";
import { genuine } from "../tampered.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { LEDGER_KINDS } from "../../domain/money/balance.ts";
import { changedValue, changeOf } from "../rules/statement.ts";
import { isoUtc } from "../../domain/time.ts";
import { LEDGER } from "../list.ts";
import { LedgerEntries, type LedgerEntryRow } from "../table.ts";
import { listed } from "../../http/lists/listed.ts";
import * as wire from "../../domain/wire.ts";

const LedgerEntry = z.object({
  id: wire.Id,
  network: wire.Network,
  currency: wire.Currency,
  kind: z.enum(LEDGER_KINDS).meta({
    description:
      "`credit`: a deposit was confirmed; `reversal`: it vanished later. `hold`: a withdrawal was accepted; `release`: it failed or was cancelled; `debit`: it was confirmed. `adjust`: an operator's entry.",
  }),
  amount: wire.Amount.describe("How `balance` changed."),
  held_amount: wire.Amount.describe("How `held` changed."),
  balance_after: wire.Amount,
  held_after: wire.Amount,
  transaction_id: wire.Id.nullable().meta({ description: "The deposit that caused it, if any." }),
  withdrawal_id: wire.Id.nullable().meta({ description: "The withdrawal that caused it, if any." }),
  note: z.string().nullable().meta({ description: "The operator's comment." }),
  created_at: wire.Time,
  value: wire.Amount.nullable().meta({
    description:
      "What `amount` was worth then in the account's reporting currency. Null if it had none, or if there was no rate.",
  }),
  held_value: wire.Amount.nullable().meta({ description: "What `held_amount` was worth then." }),
  value_currency: z.string().nullable().meta({ description: "The currency of both values." }),
  client_reference: z.string().nullable().meta({
    description: "The withdrawal's, or the `reference` of the invoice that was paid.",
  }),
  invoice_id: wire.Id.nullable().meta({ description: "The invoice that was paid or refunded." }),
  tx_hash: wire.TxHash.nullable().meta({
    description: "The transaction on the chain; a withdrawal's as it is now.",
  }),
}).meta({ id: "LedgerEntry" });

export const listLedger = listed({
  of: LEDGER,
  path: "/v1/ledger",
  operationId: "listLedger",
  permission: "read_balance",
  tag: "Account",
  summary: "List ledger entries",
  description:
    "Every entry that changed a balance or its held part, newest first. For each currency, the amounts add up to `balance`, and the held amounts to `held`.",
  data: LedgerEntry,
  refusals: [],
  example: {
    query: { network: "ETH", currency: "USDT", from: "2026-01-31" },
    data: {
      id: 96,
      network: "ETH",
      currency: "USDT",
      kind: "debit",
      amount: "-21.1",
      held_amount: "-21.1",
      balance_after: "79.4",
      held_after: "0",
      transaction_id: null,
      withdrawal_id: 42,
      note: null,
      created_at: "2026-01-31T12:02:37+00:00",
      value: "-19.5175",
      held_value: "-19.5175",
      value_currency: "EUR",
      client_reference: "order-7",
      invoice_id: null,
      tx_hash: "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
    },
  },
  entries: async (deps, rows) => {
    const entries = await genuine(deps, LedgerEntries, rows);
    const origins = await entryOrigins(deps, entries);
    return entries.map((row, i) => ledgerEntry(row, origins[i]!));
  },
});

function ledgerEntry(row: LedgerEntryRow, origin: EntryOrigin): z.input<typeof LedgerEntry> {
  const { balance, held } = changeOf({
    kind: row.kind,
    amount: Amount.parse(row.amount, assetOf(row)),
  });
  const worth = changedValue(row);
  return {
    id: row.id,
    network: row.network,
    currency: row.currency,
    kind: row.kind,
    amount: balance.toString(),
    held_amount: held.toString(),
    balance_after: row.balanceAfter,
    held_after: row.heldAfter,
    transaction_id: row.transactionId,
    withdrawal_id: row.withdrawalId,
    note: row.note,
    created_at: isoUtc(row.createdAtMs),
    value: worth.value,
    held_value: worth.held,
    value_currency: worth.currency,
    client_reference: origin.reference,
    invoice_id: origin.invoiceId,
    tx_hash: origin.txHash,
  };
}
