import { zip } from "../base/lists.ts";
import { nextTurn } from "../base/waiting/next_turn.ts";
import type { Method } from "./rules/coins.ts";
import { GRACE_MS, type Missing, valueOf } from "./rules/judge.ts";
import { PAYMENTS_LISTED_MAX, REFUNDS_LISTED_MAX } from "./rules/listed.ts";
import { isFinalStatus } from "./rules/status.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import type { World } from "../networks/rules/world.ts";
import { isTestNetwork } from "../networks/test_networks.ts";
import { type InvoiceSums, NO_SUMS } from "./rules/sums.ts";
import type { TransactionStatus } from "../deposits/rules/transaction_moves.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import {
  InvoiceAddresses,
  type InvoiceAddressRow,
  InvoicePayments,
  type InvoiceRow,
} from "./tables/invoices.ts";
import { Addresses, type DepositRequestRow, DepositRequests } from "../wallets/tables/addresses.ts";
import { NetworkCursors } from "../following/table.ts";
import type { TransactionRow } from "../deposits/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { filterGenuine } from "../books/tampered.ts";
import { type GivenAddress, symbolsOn } from "../deposits/for_invoice.ts";
import { worldOf } from "../networks/worlds.ts";
import { currentRates } from "../rates/current.ts";
import { rateAt } from "../rates/rate_at.ts";
import type { Deps } from "../deps/deps.ts";
import { paidBy, paymentOf } from "./facts.ts";
import { sumsFromBooks } from "./sums.ts";

/** A payment as it counts in the sums. Its row may have moved on since. */
export interface SeenPayment {
  readonly row: TransactionRow;
  readonly status: TransactionStatus;
  readonly missing?: Missing | undefined;
  /** Null: without a rate, it waits for the merchant. */
  readonly value: string | null;
}

/** What is shown of an invoice: its sums, and so many of its rows. */
export interface InvoiceLook {
  readonly sums: InvoiceSums;
  /** That are still the invoice's. */
  readonly addresses: readonly InvoiceAddressRow[];
  readonly chosen: readonly ChosenCoin[];
  /** Those worth most, oldest first. */
  readonly payments: readonly SeenPayment[];
  /** The newest, oldest first. */
  readonly refunds: readonly WithdrawalRow[];
  /** At current prices, once payments count at those; without coins that have none. */
  readonly methodsNow: readonly Method[] | null;
  /** By network of its methods and payments; null: its coins pay nothing from now on. */
  readonly worlds: ReadonlyMap<string, World | null>;
  /** By network: the newest block. */
  readonly heights: ReadonlyMap<string, number>;
  readonly catalog: Catalog;
}

/** A coin that the payer, or whoever made the invoice, has chosen: there it is sent. */
interface ChosenCoin {
  readonly network: string;
  readonly currency: string;
  readonly address: string;
  readonly requestId: number;
}

interface LookOptions {
  readonly paymentsMax?: number;
  readonly refundsMax?: number;
  /** Long looks of one queue come one after the other. */
  readonly queue?: string;
}

/** Longer looks take turns, so that everything else waits for one at most, however many look. */
const SHORT_MAX = 20;

/** Reads a bounded number of rows, however many payments and refunds there are. */
export async function lookAt(
  deps: Deps,
  row: InvoiceRow,
  { paymentsMax = PAYMENTS_LISTED_MAX, refundsMax = REFUNDS_LISTED_MAX, queue = "pages" }:
    LookOptions = {},
): Promise<InvoiceLook> {
  const sums = row.sums ?? await sumsFromBooks(deps, row);
  const listed = sums.listed.slice(0, paymentsMax);
  const refundIds = sums.listedRefunds.toReversed().slice(0, refundsMax).toReversed();
  const look = () => lookNow(deps, { row, sums, listed, refundIds });
  if (listed.length + refundIds.length <= SHORT_MAX) return await look();
  return await deps.memory.lookTurns.run(queue, async () => {
    const found = await look();
    await nextTurn();
    return found;
  });
}

async function lookNow(
  deps: Deps,
  { row, sums, listed, refundIds }: {
    row: InvoiceRow;
    sums: InvoiceSums;
    listed: InvoiceSums["listed"];
    refundIds: readonly number[];
  },
): Promise<InvoiceLook> {
  const { db } = deps;
  const inOrder = listed.toSorted((a, b) => a.id - b.id);
  const [addresses, links, refunds, catalog] = await Promise.all([
    db.list(InvoiceAddresses, { invoiceId: row.id }),
    Promise.all(inOrder.map(({ id }) => db.find(InvoicePayments, [id], "transaction"))),
    Promise.all(refundIds.map((id) => db.find(Withdrawals, [id]))),
    deps.catalog.current(),
  ]);
  const given = await filterGenuine(deps, InvoiceAddresses, addresses);
  const counted = new Map(listed.map((one) => [one.id, one]));
  const payments = (await paidBy(deps, there(links))).map((paid) => ({
    row: paid.row,
    status: counted.get(paid.row.id)?.status ?? paid.row.status,
    missing: counted.get(paid.row.id)?.missing,
    value: valueOf(row, paymentOf(paid, { given, catalog })),
  }));
  const networks = [...new Set(payments.map((one) => one.row.network))];
  const [cursors, worlds, still] = await Promise.all([
    Promise.all(networks.map((code) => db.find(NetworkCursors, [code]))),
    worldsOf(deps, { row, networks }),
    stillGiven(deps, given),
  ]);
  return {
    sums,
    addresses: still,
    chosen: (await Promise.all(still.map((one) => chosenAt(deps, { row, given: one })))).flat(),
    payments,
    refunds: await filterGenuine(deps, Withdrawals, there(refunds)),
    methodsNow: await methodsNowOf(deps, row, worlds),
    worlds,
    heights: new Map(networks.map((code, i) => [code, cursors[i]?.topHeight ?? 0])),
    catalog,
  };
}

