import { z } from "zod";
import { genuine } from "../../actions/books/tampered.ts";
import { TRANSACTION_STATUSES } from "../../domain/states/transaction_moves.ts";
import { depositsListed } from "../../store/reads/lists/deposits.ts";
import { usersOf } from "../../store/reads/pages/deposits.ts";
import { topHeights } from "../../store/reads/pages/transactions.ts";
import { type TransactionRow, Transactions } from "../../store/tables/transactions.ts";
import { list } from "../lists/list.ts";
import * as fields from "../lists/fields.ts";
import { addressIdsFor, FILTERS, listedFor } from "../lists/listed_for.ts";
import * as wire from "../wire.ts";
import { ListedDeposit, listedDeposit, readDepositRequest } from "./deposits.ts";

const Deposit = z.object({
  id: wire.Id,
  request_id: wire.Id.nullable().meta({
    description: "Null if no request asked for this currency at this address.",
  }),
  address: z.string(),
  user_identifier: z.string().nullable().meta({ description: "Null for addresses from the pool." }),
  network: wire.Network,
  currency: wire.Currency,
  from_address: z.string(),
  ...ListedDeposit.shape,
  below_minimum: z.boolean().meta({
    description: "Credited, but less than the currency's minimum.",
  }),
}).meta({ id: "Deposit" });

export const listDeposits = list({
  path: "/v1/deposits",
  operationId: "listDeposits",
  permission: "read_deposit_status",
  tag: "Deposits",
  summary: "List deposits",
  description:
    "All payments to the account's addresses, newest first. `from` and `until` refer to `detected_at`.",
  query: z.object({
    status: fields.oneOf(TRANSACTION_STATUSES),
    user_identifier: fields.userIdentifier,
    address: fields.address,
    ...FILTERS,
    tx_hash: fields.txHash,
    invoice_id: fields.invoiceId,
  }),
  data: Deposit,
  refusals: [],
  example: {
    query: { user_identifier: "customer-7" },
    data: {
      id: 4711,
      ...exampleRequest(),
      from_address: "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
      tx_hash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
      amount_decimal: "25",
      confirmations: 14,
      status: "confirmed",
      block_number: 24312001,
      detected_at: "2026-01-31T12:04:11+00:00",
      confirmed_at: "2026-01-31T12:06:35+00:00",
      below_minimum: false,
    },
  },
  page: async (deps, { query, ...asked }) => {
    const { db, catalog } = deps;
    const { status, tx_hash: hash, address, user_identifier: user } = query;
    const { accountId } = asked;
    const { networks } = await catalog.current();
    const found = await depositsListed(db, {
      ...await listedFor(deps, { ...asked, ...query }),
      status: status ?? null,
      addressIds: await addressIdsFor(deps, { accountId, address, user }),
      invoiceId: query.invoice_id ?? null,
      hash: hash === undefined
        ? null
        : { texts: spellingsOf(hash), networks: networks.map(({ code }) => code) },
    });
    const rows = await genuine(deps, Transactions, found.rows);
    const [users, heights] = await Promise.all([usersOf(db, rows), topHeights(db)]);
    return {
      rows: rows.map((row) =>
        depositEntry(row, {
          user: users.get(row.addressId ?? 0) ?? null,
          topHeight: heights.get(row.network) ?? 0,
        })
      ),
      next: found.next,
    };
  },
});

function exampleRequest() {
  const { request_id, address, user_identifier, network, currency } = readDepositRequest.example
    .data as Record<string, unknown>;
  return { request_id, address, user_identifier, network, currency };
}

function depositEntry(
  row: TransactionRow,
  { user, topHeight }: { user: string | null; topHeight: number },
): z.input<typeof Deposit> {
  return {
    id: row.id,
    request_id: row.depositRequestId,
    address: row.toAddress,
    user_identifier: user,
    network: row.network,
    currency: row.currency,
    from_address: row.fromAddress,
    ...listedDeposit(row, topHeight),
    below_minimum: row.isBelowMinimum,
  };
}

function spellingsOf(hash: string): string[] {
  const digits = hash.toLowerCase().slice(-64);
  return [`0x${digits}`, digits];
}
