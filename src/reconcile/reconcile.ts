import { isDeepStrictEqual } from "node:util";
import { present } from "../base/assert.ts";
import { first, last, zip } from "../base/lists.ts";
import { allDone } from "../base/waiting/all_done.ts";
import { mapInPortions } from "../base/waiting/in_portions.ts";
import { type AddressBook, amountOf, booksAt } from "../books/address_books.ts";
import { raiseAlert, surplusAlert } from "../books/alerts.ts";
import { findNetwork, newestRead } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import type { BalanceKey } from "../books/table.ts";
import type { BlockAt, Chain } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { type Booked, NOTHING_BOOKED } from "../domain/money/address_books.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { usesTraces } from "../following/use_traces.ts";
import { checkLedgerOf, checkLedgerPage, FIRST_ASSET } from "../integrity/check_ledger.ts";
import { freezeWhatDiffers } from "../integrity/freeze.ts";
import { genuineSetUp } from "../integrity/genuine_set_up.ts";
import { isAddedUp, MARKED } from "../invoices/judge_due.ts";
import { paidInvoices } from "../invoices/reads/listed.ts";
import { sumsFromBooks } from "../invoices/sums.ts";
import { type InvoiceRow, Invoices } from "../invoices/tables/invoices.ts";
import { hasOutputs } from "../networks/fitting.ts";
import { outputsHeldAt } from "../outputs/reads.ts";
import { hotWallets } from "../wallets/reads/addresses.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { isExact, type LeftBehind, sweepLeftBehind } from "./left_behind.ts";
import type { Difference, Surplus, WrongSums } from "./rules/difference.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { read } from "../store/engine/workspace.ts";
import { type OpenBid, openBidsOfHotWallets } from "../transfers/reads/open_bids.ts";
import { Commitments } from "../wallets/funds.ts";

const INVOICES_PER_PAGE = 100;

const BIDS_MAX = 10_000;

/** A node can read this many balances in one call. */
const ADDRESSES_PER_PAGE = 1000;

export interface Reconciled {
  readonly differences: Difference[];
  readonly surplus: Surplus[];
  /** Put right by now. */
  readonly invoices: WrongSums[];
  /** Networks whose nodes did not answer, so their addresses are unchecked. */
  readonly skipped: { readonly network: string; readonly reason: string }[];
}

interface ReconcileOrder {
  /** Absent: all of them. */
  readonly network: string | undefined;
  /** Every currency on every deposit address, even if the books have none of it there. */
  readonly isEverywhere?: boolean;
  /** Whenever what is still being checked has changed. */
  onPart?(parts: readonly string[]): void;
}

/** Checks all books from the first entry on, and against the chains. */
export async function reconcile(
  deps: Deps,
  { network: code, isEverywhere = false, onPart }: ReconcileOrder,
): Promise<Reconciled> {
  const networks = code === undefined
    ? (await deps.catalog.current()).networks
    : [await findNetwork(deps, code)];
  const only = code === undefined ? undefined : first(networks).code;
  const reconciled: Reconciled = { differences: [], surplus: [], invoices: [], skipped: [] };
  onPart?.(["the ledger"]);
  for (let after: BalanceKey | undefined = FIRST_ASSET; after !== undefined;) {
    const page = await checkLedgerPage(deps, { after, isFromStart: true, network: only });
    reconciled.differences.push(...page.differences);
    after = page.next;
  }
  await freezeWhatDiffers(deps, reconciled.differences);
  if (code === undefined) {
    onPart?.(["invoices"]);
    for (let after: number | undefined = 0; after !== undefined;) {
      const page = await checkInvoicesPage(deps, after);
      reconciled.invoices.push(...page.wrong);
      after = page.next;
    }
  }
  const rest = new Set(networks.map((network) => network.code));
  onPart?.([...rest]);
  const chains = await allDone(networks.map(async (network) => {
    const step = { network, afterId: 0, pagesMax: Infinity, isEverywhere, among: "all" } as const;
    const found = await reconcileChain(deps, step);
    rest.delete(network.code);
    if (rest.size > 0) onPart?.([...rest]);
    return found;
  }));
  for (const { differences, surplus, skipped } of chains) {
    reconciled.differences.push(...differences);
    reconciled.surplus.push(...surplus);
    reconciled.skipped.push(...skipped);
  }
  return reconciled;
}

