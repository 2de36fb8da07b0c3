import {
  OPEN_WITHDRAWAL_STATUSES,
  WITHDRAWAL_STATUSES,
  type WithdrawalStatus,
} from "../../../domain/states/withdrawal_moves.ts";
import type { Db } from "../../engine/db.ts";
import { Refunds } from "../../tables/checkout/refunds.ts";
import { ApiKeys } from "../../tables/setup.ts";
import { ENDED, type WithdrawalRow, Withdrawals } from "../../tables/withdrawals.ts";
import { type Condition, equal, type PageOf } from "../pages/page.ts";
import { type Listed, ofAssets, windowOf } from "./listed.ts";
import type { Table } from "../../tables/table.ts";
import type { Source } from "./_branches.ts";
import type { Turned } from "./order.ts";
import { walk } from "./walk.ts";

interface WithdrawalsAsked extends Listed, Turned {
  /** Only rows above this id. */
  readonly after?: number | undefined;
  readonly status: WithdrawalStatus | null;
  readonly recipient: Recipient | null;
  /** Whichever of the account's keys sent it. */
  readonly reference: string | null;
  /** That they refund. */
  readonly invoiceId?: number | null;
}

interface Recipient {
  readonly address: string;
  /** Withdrawals keep it as it was written. */
  readonly hasOneSpelling: boolean;
}

export function withdrawalsListed(db: Db, asked: WithdrawalsAsked): Promise<PageOf<WithdrawalRow>> {
  return withdrawalsIn(db, Withdrawals, asked);
}

/** With all or some of the columns. */
export async function withdrawalsIn<Row extends { readonly id: number }>(
  db: Db,
  table: Table<Row>,
  asked: WithdrawalsAsked,
): Promise<PageOf<Row>> {
  const { spans, cursor, limit, after, isOldestFirst, reference, invoiceId = null } = asked;
  const links = invoiceId === null ? null : await db.list(Refunds, { invoiceId });
  const ids = links && links.map(({ withdrawalId }) => withdrawalId);
  return await walk(db, { table, spans }, {
    ...ids
      ? waysToAny(ids, asked)
      : reference === null
      ? waysTo(asked)
      : await waysReferred(db, asked),
    windows: windowOf("requested_at_ms", asked),
    ...{ cursor, limit, after, isOldestFirst },
  });
}

/** An invoice has few enough for a look-up of each. */
function waysToAny(
  ids: readonly number[],
  asked: WithdrawalsAsked,
): { sources: Source[]; filters: Condition[] } {
  const { accountId, status, recipient, reference } = asked;
  return {
    sources: [{ columns: ["id"], values: ids.map((id) => [id]) }],
    filters: [
      ...equal({ account_id: accountId, status, client_reference: reference }),
      ...assetFilter(asked),
      ...recipient ? paidTo(recipient) : [],
    ],
  };
}

async function waysReferred(db: Db, asked: WithdrawalsAsked) {
  const { accountId, status, recipient, reference } = asked;
  const keys = await db.list(ApiKeys, { accountId });
  const values = keys.map(({ keyId }) => [keyId, reference]);
  const columns = ["key_id", "client_reference"];
  return {
    sources: [{ index: "withdrawals_reference", columns, values }],
    filters: [
      ...equal({ account_id: accountId, status }),
      ...assetFilter(asked),
      ...recipient ? paidTo(recipient) : [],
    ],
  };
}

function waysTo(asked: WithdrawalsAsked): { sources: Source[]; filters: Condition[] } {
  const { accountId, status, recipient } = asked;
  if (recipient) return waysToRecipient(asked, recipient);
  if (status === null && !asked.isAssetChosen) {
    const columns = ["account_id"];
    return {
      sources: [{ index: "withdrawals_account", columns, values: [[accountId]] }],
      filters: [],
    };
  }
  const statuses = status === null ? WITHDRAWAL_STATUSES : [status];
  return { sources: [kinds(asked, statuses)], filters: [] };
}

function kinds({ accountId, assets }: Listed, statuses: readonly WithdrawalStatus[]): Source {
  return {
    index: "withdrawals_kind",
    columns: ["account_id", "status", "network", "currency"],
    values: statuses.flatMap((status) =>
      assets.map(({ network, symbol }) => [accountId, status, network, symbol])
    ),
  };
}

/** Open ones are in no index of recipients. */
function waysToRecipient(asked: WithdrawalsAsked, recipient: Recipient) {
  const { accountId, status } = asked;
  const open = OPEN_WITHDRAWAL_STATUSES.filter((one) => status === null || one === status);
  const settled: Source = {
    index: "withdrawals_recipient",
    columns: ["account_id", "lower(to_address)"],
    values: [[accountId, recipient.address.toLowerCase()]],
    where: ENDED,
  };
  const isOpen = OPEN_WITHDRAWAL_STATUSES.some((one) => one === status);
  return {
    sources: [...isOpen ? [] : [settled], ...open.length > 0 ? [kinds(asked, open)] : []],
    filters: [...equal({ status }), ...assetFilter(asked), ...paidTo(recipient)],
  };
}

function paidTo({ address, hasOneSpelling }: Recipient): Condition[] {
  return [
    hasOneSpelling ? ["to_address = ?", address] : ["lower(to_address) = ?", address.toLowerCase()],
  ];
}

function assetFilter({ isAssetChosen, assets }: Listed): Condition[] {
  return isAssetChosen ? [ofAssets(assets)] : [];
}
