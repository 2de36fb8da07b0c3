import { zip } from "../base/lists.ts";
import { amountOf } from "../books/address_books.ts";
import { alertRead } from "../books/alerts.ts";
import { takeBackReads } from "../books/move_transaction.ts";
import { balanceRead } from "../books/records.ts";
import { isGenuine } from "../books/tampered.ts";
import type { ReadBlock, Transfer } from "../chains/chain.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import type { Amount } from "../domain/money/amount.ts";
import { type RequestPaid, requestsPaid } from "./_request_paid.ts";
import { type PlannedSpend, planSpends } from "./record_spends.ts";
import { inputReads, planSpent, type SpentInput } from "./deposit_inputs.ts";
import { NetworkBlocks } from "./table.ts";
import { genuineSetUp } from "../integrity/genuine_set_up.ts";
import { isCounted } from "../invoices/rules/listed.ts";
import { InvoicePayments, type InvoiceRow, Invoices } from "../invoices/tables/invoices.ts";
import { Currencies, type CurrencyRow, type NetworkRow } from "../networks/table.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import type { Db } from "../store/engine/db.ts";
import { type Read, read, readAll } from "../store/engine/workspace.ts";
import { paymentsOf } from "../transfers/reads/transfers.ts";
import { type SignedPaymentRow, SignedPayments, SignedTransactions } from "../transfers/table.ts";
import { sourceOf } from "../wallets/rules/key_path.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

export interface BlocksRead {
  readonly network: NetworkRow;
  /** Contiguous and linked. */
  readonly blocks: readonly ReadBlock[];
  /** All of our addresses that the blocks touch. */
  readonly owned: ReadonlyMap<string, AddressRow>;
}

/** Height 0 and no hash: it is in no block, and was seen then. */
interface SeenIn {
  readonly height: number;
  readonly hash: string | null;
  readonly atMs: number;
}

export interface Movement {
  readonly transfer: Transfer;
  readonly block: SeenIn;
  readonly currency: CurrencyRow;
  readonly amount: Amount;
  readonly address: AddressRow;
  readonly paid: RequestPaid;
  /** One of our own addresses paid, which counts only if it is one of our withdrawals. */
  readonly isFromOwn: boolean;
  /** What we signed of its transaction, if one of our own addresses paid. */
  readonly signed: readonly SignedPaymentRow[];
}

export interface MovementPlan {
  readonly movements: readonly Movement[];
  readonly spends: readonly PlannedSpend[];
  readonly spent: readonly SpentInput[];
  readonly reads: readonly Read[];
}

export async function planMovements(
  deps: Deps,
  { network, blocks, owned }: BlocksRead,
): Promise<MovementPlan> {
  const seen = blocks.flatMap(({ ref: { height, hash }, atMs, transfers }) =>
    transfers.map((transfer) => ({ transfer, block: { height, hash, atMs } }))
  );
  const [movements, { spends, reads }, spent] = await Promise.all([
    planTransfers(deps, { network, seen, owned }),
    planSpends(deps, { network, blocks }),
    planSpent(deps, { network, blocks }),
  ]);
  return {
    movements: movements.movements,
    spends,
    spent: spent.inputs,
    reads: [
      ...readAll(NetworkBlocks, spends.map(({ block }) => [network.code, block.height])),
      ...movements.reads,
      ...reads,
      ...spent.reads,
    ],
  };
}

/** Of transfers, wherever they were seen. */
export async function planTransfers(
  deps: Deps,
  { network, seen, owned }: {
    network: NetworkRow;
    seen: readonly { readonly transfer: Transfer; readonly block: SeenIn }[];
    owned: BlocksRead["owned"];
  },
): Promise<Pick<MovementPlan, "movements" | "reads">> {
  const catalog = await genuineSetUp(deps, network);
  const found = seen.map(({ transfer, block }) =>
    movementOf(transfer, { block, network, owned, catalog })
  ).filter((movement) => movement !== undefined);
  const [requests, signed] = await Promise.all([
    requestsPaid(deps, { network, paid: found }),
    signedFor(deps.db, { network, found }),
  ]);
  const known = await Promise.all(
    found.map(({ transfer }) => deps.db.find(Transactions, keyOf(network, transfer), "movement")),
  );
  // If somebody else changed a payment's row, it is neither taken back nor replaced.
  const isOurs = await Promise.all(
    known.map((row) => !row || isGenuine(deps, Transactions, row)),
  );
  const all = zip(found, requests).map(([movement, paid], i) => ({
    ...movement,
    paid,
    isKnown: known[i] !== undefined,
    signed: signed.get(movement.transfer.txHash) ?? [],
  }));
  const movements = await withoutFloods(deps, all.filter((_, i) => isOurs[i]));
  const reads = [
    ...readsOf(network, movements),
    ...known.flatMap((row) => row ? [balanceRead(row), ...takeBackReads(row)] : []),
  ];
  return { movements, reads };
}