const LEDGER_PAGES_PER_RUN = 10;
const ADDRESS_PAGES_PER_RUN = 10;
/** However many addresses have received something, the others have their turn. */
const OTHER_PAGES_PER_RUN_MIN = 2;
const CHAIN_EVERY_MS = 300_000;

/** One bounded part of the ledger per run. */
export async function checkSomeLedgers(deps: Deps): Promise<void> {
  const { reconciledTo } = deps.memory;
  for (let page = 0; page < LEDGER_PAGES_PER_RUN; page++) {
    const after = reconciledTo.ledger ?? FIRST_ASSET;
    const { differences, next } = await checkLedgerPage(deps, { after, isFromStart: false });
    await freezeWhatDiffers(deps, differences);
    reconciledTo.ledger = next;
    if (next === undefined) break;
  }
}

/**
 * One bounded part of a network's addresses, every five minutes: first of those that ever received
 * something, because anybody can have a million others made.
 */
export async function reconcileNetwork(
  deps: Deps,
  { network }: { network: NetworkRow },
): Promise<void> {
  const { chains } = deps.memory.reconciledTo;
  const seen = { ...chains.get(network.code) ?? { dueAtMs: 0, received: 0, others: 0 } };
  if (deps.clock.nowMs() < seen.dueAtMs) return;
  let pages = ADDRESS_PAGES_PER_RUN;
  for (const among of ["received", "others"] as const) {
    const step = { network, afterId: seen[among], pagesMax: pages, among };
    const { next, pagesRead } = await reconcileChain(deps, {
      ...step,
      keepMark: (at) => void chains.set(network.code, { ...seen, [among]: at }),
    });
    seen[among] = next;
    pages = Math.max(OTHER_PAGES_PER_RUN_MIN, pages - pagesRead);
  }
  chains.set(network.code, { ...seen, dueAtMs: deps.clock.nowMs() + CHAIN_EVERY_MS });
}

/** One account's currency now, without saving anything. */
export async function lookAgain(deps: Deps, asset: BalanceKey): Promise<Reconciled> {
  const network = await findNetwork(deps, asset.network);
  const step = { network, afterId: 0, pagesMax: Infinity, among: "all", of: asset } as const;
  const { next: _, pagesRead: __, ...found } = await compareWithChain(deps, step);
  const inBooks = await checkLedgerOf(deps, asset);
  return { ...found, differences: [...inBooks, ...found.differences] };
}

interface ChainStep {
  readonly network: NetworkRow;
  readonly afterId: number;
  readonly pagesMax: number;
  readonly among: Among;
  readonly isEverywhere?: boolean;
  /** Only this; everything if absent. */
  readonly of?: BalanceKey;
}

interface Compared {
  readonly differences: readonly Difference[];
  readonly surplus: readonly Surplus[];
  readonly left: readonly LeftBehind[];
  /** Where the next page begins: 0 is the first. */
  readonly next: number;
}

interface Looked extends Reconciled {
  readonly next: number;
  readonly pagesRead: number;
}

/** What a page finds has its consequences before the next one is read: a node may take its time. */
async function reconcileChain(
  deps: Deps,
  { keepMark, ...step }: ChainStep & { keepMark?(next: number): void },
): Promise<Looked> {
  return await compareWithChain(deps, step, async ({ differences, surplus, left, next }) => {
    await freezeWhatDiffers(deps, differences);
    for (const one of surplus) await alertSurplus(deps, one);
    for (const one of left) await sweepLeftBehind(deps, { network: step.network, ...one });
    keepMark?.(next);
  });
}

