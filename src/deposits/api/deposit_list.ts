import { z } from "zod";
import { genuine } from "../../books/tampered.ts";
import { DEPOSITS } from "../lists/transactions.ts";
import { usersOf } from "../reads/page.ts";
import { topHeights } from "../reads/transactions.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";
import { listed } from "../../http/lists/listed.ts";
import * as wire from "../../domain/wire.ts";
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

export const listDeposits = listed({
  of: DEPOSITS,
  path: "/v1/deposits",
  operationId: "listDeposits",
  permission: "read_deposit_status",
  tag: "Deposits",
  summary: "List deposits",
  description:
    "All payments to the account's addresses, newest first. `from` and `until` refer to `detected_at`.",
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
  entries: async (deps, found) => {
    const rows = await genuine(deps, Transactions, found);
    const [users, heights] = await Promise.all([usersOf(deps.db, rows), topHeights(deps.db)]);
    return rows.map((row) =>
      depositEntry(row, {
        user: users.get(row.addressId ?? 0) ?? null,
        topHeight: heights.get(row.network) ?? 0,
      })
    );
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