/** Without rows that somebody else deleted. */
function there<Row>(rows: readonly (Row | undefined)[]): Row[] {
  return rows.filter((row) => row !== undefined);
}

/** At one that was made just now: nobody can have paid it. */
export async function lookAtNew(
  deps: Deps,
  given: GivenAddress | null,
): Promise<InvoiceLook> {
  return {
    sums: NO_SUMS,
    addresses: given ? [given.address] : [],
    chosen: given ? [chosenBy(given.request)] : [],
    ...{ payments: [], refunds: [], methodsNow: null, heights: new Map(), worlds: new Map() },
    catalog: await deps.catalog.current(),
  };
}

async function chosenAt(
  deps: Deps,
  { row, given }: { row: InvoiceRow; given: InvoiceAddressRow },
): Promise<ChosenCoin[]> {
  const { network, address, addressId, depositRequestId: requestId } = given;
  const symbols = symbolsOn(row, network);
  const [only] = symbols;
  if (only !== undefined && symbols.length === 1) {
    return [{ network, currency: only, address, requestId }];
  }
  const { db } = deps;
  const found = await Promise.all([
    db.find(DepositRequests, [requestId]),
    ...symbols.map((symbol) => db.find(DepositRequests, [requestId, symbol], "shared")),
  ]);
  const rows = found.filter((one) => one !== undefined);
  const ours = await filterGenuine(deps, DepositRequests, rows);
  return ours.filter((one) => one.addressId === addressId).map(chosenBy);
}

function chosenBy({ id: requestId, network, currency, address }: DepositRequestRow): ChosenCoin {
  return { network, currency, address, requestId };
}

/** Undefined until this coin is chosen. */
export function chosenFor(
  { chosen }: Pick<InvoiceLook, "chosen">,
  { network, currency }: Pick<Method, "network" | "currency">,
): ChosenCoin | undefined {
  return chosen.find((one) => one.network === network && one.currency === currency);
}

/** After the end and its grace a payment counts at the price when it is seen. */
async function methodsNowOf(
  deps: Deps,
  { methods, currency, status, expiresAtMs }: InvoiceRow,
  worlds: InvoiceLook["worlds"],
): Promise<Method[] | null> {
  const nowMs = deps.clock.nowMs();
  if (isFinalStatus(status) || !isOver({ expiresAtMs }, nowMs)) return null;
  const known = await currentRates(deps);
  return methods.flatMap((method) => {
    const world = worlds.get(method.network) ?? null;
    if (world === null) return [];
    if (isSameSymbol(method.currency, currency)) return [method];
    const rate = rateAt(deps.memory.rates, known, {
      ...{ base: method.currency, quote: currency, world, nowMs },
    });
    return rate ? [{ ...method, rate: rate.value, rateAtMs: rate.atMs }] : [];
  });
}

async function worldsOf(
  deps: Deps,
  { row: { accountId, methods }, networks }: { row: InvoiceRow; networks: readonly string[] },
): Promise<InvoiceLook["worlds"]> {
  const codes = [...new Set([...networks, ...methods.map(({ network }) => network)])];
  const worlds = await Promise.all(
    codes.map((network) => worldOf(deps, { accountId, network })),
  );
  return new Map(zip(codes, worlds));
}

/**
 * What an invoice can be paid with. Test coins are left out from the account's first real coin on;
 * what they had paid by then stays paid.
 */
export function methodsOf(
  { methods, status }: InvoiceRow,
  { worlds }: Pick<InvoiceLook, "worlds">,
): readonly Method[] {
  if (isFinalStatus(status)) return methods;
  const offered = methods.filter(({ network }) => worlds.get(network) !== null);
  return offered.length === methods.length ? methods : offered;
}

/** Of an account that had test networks only. */
export function isTestInvoice(
  { methods }: Pick<InvoiceRow, "methods">,
  { catalog }: Pick<InvoiceLook, "catalog">,
): boolean {
  return methods.every(({ network }) => {
    const row = catalog.network(network);
    return row !== undefined && isTestNetwork(row);
  });
}

/** Whether payments no longer count at the locked prices. */
export function isOver({ expiresAtMs }: Pick<InvoiceRow, "expiresAtMs">, nowMs: number): boolean {
  return nowMs > expiresAtMs + GRACE_MS;
}

/** Leaves out addresses that others have by now, or may get at any moment. */
async function stillGiven(
  { db, clock }: Deps,
  given: readonly InvoiceAddressRow[],
): Promise<InvoiceAddressRow[]> {
  const rows = await Promise.all(given.map(({ addressId }) => db.find(Addresses, [addressId])));
  return given.filter(({ depositRequestId }, i) =>
    rows[i]?.currentRequestId === depositRequestId &&
    (rows[i]?.reusableAtMs ?? 0) > clock.nowMs()
  );
}