/** A node that doesn't answer or has pruned the block proves nothing; it is asked again another time. */
async function compareWithChain(
  deps: Deps,
  step: ChainStep,
  onPage?: (page: Compared) => Promise<void>,
): Promise<Looked> {
  const { network } = step;
  const found: Reconciled = { differences: [], surplus: [], invoices: [], skipped: [] };
  let next = step.afterId;
  let pagesRead = 0;
  try {
    for await (const page of pagesOf(deps, step)) {
      pagesRead++;
      found.differences.push(...page.differences);
      found.surplus.push(...page.surplus);
      next = page.next;
      await onPage?.(page);
    }
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof TamperedRow)) throw error;
    found.skipped.push({ network: network.code, reason: error.message });
    const fields = { network: network.code, error: error.message };
    // The follower reports the failure itself, and the command line lists what was skipped.
    deps.log.debug("the books were not compared with the chain", fields);
  }
  return { ...found, next, pagesRead };
}

/** The hot wallets, then the deposit addresses. */
async function* pagesOf(
  deps: Deps,
  { network, afterId, pagesMax, among, isEverywhere = false, of }: ChainStep,
): AsyncGenerator<Compared> {
  await genuineSetUp(deps, network);
  const chain = deps.chains.of(network);
  const areCoinsSeen = hasOutputs(network) || chain.areCoinsLogged?.() ||
    await usesTraces(deps, { network, chain });
  const reach = isEverywhere ? "everything" : areCoinsSeen ? "booked" : "coins";
  if (among !== "others") {
    const wallets = hasOutputs(network)
      ? await checkHotOutputs(deps, { network, chain })
      : await checkHotWallets(deps, { network, chain });
    const differences = wallets.filter((one) => !of || isOf(one, of));
    yield { differences, surplus: [], left: [], next: afterId };
  }
  let at: number | undefined = afterId;
  for (let page = 0; page < pagesMax && at !== undefined; page++) {
    const asked = { network, chain, afterId: at, reach, among, ...of ? { of } : {} } as const;
    const checked = await checkAddressesPage(deps, asked);
    yield { ...checked, next: checked.next ?? 0 };
    at = checked.next;
  }
}

function isOf({ accountId, currency }: Difference, of: BalanceKey): boolean {
  return accountId === of.accountId && currency === of.currency;
}

/** Dust is only listed, because anybody can send it. */
async function alertSurplus(deps: Deps, surplus: Surplus): Promise<void> {
  const { network, address, currency, amount, accountId } = surplus;
  const row = (await deps.catalog.current()).currency(network, currency);
  const asset = assetOf(surplus);
  const minimum = Amount.parse(row?.minDepositAmount ?? "0", asset);
  if (Amount.parse(amount, asset).isLessThan(minimum)) return;
  await raiseAlert(deps, {
    ...surplusAlert(surplus),
    message: `${address} holds ${amount} ${currency} on ${network} that no transaction explains`,
    advice: { code: "credit_surplus", network, address, currency, amount, accountId },
  });
}

/**
 * What to check besides booked currencies: coins on every address, if contract payments may go
 * unnoticed, or everything on every address.
 */
type Reach = "booked" | "coins" | "everything";

/** Those that a payment ever reached, those that none did, or both. */
type Among = "all" | "received" | "others";

interface AddressesPage {
  readonly differences: Difference[];
  readonly surplus: Surplus[];
  readonly left: LeftBehind[];
  /** The last one of it; undefined at the end. */
  readonly next: number | undefined;
}

/** Compares a page of deposit addresses with the books at the same block. */
async function checkAddressesPage(
  deps: Deps,
  { network, chain, afterId, reach, of, among }: {
    network: NetworkRow;
    chain: Chain;
    afterId: number;
    reach: Reach;
    among: Among;
    /** Only these; all if absent. */
    of?: Pick<BalanceKey, "accountId" | "currency">;
  },
): Promise<AddressesPage> {
  const limit = ADDRESSES_PER_PAGE;
  const pick = among === "received"
    ? { receivedAfterId: afterId, limit }
    : { accountId: of?.accountId, afterId, limit };
  const { block, addresses } = await booksAt(deps, { network: network.code, pick });
  const catalog = await deps.catalog.current();
  const all = catalog.currencies.flatMap((row) =>
    row.network === network.code ? [row.contractAddress] : []
  );
  const ours = addresses.filter(({ source }) => source === "seed");
  const wanted = among === "others" ? ours.filter(({ hasReceived }) => !hasReceived) : ours;
  const asked = wanted.flatMap((book) =>
    contractsAsked(book, { reach, all }).map((contract) => ({
      book,
      currency: present(catalog.currencyByContract(network.code, contract), "Currencies stay"),
      booked: book.books.get(contract) ?? NOTHING_BOOKED,
    }))
  ).filter(({ currency }) => !of || currency.symbol === of.currency);
  const judged = asked.length === 0 ? [] : await judgeAll(chain, {
    asked,
    block: present(block, "Books are read at a block"),
  });
  return {
    differences: judged.flatMap(({ difference }) => difference ?? []),
    surplus: judged.flatMap(({ surplus }) => surplus ?? []),
    left: judged.flatMap(({ left }) => left && isExact(network, left.currency) ? left : []),
    next: addresses.length < ADDRESSES_PER_PAGE ? undefined : last(addresses).id,
  };
}

