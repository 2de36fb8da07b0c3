import { zip } from "../../base/lists.ts";
import { present } from "../../base/assert.ts";
import type { ReadBlock, Transfer } from "../../chains/chain.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { Addresses, type AddressRow } from "../../store/tables/addresses.ts";
import { Currencies, type CurrencyRow, type NetworkRow } from "../../store/tables/setup.ts";
import { type TransactionRow, Transactions } from "../../store/tables/transactions.ts";
import { NetworkBlocks } from "../../store/tables/following.ts";
import { SignedTransfers } from "../../store/tables/signed_transfers.ts";
import { type Read, read, readAll, type View } from "../../store/engine/workspace.ts";
import { alertRead, closeAlert, insertAlert } from "../books/alerts.ts";
import { genuineSetUp } from "../integrity/genuine_set_up.ts";
import { moveDeposit, recordDepositEvent } from "../books/move_transaction.ts";
import { balanceRead } from "../books/records.ts";
import { type PlannedSpend, planSpends, recordSpend } from "./record_spends.ts";
import { alertUnclear, type RequestPaid, requestsPaid } from "./_request_paid.ts";
import { isSameToken } from "../books/unbooked.ts";
import { isGenuine, mustBeGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";

export interface BlocksRead {
  readonly network: NetworkRow;
  /** Contiguous and linked. */
  readonly blocks: readonly ReadBlock[];
  /** All of our addresses that the blocks touch. */
  readonly owned: ReadonlyMap<string, AddressRow>;
}

/** These blocks don't start at the cursor: another instance recorded or rewound. */
export class CursorMoved extends Error {
  override name = "CursorMoved";

  constructor() {
    super("The network was rewound or recorded by another instance: try again");
  }
}

interface Movement {
  readonly transfer: Transfer;
  readonly block: { height: number; hash: string; atMs: number };
  readonly currency: CurrencyRow;
  readonly address: AddressRow;
  readonly paid: RequestPaid;
  /** One of our own addresses paid, which counts only if it is one of our withdrawals. */
  readonly isFromOwn: boolean;
}

export interface MovementPlan {
  readonly movements: readonly Movement[];
  readonly spends: readonly PlannedSpend[];
  readonly reads: readonly Read[];
}

export async function planMovements(
  deps: Deps,
  { network, blocks, owned }: BlocksRead,
): Promise<MovementPlan> {
  const catalog = await genuineSetUp(deps, network);
  const found = blocks.flatMap(({ ref, atMs, transfers }) => {
    const block = { ...ref, atMs };
    return transfers.map((transfer) => movementOf(transfer, { block, network, owned, catalog }));
  }).filter((movement) => movement !== undefined);
  const requests = await requestsPaid(deps, { network, paid: found });
  const { spends, reads: spendReads } = await planSpends(deps, { network, blocks });
  const known = await Promise.all(
    found.map(({ transfer }) => deps.db.find(Transactions, keyOf(network, transfer), "movement")),
  );
  // If somebody else changed a payment's row, it is neither taken back nor replaced.
  const isOurs = await Promise.all(
    known.map((row) => !row || isGenuine(deps, Transactions, row)),
  );
  const movements = zip(found, requests).map(([movement, paid]) => ({ ...movement, paid }))
    .filter((_, i) => isOurs[i]);
  const reads = [
    ...readsOf(network, movements, spends),
    ...spendReads,
    ...known.flatMap((row) => row ? [balanceRead(row), ...alertReads(row)] : []),
  ];
  return { movements, spends, reads };
}

function movementOf(
  transfer: Transfer,
  { block, network, owned, catalog }: {
    block: Movement["block"];
    network: NetworkRow;
    owned: ReadonlyMap<string, AddressRow>;
    catalog: Catalog;
  },
): Omit<Movement, "paid"> | undefined {
  const address = owned.get(transfer.to);
  const currency = catalog.currencyByContract(network.code, transfer.contract);
  if (address?.purpose !== "deposit" || !currency) return undefined;
  const isFromOwn = owned.has(transfer.sender) || owned.has(transfer.from);
  return { transfer, block, currency, address, isFromOwn };
}

function keyOf(network: NetworkRow, transfer: Transfer) {
  return [network.code, transfer.txHash, transfer.position, 1];
}

function alertReads({ id }: TransactionRow): Read[] {
  const subject = `transaction:${id}`;
  return [alertRead("deposit_reversed", subject), alertRead("deposit_orphaned", subject)];
}

function readsOf(
  network: NetworkRow,
  movements: readonly Movement[],
  spends: MovementPlan["spends"],
): Read[] {
  const { code } = network;
  const blocks = [...movements, ...spends].map(({ block }) => [code, block.height]);
  return [
    ...readAll(NetworkBlocks, blocks),
    ...movements.flatMap(({ transfer, address, currency }) => [
      read(Transactions, keyOf(network, transfer), "movement"),
      read(SignedTransfers, [code, transfer.txHash], "hash"),
      read(Addresses, [address.id]),
      read(Currencies, [code, currency.symbol]),
      alertRead("own_funds_moved", transfer.txHash),
      alertRead("deposit_unlisted", transfer.txHash),
    ]),
  ];
}

/** Returns the number of new deposits. */
export function recordMovements(
  view: View,
  facts: { plan: MovementPlan; network: NetworkRow; topHeight: number; nowMs: number },
): number {
  for (const { block } of [...facts.plan.movements, ...facts.plan.spends]) {
    const remembered = view.find(NetworkBlocks, [facts.network.code, block.height]);
    if (remembered && remembered.hash !== block.hash) throw new CursorMoved();
  }
  let found = 0;
  for (const movement of facts.plan.movements) {
    if (recordDeposit(view, { ...facts, movement })) found++;
  }
  for (const { spend, block } of facts.plan.spends) recordSpend(view, { ...facts, spend, block });
  return found;
}

/**
 * Records deposits in blocks that we haven't read up to yet: shown, but in no block, and not
 * counted or credited before that.
 */
export function recordSightings(
  view: View,
  { plan, network, nowMs }: { plan: MovementPlan; network: NetworkRow; nowMs: number },
): void {
  for (const movement of plan.movements) {
    const key = keyOf(network, movement.transfer);
    if (movement.isFromOwn || view.find(Transactions, key, "movement")) continue;
    const seen = insertDeposit(view, { movement, network, nowMs });
    const row = view.update(Transactions, seen, { blockHash: null });
    recordDepositEvent(view, { row, type: "deposit.detected", topHeight: 0, nowMs });
  }
}

interface DepositFacts {
  readonly movement: Movement;
  readonly network: NetworkRow;
  readonly topHeight: number;
  readonly nowMs: number;
}

/** A deposit seen before in another block keeps its row. Otherwise it gets a new one, and its event. */
function recordDeposit(view: View, { movement, network, topHeight, nowMs }: DepositFacts): boolean {
  const { transfer, block, isFromOwn } = movement;
  const known = view.find(Transactions, keyOf(network, transfer), "movement");
  if (known && isSameMovement(known, movement)) {
    view.update(Transactions, known, { blockNumber: block.height, blockHash: block.hash });
    closeAlert(view, { kind: "deposit_orphaned", subject: `transaction:${known.id}`, nowMs });
    return false;
  }
  if (known) takeBack(view, { known, why: MINED_OTHERWISE, topHeight, nowMs });
  if (isFromOwn) {
    const own = view.find(SignedTransfers, [network.code, transfer.txHash], "hash");
    // Gas for a sweep is our own money before and after.
    if (own?.purpose === "gas_topup") return false;
    if (own?.purpose !== "withdrawal") {
      insertAlert(view, {
        kind: "own_funds_moved",
        subject: transfer.txHash,
        message:
          `${transfer.from} paid our address ${transfer.to} on ${network.code} in a transaction ` +
          `that this gateway did not make: not credited`,
        nowMs,
      });
      return false;
    }
  }
  const row = insertDeposit(view, { movement, network, nowMs });
  recordDepositEvent(view, { row, type: "deposit.detected", topHeight, nowMs });
  return true;
}

/** A contract may pay a different amount when its transaction is mined in another block. */
function isSameMovement(known: TransactionRow, movement: Movement): boolean {
  const { address, currency } = movement;
  return known.addressId === address.id && known.currency === currency.symbol &&
    known.amount === amountOf(movement).toString();
}

/** Takes back deposits that turned out to be our own gas, which these books hadn't known. */
export function takeBackOwnGas(
  view: View,
  { plan, network, ...at }: {
    plan: MovementPlan;
    network: NetworkRow;
    topHeight: number;
    nowMs: number;
  },
): void {
  for (const { transfer } of plan.movements) {
    const known = view.find(Transactions, keyOf(network, transfer), "movement");
    if (known) takeBack(view, { known, why: "is gas of our own", ...at });
  }
}

/** The chain now has something else than was seen before. */
const MINED_OTHERWISE = "then mined again with another amount";

interface TakingBack {
  readonly known: TransactionRow;
  readonly why: string;
  readonly topHeight: number;
  readonly nowMs: number;
}

function takeBack(view: View, { known, why, topHeight, nowMs }: TakingBack): void {
  mustBeGenuine(view, Transactions, known);
  const step = { trigger: "vanished", topHeight, nowMs } as const;
  const moved = moveDeposit(view, { row: { ...known, blockHash: null }, step });
  if (moved) view.update(Transactions, moved, { blockHash: null });
  if (!moved || known.status === "detected") return;
  insertAlert(view, {
    kind: "deposit_reversed",
    subject: `transaction:${known.id}`,
    message:
      `Deposit ${known.txHash} of ${known.amount} ${known.currency} on ${known.network} was ` +
      `credited and ${why}: the credit was taken back`,
    nowMs,
  });
}

function amountOf({ transfer, currency }: Movement): Amount {
  const asset = assetOf({ network: currency.network, currency: currency.symbol });
  return Amount.fromRaw(transfer.amountRaw, { asset, decimals: currency.decimals });
}

function insertDeposit(
  view: View,
  { movement, network, nowMs }: Omit<DepositFacts, "topHeight">,
): TransactionRow {
  const { transfer, block, currency, address, paid } = movement;
  const now = view.get(Currencies, [network.code, currency.symbol]);
  mustBeGenuine(view, Currencies, now);
  if (!isSameToken(currency, now)) throw new CursorMoved();
  const amount = amountOf(movement);
  const row = view.insert(Transactions, {
    accountId: present(address.accountId, "A deposit address belongs to an account"),
    network: network.code,
    currency: currency.symbol,
    direction: "deposit",
    status: "detected",
    txHash: transfer.txHash,
    position: transfer.position,
    live: 1,
    fromAddress: transfer.from,
    toAddress: transfer.to,
    amount: amount.toString(),
    blockNumber: block.height,
    blockHash: block.hash,
    sender: transfer.sender,
    senderNonce: transfer.senderNonce,
    addressId: address.id,
    depositRequestId: paid.requestId,
    withdrawalId: null,
    sweepId: null,
    isBelowMinimum: amount.isLessThan(Amount.parse(currency.minDepositAmount, amount.asset)),
    createdAtMs: nowMs,
    confirmedAtMs: null,
    minedAtMs: block.atMs,
  });
  alertUnclear(view, { row, rivals: paid.rivals, nowMs });
  return row;
}
