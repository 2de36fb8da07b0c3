import {
  TRANSACTION_STATUSES,
  type TransactionStatus,
} from "../../../domain/states/transaction_moves.ts";
import type { Db } from "../../engine/db.ts";
import { type TransactionRow, Transactions } from "../../tables/transactions.ts";
import { InvoicePayments } from "../../tables/checkout/invoices.ts";
import { type Condition, equal, type PageOf } from "../pages/page.ts";
import { type Listed, ofAssets, windowOf } from "./listed.ts";
import type { Source } from "./_branches.ts";
import { walk } from "./walk.ts";

interface DepositsAsked extends Listed {
  readonly status: TransactionStatus | null;
  /** To any of these. */
  readonly addressIds: readonly number[] | null;
  /** In any of these spellings, on any of these networks. */
  readonly hash: { readonly texts: readonly string[]; readonly networks: readonly string[] } | null;
  /** That they count for. */
  readonly invoiceId: number | null;
}

export async function depositsListed(
  db: Db,
  asked: DepositsAsked,
): Promise<PageOf<TransactionRow>> {
  const { spans, cursor, limit, invoiceId } = asked;
  const links = invoiceId === null ? null : await db.list(InvoicePayments, { invoiceId });
  const ids = links && links.map(({ transactionId }) => transactionId);
  return await walk(db, { table: Transactions, spans }, {
    ...ids ? waysToAny(ids, asked) : waysTo(asked),
    windows: windowOf("created_at_ms", asked),
    cursor,
    limit,
  });
}

/** An invoice has few enough for a look-up of each. */
function waysToAny(
  ids: readonly number[],
  { accountId, status, addressIds, hash, assets, isAssetChosen }: DepositsAsked,
): { sources: Source[]; filters: Condition[] } {
  const within = (column: string, values: readonly (string | number)[] | undefined): Condition[] =>
    values ? [[`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values)]] : [];
  return {
    sources: [{ columns: ["id"], values: ids.map((id) => [id]) }],
    filters: [
      ...equal({ account_id: accountId, direction: "deposit", status }),
      ...isAssetChosen ? [ofAssets(assets)] : [],
      ...within("address_id", addressIds ?? undefined),
      ...within("tx_hash", hash?.texts),
    ],
  };
}

function waysTo(asked: DepositsAsked): { sources: Source[]; filters: Condition[] } {
  const { accountId, status, addressIds, hash, assets, isAssetChosen } = asked;
  const direction = "deposit";
  const others: Condition[] = [
    ...equal({ account_id: accountId, direction, status }),
    ...isAssetChosen ? [ofAssets(assets)] : [],
  ];
  if (hash) {
    const values = hash.networks.flatMap((network) => hash.texts.map((text) => [network, text]));
    const within: Condition[] = addressIds
      ? [["address_id IN (SELECT value FROM json_each(?))", JSON.stringify(addressIds)]]
      : [];
    return {
      sources: [{ index: "transactions_movement", columns: ["network", "tx_hash"], values }],
      filters: [...others, ...within],
    };
  }
  if (addressIds) {
    const columns = ["address_id"];
    const values = addressIds.map((id) => [id]);
    return {
      sources: [{ index: "transactions_address_newest", columns, values }],
      filters: others,
    };
  }
  if (status === null && !isAssetChosen) {
    const columns = ["account_id", "direction"];
    const values = [[accountId, direction]];
    return {
      sources: [{ index: "transactions_account_direction", columns, values }],
      filters: [],
    };
  }
  const statuses = status === null ? TRANSACTION_STATUSES : [status];
  return {
    sources: [{
      index: "transactions_kind",
      columns: ["account_id", "direction", "status", "network", "currency"],
      values: statuses.flatMap((one) =>
        assets.map(({ network, symbol }) => [accountId, direction, one, network, symbol])
      ),
    }],
    filters: [],
  };
}
