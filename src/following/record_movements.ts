import { closeAlert, insertAlert } from "../books/alerts.ts";
import { recordDepositEvent, takeBack } from "../books/move_transaction.ts";
import { insertDeposit, linkPayment } from "../books/transaction_rows.ts";
import { isSameToken } from "../books/unbooked.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import { alertUnclear } from "./_request_paid.ts";
import { insertInputs, noteSpent } from "./deposit_inputs.ts";
import { keyOf, type Movement, type MovementPlan } from "./plan_movements.ts";
import { isAsPlanned, recordSpend } from "./record_spends.ts";
import { NetworkBlocks } from "./table.ts";
import { Currencies, type NetworkRow } from "../networks/table.ts";
import type { Transfer } from "../chains/chain.ts";
import type { View } from "../store/engine/workspace.ts";
import { type SignedPaymentRow, SignedPayments } from "../transfers/table.ts";

/** These blocks don't start at the cursor: another instance recorded or rewound. */
export class CursorMoved extends Error {
  override name = "CursorMoved";

  constructor() {
    super("The network was rewound or recorded by another instance: try again");
  }
}

interface MovementFacts {
  readonly plan: MovementPlan;
  readonly network: NetworkRow;
  readonly topHeight: number;
  /** In blocks before this one, only what the books already know is recorded. */
  readonly newFrom?: number;
  readonly nowMs: number;
}

/** Returns the number of new deposits. */
export function recordMovements(view: View, facts: MovementFacts): number {
  for (const { block } of [...facts.plan.movements, ...facts.plan.spends]) {
    const remembered = view.find(NetworkBlocks, [facts.network.code, block.height]);
    if (remembered && remembered.hash !== block.hash) throw new CursorMoved();
  }
  const { network } = facts;
  if (!facts.plan.spends.every((spent) => isAsPlanned(view, { network, spent }))) {
    throw new CursorMoved();
  }
  let found = 0;
  for (const movement of facts.plan.movements) {
    if (recordDeposit(view, { ...facts, movement })) found++;
  }
  for (const spent of facts.plan.spends) recordSpend(view, { ...facts, ...spent });
  noteSpent(view, facts.plan.spent);
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
    const isEarly = movement.block.height < network.startHeight;
    if (isEarly || movement.isFromOwn || view.find(Transactions, key, "movement")) continue;
    recordSighting(view, { movement, network, nowMs });
  }
}

export function recordSighting(
  view: View,
  { movement, network, nowMs }: Omit<DepositFacts, "topHeight">,
): void {
  const seen = insertMovement(view, { movement, network, nowMs });
  const row = view.update(Transactions, seen, { blockHash: null });
  recordDepositEvent(view, { row, type: "deposit.detected", topHeight: 0, nowMs });
}

interface DepositFacts extends Omit<MovementFacts, "plan"> {
  readonly movement: Movement;
}

/** A deposit seen before in another block keeps its row. Otherwise it gets a new one, and its event. */
function recordDeposit(view: View, facts: DepositFacts): boolean {
  const { movement, network, topHeight, newFrom = 0, nowMs } = facts;
  const { transfer, block, isFromOwn } = movement;
  const known = view.find(Transactions, keyOf(network, transfer), "movement");
  if (known && isSameMovement(known, movement)) {
    view.update(Transactions, known, {
      blockNumber: block.height,
      blockHash: block.hash,
      // A sighting ahead of the gapless reading knows its block's time.
      minedAtMs: known.minedAtMs ?? block.atMs,
      creditFrom: creditFromOf(transfer),
    });
    closeAlert(view, { kind: "deposit_orphaned", subject: `transaction:${known.id}`, nowMs });
    return false;
  }
  if (!known && block.height < newFrom) return false;
  if (known) takeBack(view, { row: known, why: MINED_OTHERWISE, topHeight, nowMs });
  if (isFromOwn && !isOwnPayout(view, { movement, network, nowMs })) return false;
  const row = insertMovement(view, { movement, network, nowMs });
  recordDepositEvent(view, { row, type: "deposit.detected", topHeight, nowMs });
  return true;
}

/** What our own addresses pay counts if it is one of our withdrawals. */
function isOwnPayout(
  view: View,
  { movement: { transfer, signed }, network, nowMs }: Omit<DepositFacts, "topHeight">,
): boolean {
  const purpose = purposeOf(view, { signed, transfer });
  // Gas for a sweep is our own money before and after.
  if (purpose === "withdrawal" || purpose === "gas_topup") return purpose === "withdrawal";
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

/** A contract may have passed on what a withdrawal paid it. */
function purposeOf(
  view: View,
  { signed, transfer }: { signed: readonly SignedPaymentRow[]; transfer: Transfer },
): SignedPaymentRow["purpose"] | undefined {
  const rows = signed.map(({ id }) => view.raw.get(SignedPayments, [id]))
    .filter((row) => view.isGenuine(SignedPayments, row));
  const isExact = ({ toAddress, contractAddress }: SignedPaymentRow) =>
    toAddress === transfer.to && contractAddress === transfer.contract;
  const paid = rows.find(isExact) ?? rows.find(({ purpose }) => purpose === "withdrawal") ??
    rows[0];
  return paid?.purpose;
}

/** A contract may pay a different amount when its transaction is mined in another block. */
function isSameMovement(known: TransactionRow, movement: Movement): boolean {
  const { address, currency, amount } = movement;
  return known.addressId === address.id && known.currency === currency.symbol &&
    known.amount === amount.toString();
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
    if (known) takeBack(view, { row: known, why: "is gas of our own", ...at });
  }
}

/** The chain now has something else than was seen before. */
const MINED_OTHERWISE = "then mined again with another amount";

function insertMovement(
  view: View,
  { movement, network, nowMs }: Omit<DepositFacts, "topHeight">,
): TransactionRow {
  const { transfer, block, currency, amount, address, paid } = movement;
  const now = view.get(Currencies, [network.code, currency.symbol]);
  if (!isSameToken(currency, now)) throw new CursorMoved();
  const payment = {
    txHash: transfer.txHash,
    position: transfer.position,
    fromAddress: transfer.from,
    sender: transfer.sender,
    senderNonce: transfer.senderNonce,
    blockNumber: block.height,
    blockHash: block.hash,
    minedAtMs: isInNoBlock(movement) ? null : block.atMs,
    depositRequestId: paid.requestId,
    creditFrom: creditFromOf(transfer),
  };
  const row = insertDeposit(view, {
    payment,
    currency,
    address,
    amount,
    nowMs,
  });
  if (paid.invoiceId !== null) {
    linkPayment(view, { invoiceId: paid.invoiceId, transactionId: row.id });
  }
  alertUnclear(view, { row, rivals: paid.rivals, nowMs });
  insertInputs(view, { network, transfer });
  return row;
}

function isInNoBlock({ block }: Movement): boolean {
  return block.hash === null;
}

/** In the block before the first that may spend it. */
function creditFromOf({ maturesAt }: Transfer): number | null {
  return maturesAt === undefined ? null : maturesAt - 1;
}
