import { first } from "../base/lists.ts";
import { allDone } from "../base/waiting/all_done.ts";
import { NodeError } from "../chains/faults.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { Difference, Surplus, WrongSums } from "./rules/difference.ts";
import type { BalanceKey } from "../books/table.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import { raiseAlert, surplusAlert } from "../books/alerts.ts";
import { type Among, checkAddressesPage } from "./_check_addresses.ts";
import { checkInvoicesPage } from "./_check_invoices.ts";
import { checkHotWallets } from "./_check_hot_wallets.ts";
import { checkLedgerOf, checkLedgerPage, FIRST_ASSET } from "../integrity/check_ledger.ts";
import { freezeWhatDiffers } from "../integrity/freeze.ts";
import { usesTraces } from "../following/use_traces.ts";
import type { Deps } from "../deps/deps.ts";
import { findNetwork } from "../books/find.ts";
import { genuineSetUp } from "../integrity/genuine_set_up.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";

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
  return await compareWithChain(deps, step, async ({ differences, surplus, next }) => {
    await freezeWhatDiffers(deps, differences);
    for (const one of surplus) await alertSurplus(deps, one);
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
  const isTraced = await usesTraces(deps, { network, chain });
  const reach = isEverywhere ? "everything" : isTraced ? "booked" : "coins";
  if (among !== "others") {
    const wallets = await checkHotWallets(deps, { network, chain });
    const differences = wallets.filter((one) => !of || isOf(one, of));
    yield { differences, surplus: [], next: afterId };
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
