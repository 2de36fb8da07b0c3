import { present } from "../base/assert.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { latestRequests, requestsAt } from "./reads/deposits.ts";
import { NetworkBlocks, NetworkCursors } from "../following/table.ts";
import { Balances } from "../books/table.ts";
import { Addresses, type AddressRow, DepositRequests } from "../wallets/tables/addresses.ts";
import { type TransactionRow, Transactions } from "./tables/transactions.ts";
import { read, UniqueConflict, type View } from "../store/engine/workspace.ts";
import { BY_HAND_POSITION } from "../books/address_books.ts";
import { alertRead, closeAlert, surplusAlert } from "../books/alerts.ts";
import { moveDeposit, recordDepositEvent } from "../books/move_transaction.ts";
import { balanceOf, balanceRead, recordAudit } from "../books/records.ts";
import { insertDeposit, invoiceOfRequest, linkPayment } from "../books/transaction_rows.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { findPlace, type Place, type PlaceNames, surplusNow } from "./surplus.ts";

export interface CreditOrder extends PlaceNames {
  readonly amount: string;
  /** The transaction that brought it, if the operator knows. */
  readonly txHash: string | undefined;
  readonly note: string;
  readonly actor: Actor;
}

interface Found extends Place {
  readonly amount: Amount;
  /** The block that is deep enough for a credit. */
  readonly block: { readonly height: number; readonly hash: string };
  readonly corrections: number;
  readonly requestId: number | null;
  /** The only one that ever had the address. */
  readonly invoiceId: number | null;
  /** Read before the books, so that a credit made meanwhile shows. */
  readonly balance: string;
}

/** No transaction explains it; an operator credited it. */
export function isCreditedByHand({ position }: Pick<TransactionRow, "position">): boolean {
  return position <= BY_HAND_POSITION;
}

/** Books money on an address that no transaction explains as a deposit. */
export async function creditSurplus(deps: Deps, order: CreditOrder): Promise<TransactionRow> {
  const found = await findSurplus(deps, order);
  const { network, currency, address, block } = found;
  const asset = { accountId: address.accountId, network: network.code, currency: currency.symbol };
  const txHash = order.txHash ?? `by-hand:${address.address}:${found.corrections + 1}`;
  const position = BY_HAND_POSITION - found.corrections;
  const alert = surplusAlert({ ...asset, address: address.address });
  try {
    return await deps.db.write({
      reads: [
        read(Transactions, [network.code, txHash, position, 1], "movement"),
        read(Addresses, [address.id]),
        read(NetworkCursors, [network.code]),
        read(NetworkBlocks, [network.code, block.height]),
        balanceRead(asset),
        alertRead(alert.kind, alert.subject),
      ],
      decide: (view) => {
        const isSame = view.find(NetworkBlocks, [network.code, block.height])?.hash === block.hash;
        if (!isSame || balanceOf(view, asset).balance.toString() !== found.balance) {
          throw refuse("state_changed");
        }
        const nowMs = deps.clock.nowMs();
        closeAlert(view, { ...alert, nowMs });
        return insertCredit(view, { order, found, txHash, position, nowMs });
      },
    });
  } catch (error) {
    if (!(error instanceof UniqueConflict)) throw error;
    throw refuse("surplus_credited_meanwhile", { cause: error });
  }
}

async function findSurplus(deps: Deps, order: CreditOrder): Promise<Found> {
  const place = await findPlace(deps, order);
  const { network, currency, address } = place;
  const { accountId } = address;
  const asset = { accountId, network: network.code, currency: currency.symbol };
  const amount = Amount.parse(order.amount, assetOf(asset));
  if (amount.isZero()) throw refuse("credit_of_nothing");
  if (!amount.equals(amount.truncatedTo(currency.decimals))) {
    const { symbol, decimals } = currency;
    throw refuse("decimals_too_many", { symbol, network: network.code, decimals });
  }
  const key = [accountId, network.code, currency.symbol];
  const before = (await deps.db.find(Balances, key))?.balance ?? "0";
  const { surplus, block, corrections } = await surplusNow(deps, place);
  if (surplus.isLessThan(amount)) {
    throw refuse("surplus_too_small", {
      amount: amount.toString(),
      symbol: currency.symbol,
      address: address.address,
      surplus: surplus.isNegative() ? "0" : surplus.toString(),
      height: block.height,
    });
  }
  const requests = await latestRequests(deps.db, [
    { addressId: address.id, currency: currency.symbol },
  ]);
  const latestId = requests.get(`${address.id}/${currency.symbol}`) ?? null;
  const isListed = address.userIdentifier !== null || await isOfPresent(deps, latestId, address);
  return {
    ...place,
    amount,
    block,
    balance: before,
    corrections,
    requestId: isListed ? latestId : null,
    invoiceId: await invoiceOf(deps, address.id),
  };
}

/** Whether it is the request that has the address, or shares it for another coin. */
async function isOfPresent(
  { db }: Deps,
  requestId: number | null,
  { currentRequestId }: AddressRow,
): Promise<boolean> {
  if (requestId === null || requestId === currentRequestId) return requestId !== null;
  const row = await db.find(DepositRequests, [requestId]);
  return row !== undefined && row.sharedWithId !== null && row.sharedWithId === currentRequestId;
}

/** When the money came isn't known, so an address that others had too proves nothing. */
async function invoiceOf(deps: Deps, addressId: number): Promise<number | null> {
  const ever = { addressId, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  const [[first, last] = []] = await requestsAt(deps.db, [ever]);
  const given = first !== undefined && first === last
    ? await invoiceOfRequest(deps, first)
    : undefined;
  return given?.invoiceId ?? null;
}

function insertCredit(
  view: View,
  { order, found, txHash, position, nowMs }: {
    order: CreditOrder;
    found: Found;
    txHash: string;
    position: number;
    nowMs: number;
  },
): TransactionRow {
  const { topHeight } = view.get(NetworkCursors, [found.network.code]);
  const row = insertDeposit(view, {
    ...found,
    payment: {
      txHash,
      position,
      fromAddress: "unknown",
      sender: "unknown",
      senderNonce: 0,
      blockNumber: found.block.height,
      blockHash: found.block.hash,
      minedAtMs: null,
      depositRequestId: found.requestId,
    },
    nowMs,
  });
  const { invoiceId } = found;
  if (invoiceId !== null) linkPayment(view, { invoiceId, transactionId: row.id });
  recordDepositEvent(view, { row, type: "deposit.detected", topHeight, nowMs });
  const moved = moveDeposit(view, { row, step: { trigger: "confirmed", topHeight, nowMs } });
  recordAudit(view, {
    actor: order.actor,
    action: "deposit.credited",
    subject: `transaction:${row.id}`,
    detail: { address: row.toAddress, amount: row.amount, txHash, note: order.note },
    nowMs,
  });
  return present(moved, "A new deposit may be confirmed");
}