/** By hash, of the transactions in which our own addresses paid us. */
async function signedFor(
  db: Db,
  { network: { code }, found }: {
    network: NetworkRow;
    found: readonly Pick<Movement, "transfer" | "isFromOwn">[];
  },
): Promise<ReadonlyMap<string, readonly SignedPaymentRow[]>> {
  const own = found.filter(({ isFromOwn }) => isFromOwn).map(({ transfer }) => transfer.txHash);
  const rows = await Promise.all(
    [...new Set(own)].map((txHash) => db.find(SignedTransactions, [code, txHash], "hash")),
  );
  const known = rows.filter((tx) => tx !== undefined);
  const payments = await paymentsOf(db, known.filter((tx) => db.isGenuine(SignedTransactions, tx)));
  return new Map(known.map(({ id, txHash }) => [txHash, payments.get(id) ?? []]));
}

type Found = Movement & { readonly isKnown: boolean };

/** Payments that are too many for their invoice are only credited, and don't use up its limit. */
async function withoutFloods(
  { db }: Deps,
  movements: readonly Found[],
): Promise<readonly Movement[]> {
  const ids = [...new Set(movements.flatMap(({ paid }) => paid.invoiceId ?? []))];
  const invoices = new Map(await Promise.all(ids.map((id) => countPayments(db, id))));
  return movements.map((movement) => {
    const { paid, isKnown } = movement;
    const invoice = paid.invoiceId === null ? undefined : invoices.get(paid.invoiceId);
    if (!invoice || isKnown) return movement;
    const { row, count } = invoice;
    // If somebody else changed the invoice, its amount says nothing, so everything counts.
    const isRight = row && (!db.isGenuine(Invoices, row) || countsFor(row, { movement, count }));
    if (!isRight) return { ...movement, paid: { ...paid, invoiceId: null } };
    invoice.count++;
    return movement;
  });
}

/** The row may have been deleted by somebody else. */
async function countPayments(
  db: Db,
  id: number,
): Promise<[id: number, { readonly row: InvoiceRow | undefined; count: number }]> {
  const [row, { length: count }] = await Promise.all([
    db.find(Invoices, [id]),
    db.list(InvoicePayments, { invoiceId: id }),
  ]);
  return [id, { row, count }];
}

function countsFor(
  row: InvoiceRow,
  { movement: { currency, amount }, count }: { movement: Movement; count: number },
): boolean {
  const { network, symbol } = currency;
  return isCounted(row, { network, currency: symbol, amount: amount.toString() }, count);
}

function movementOf(
  transfer: Transfer,
  { block, network, owned, catalog }: {
    block: Movement["block"];
    network: NetworkRow;
    owned: ReadonlyMap<string, AddressRow>;
    catalog: Catalog;
  },
): Omit<Movement, "paid" | "signed"> | undefined {
  const address = owned.get(transfer.to);
  const currency = catalog.currencyByContract(network.code, transfer.contract);
  if (address?.purpose !== "deposit" || !currency) return undefined;
  const isOwn = (sender: string) => {
    const row = owned.get(sender);
    return row !== undefined && sourceOf(row) === "seed";
  };
  const isFromOwn = isOwn(transfer.sender) || isOwn(transfer.from);
  const amount = amountOf(transfer.amountRaw, currency);
  return { transfer, block, currency, amount, address, isFromOwn };
}

export function keyOf(network: NetworkRow, transfer: Transfer) {
  return [network.code, transfer.txHash, transfer.position, 1];
}

function readsOf(network: NetworkRow, movements: readonly Movement[]): Read[] {
  const { code } = network;
  return [
    ...readAll(NetworkBlocks, movements.map(({ block }) => [code, block.height])),
    ...movements.flatMap(({ transfer, address, currency, signed }) => [
      read(Transactions, keyOf(network, transfer), "movement"),
      ...inputReads(network, transfer),
      ...readAll(SignedPayments, signed.map(({ id }) => [id])),
      read(Addresses, [address.id]),
      read(Currencies, [code, currency.symbol]),
      alertRead("own_funds_moved", transfer.txHash),
      alertRead("deposit_unlisted", transfer.txHash),
    ]),
  ];
}