function contractsAsked(
  { books }: AddressBook,
  { reach, all }: { reach: Reach; all: readonly (string | null)[] },
): readonly (string | null)[] {
  if (reach === "everything") return all;
  const booked = [...books].filter(([, { seenRaw }]) => seenRaw > 0n).map(([contract]) => contract);
  return reach === "coins" && !booked.includes(null) ? [...booked, null] : booked;
}

interface Asked {
  readonly book: AddressBook;
  readonly currency: CurrencyRow;
  readonly booked: Booked;
}

async function judgeAll(
  chain: Chain,
  { asked, block }: { asked: readonly Asked[]; block: BlockAt },
) {
  const found = await chain.balancesAt(
    block,
    asked.map(({ book, currency }) => ({
      address: book.address,
      contract: currency.contractAddress,
    })),
  );
  return zip(asked, found).map(([one, foundRaw]) =>
    judge({ ...one, foundRaw, height: block.height })
  );
}

function judge(
  { book, currency, booked, foundRaw, height }: Asked & { foundRaw: bigint; height: number },
): { difference?: Difference; surplus?: Surplus; left?: LeftBehind } {
  const { accountId, address, id: addressId } = book;
  const asset = { accountId, network: currency.network, currency: currency.symbol };
  if (foundRaw < booked.creditedRaw) {
    const expected = amountOf(booked.creditedRaw, currency);
    const found = amountOf(foundRaw, currency);
    const detail = `deposit address ${address} lacks ${expected.minus(found)} ` +
      `${currency.symbol} of what was credited and not swept, at block ${height}`;
    const kind = "deposit_address";
    return {
      difference: { ...asset, kind, expected: `${expected}`, found: `${found}`, detail },
    };
  }
  const left = booked.leftRaw > 0n && { left: { addressId, address, currency } };
  const knownRaw = booked.seenRaw + booked.orphanedRaw;
  if (foundRaw <= knownRaw) return { ...left };
  const amount = amountOf(foundRaw - knownRaw, currency).toString();
  return { ...left, surplus: { ...asset, address, amount } };
}

/** Whether each hot wallet can pay its signed and unmined transfers. */
async function checkHotWallets(
  deps: Deps,
  { network, chain }: { network: NetworkRow; chain: Chain },
): Promise<Difference[]> {
  // Outputs that are promised are not among what a wallet has there.
  if (familyOf(network.family).holdings === "outputs") return [];
  const bids = await openBidsOfHotWallets(deps.db, { network: network.code, limit: BIDS_MAX });
  if (bids.length === 0) return [];
  const catalog = await deps.catalog.current();
  const { block } = first(bids);
  const asked = [...Map.groupBy(bids, ({ sender }) => sender).values()].flatMap(committedBalances);
  const found = await chain.balancesAt(block, asked);
  return zip(asked, found).flatMap(([{ accountId, address, contract, committedRaw }, foundRaw]) => {
    if (foundRaw >= committedRaw) return [];
    const currency = present(catalog.currencyByContract(network.code, contract), "Currencies stay");
    return [{
      accountId,
      network: network.code,
      currency: currency.symbol,
      kind: "hot_wallet" as const,
      expected: amountOf(committedRaw, currency).toString(),
      found: amountOf(foundRaw, currency).toString(),
      detail: `hot wallet ${address} does not hold the ${currency.symbol} that its signed ` +
        `transfers may take, at block ${block.height}`,
    }];
  });
}

