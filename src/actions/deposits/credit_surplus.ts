import { one } from "../../base/lists.ts";
import { NOTHING_BOOKED } from "../../domain/money/address_books.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { familyOf } from "../../chains/registry.ts";
import { latestRequests } from "../../store/reads/deposits.ts";
import { NetworkBlocks, NetworkCursors } from "../../store/tables/following.ts";
import { Balances } from "../../store/tables/ledger.ts";
import { Addresses, type AddressRow } from "../../store/tables/addresses.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import { type TransactionRow, Transactions } from "../../store/tables/transactions.ts";
import { read, UniqueConflict, type View } from "../../store/engine/workspace.ts";
import { amountOf, booksAt, BY_HAND_POSITION } from "../books/address_books.ts";
import { alertRead, closeAlert, surplusAlert } from "../books/alerts.ts";
import { finalHeight } from "../books/depth.ts";
import { moveDeposit, recordDepositEvent } from "../books/move_transaction.ts";
import { balanceOf, balanceRead, recordAudit } from "../books/records.ts";
import { insertDeposit } from "../books/transaction_rows.ts";
import type { Actor, Deps } from "../deps.ts";
import { cursorOf, findCurrency, findNetwork } from "../books/find.ts";

export interface CreditOrder {
  readonly network: string;
  readonly address: string;
  readonly currency: string;
  readonly amount: string;
  /** The transaction that brought it, if the operator knows. */
  readonly txHash: string | undefined;
  readonly note: string;
  readonly actor: Actor;
}

interface Found {
  readonly network: NetworkRow;
  readonly currency: CurrencyRow;
  readonly address: AddressRow & { readonly accountId: number };
  readonly amount: Amount;
  /** The block that is deep enough for a credit. */
  readonly block: { readonly height: number; readonly hash: string };
  readonly corrections: number;
  readonly requestId: number | null;
  /** Read before the books, so that a credit made meanwhile shows. */
  readonly balance: string;
}

/** No transaction explains it; an operator credited it. */
export function isCreditedByHand({ position }: Pick<TransactionRow, "position">): boolean {
  return position <= BY_HAND_POSITION;
}

interface FoundSurplus {
  /** Zero or less: the books explain everything there. */
  readonly amount: Amount;
  readonly symbol: string;
}

/** What could be credited now, according to the chain. */
export async function lookAtSurplus(
  deps: Deps,
  order: Pick<CreditOrder, "network" | "address" | "currency">,
): Promise<FoundSurplus> {
  const place = await findPlace(deps, order);
  const { surplus } = await surplusNow(deps, place);
  return { amount: surplus, symbol: place.currency.symbol };
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

type Place = Pick<Found, "network" | "currency" | "address">;

async function findPlace(
  deps: Deps,
  order: Pick<CreditOrder, "network" | "address" | "currency">,
): Promise<Place> {
  const network = await findNetwork(deps, order.network);
  const currency = await findCurrency(deps, { network: network.code, symbol: order.currency });
  const address = await findDepositAddress(deps, { network, text: order.address });
  return { network, currency, address };
}

/** The smaller of what is deep enough and what is there now. */
async function surplusNow(deps: Deps, place: Place) {
  const { network } = place;
  const cursor = await cursorOf(deps, network);
  const final = await surplusAt(deps, place, finalHeight({ cursor, network }));
  const latest = await surplusAt(deps, place, cursor.scanHeight);
  const surplus = final.surplus.isLessThan(latest.surplus) ? final.surplus : latest.surplus;
  return { surplus, block: final.block, corrections: latest.corrections };
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
  const isListed = address.userIdentifier !== null || latestId === address.currentRequestId;
  return {
    ...place,
    amount,
    block,
    balance: before,
    corrections,
    requestId: isListed ? latestId : null,
  };
}

async function findDepositAddress(
  deps: Deps,
  { network, text }: { network: NetworkRow; text: string },
): Promise<Found["address"]> {
  const family = familyOf(network.family);
  const row = family.isAddress(text)
    ? await deps.db.find(Addresses, [network.code, family.canonicalAddress(text)], "address")
    : undefined;
  if (row?.purpose !== "deposit" || row.accountId === null) {
    throw refuse("deposit_address_unknown", { text, network: network.code });
  }
  return { ...row, accountId: row.accountId };
}

async function surplusAt(
  deps: Deps,
  { network, currency, address }: Place,
  height: number,
) {
  const pick = { ids: [address.id] };
  const { block, addresses } = await booksAt(deps, { network: network.code, pick, height });
  const [book] = addresses;
  if (block === undefined || !book) {
    throw refuse("no_block_deep_enough", { network: network.code });
  }
  const contract = currency.contractAddress;
  const asked = [{ address: address.address, contract }];
  const foundRaw = one(await deps.chains.of(network).balancesAt(block, asked));
  const { seenRaw, orphanedRaw } = book.books.get(contract) ?? NOTHING_BOOKED;
  const surplus = amountOf(foundRaw - seenRaw - orphanedRaw, currency);
  return { block, surplus, corrections: book.corrections };
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
  recordDepositEvent(view, { row, type: "deposit.detected", topHeight, nowMs });
  const moved = moveDeposit(view, { row, step: { trigger: "confirmed", topHeight, nowMs } })!;
  recordAudit(view, {
    actor: order.actor,
    action: "deposit.credited",
    subject: `transaction:${row.id}`,
    detail: { address: row.toAddress, amount: row.amount, txHash, note: order.note },
    nowMs,
  });
  return moved;
}