/** Whether nodes have each output of hot wallets that no block has spent. */
async function checkHotOutputs(
  { db, catalog }: Deps,
  { network, chain }: { network: NetworkRow; chain: Chain },
): Promise<Difference[]> {
  const { code } = network;
  const block = await newestRead({ db }, network);
  const wallets = await hotWallets(db, { network: code, limit: BIDS_MAX });
  if (!block || wallets.length === 0) return [];
  const { height } = block;
  const addresses = wallets.map(({ address }) => address);
  const held = Map.groupBy(
    await outputsHeldAt(db, { network: code, addresses, height }),
    ({ address }) => address,
  );
  const asked = addresses.map((address) => ({ address, contract: null }));
  const found = await chain.balancesAt(block, asked);
  const currency = present((await catalog.current()).currencyByContract(code, null), "It has one");
  return zip(wallets, found).flatMap(([{ accountId, address }, foundRaw]) => {
    const outputs = held.get(address) ?? [];
    const bookedRaw = outputs.reduce((sum, { amountRaw }) => sum + BigInt(amountRaw), 0n);
    if (foundRaw >= bookedRaw || accountId === null) return [];
    const [expected, has] = [bookedRaw, foundRaw].map((raw) => amountOf(raw, currency));
    return [{
      accountId,
      network: code,
      currency: currency.symbol,
      kind: "hot_wallet" as const,
      expected: `${expected}`,
      found: `${has}`,
      detail: `hot wallet ${address} does not have all the outputs that no block has spent, at ` +
        `block ${height}`,
    }];
  });
}

function committedBalances(bids: readonly OpenBid[]) {
  const { accountId, sender: address } = first(bids);
  const tokens = bids.flatMap(({ tokens }) => tokens.map(({ contract }) => contract));
  const contracts = new Set([...tokens, null]);
  const commitments = new Commitments(bids);
  return [...contracts].map((contract) => ({
    accountId,
    address,
    contract,
    committedRaw: commitments.of(contract),
  }));
}

interface InvoicesPage {
  readonly wrong: readonly WrongSums[];
  /** Where the next page begins; undefined at the end. */
  readonly next: number | undefined;
}

/** Compares what is kept of invoices with their payments and refunds, and puts right what differs. */
async function checkInvoicesPage(deps: Deps, afterId: number): Promise<InvoicesPage> {
  const ids = await paidInvoices(deps.db, { afterId, limit: INVOICES_PER_PAGE });
  const found = await mapInPortions(ids, async (id) => {
    const row = await deps.db.get(Invoices, [id]);
    return isSettled(deps, row) ? await checkInvoice(deps, row) : undefined;
  });
  const wrong = found.filter((one) => one !== undefined);
  return { wrong, next: ids.length < INVOICES_PER_PAGE ? undefined : ids.at(-1) };
}

/** Nothing has come that isn't added up yet. Other checks report rows that somebody else wrote. */
function isSettled({ db }: Deps, row: InvoiceRow): boolean {
  return isAddedUp(row) && db.isGenuine(Invoices, row);
}

async function checkInvoice(deps: Deps, row: InvoiceRow): Promise<WrongSums | undefined> {
  const sums = await sumsFromBooks(deps, row);
  if (isDeepStrictEqual(sums, row.sums)) return undefined;
  const subject = `invoice:${row.id}`;
  const isRight = await deps.db.write({
    reads: [read(Invoices, [row.id])],
    decide: (view) => {
      const now = view.get(Invoices, [row.id]);
      if (!isDeepStrictEqual(now, row)) return false;
      // The worker decides what follows, and reports it.
      view.update(Invoices, now, { sums, judgeAtMs: MARKED });
      const detail = { before: row.sums, after: sums };
      const action = "invoice.added_up_again";
      recordAudit(view, { actor: "worker", action, subject, detail, nowMs: view.nowMs });
      return true;
    },
  });
  if (!isRight) return undefined;
  const { id: invoiceId, accountId, currency } = row;
  const kept = row.sums?.confirmed ?? "0";
  return { invoiceId, accountId, currency, expected: sums.confirmed, found: kept };
}
