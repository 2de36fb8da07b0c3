import { first } from "../../base/lists.ts";
import { allDone } from "../../base/waiting/all_done.ts";
import { NodeError } from "../../chains/faults.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import type { Difference, Surplus } from "../../domain/difference.ts";
import type { BalanceKey } from "../../store/tables/ledger.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { raiseAlert, surplusAlert } from "../books/alerts.ts";
import { checkAddressesPage } from "./_check_addresses.ts";
import { checkHotWallets } from "./_check_hot_wallets.ts";
import { checkLedgerOf, checkLedgerPage, FIRST_ASSET } from "../integrity/check_ledger.ts";
import { freezeWhatDiffers } from "../integrity/freeze.ts";
import { usesTraces } from "../following/use_traces.ts";
import type { Deps } from "../deps.ts";
import { findNetwork } from "../books/find.ts";
import { genuineSetUp } from "../integrity/genuine_set_up.ts";
import { TamperedRow } from "../books/tampered.ts";

export interface Reconciled {
  readonly differences: Difference[];
  readonly surplus: Surplus[];
  /** Networks whose nodes did not answer, so their addresses are unchecked. */
  readonly skipped: { readonly network: string; readonly reason: string }[];
}

interface ReconcileOrder {
  /** Absent: all of them. */
  readonly network: string | undefined;
  /** Every currency on every deposit address, even if the books have none of it there. */
  readonly isEverywhere?: boolean;
  /** Before the ledger, and before each network. */
  onPart?(part: string): void;
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
  const reconciled: Reconciled = { differences: [], surplus: [], skipped: [] };
  onPart?.("the ledger");
  for (let after: BalanceKey | undefined = FIRST_ASSET; after !== undefined;) {
    const page = await checkLedgerPage(deps, { after, isFromStart: true, network: only });
    reconciled.differences.push(...page.differences);
    after = page.next;
  }
  await freezeWhatDiffers(deps, reconciled.differences);
  for (const network of networks) {
    onPart?.(network.code);
    const step = { network, afterId: 0, pagesMax: Infinity, isEverywhere };
    const { differences, surplus, skipped } = await reconcileChain(deps, step);
    reconciled.differences.push(...differences);
    reconciled.surplus.push(...surplus);
    reconciled.skipped.push(...skipped);
  }
  return reconciled;
}

const LEDGER_PAGES_PER_RUN = 10;
const ADDRESS_PAGES_PER_RUN = 10;
const CHAIN_EVERY_MS = 300_000;

/** One bounded part of it per run. */
export async function reconcileSome(deps: Deps): Promise<void> {
  const { reconciledTo } = deps.memory;
  for (let page = 0; page < LEDGER_PAGES_PER_RUN; page++) {
    const after = reconciledTo.ledger ?? FIRST_ASSET;
    const { differences, next } = await checkLedgerPage(deps, { after, isFromStart: false });
    await freezeWhatDiffers(deps, differences);
    reconciledTo.ledger = next;
    if (next === undefined) break;
  }
  const { networks } = await deps.catalog.current();
  await allDone(
    networks.filter((row) => row.isActive).map(async (network) => {
      const chain = reconciledTo.chains.get(network.code) ?? { dueAtMs: 0, afterId: 0 };
      if (deps.clock.nowMs() < chain.dueAtMs) return;
      const step = { network, afterId: chain.afterId, pagesMax: ADDRESS_PAGES_PER_RUN };
      const { next } = await reconcileChain(deps, step);
      const dueAtMs = deps.clock.nowMs() + CHAIN_EVERY_MS;
      reconciledTo.chains.set(network.code, { dueAtMs, afterId: next });
    }),
  );
}

/** One account's currency now, without saving anything. */
export async function lookAgain(deps: Deps, asset: BalanceKey): Promise<Reconciled> {
  const network = await findNetwork(deps, asset.network);
  const step = { network, afterId: 0, pagesMax: Infinity, of: asset };
  const { next: _, ...found } = await compareWithChain(deps, step);
  const inBooks = await checkLedgerOf(deps, asset);
  return { ...found, differences: [...inBooks, ...found.differences] };
}

interface ChainStep {
  readonly network: NetworkRow;
  readonly afterId: number;
  readonly pagesMax: number;
  readonly isEverywhere?: boolean;
  /** Only this; everything if absent. */
  readonly of?: BalanceKey;
}

async function reconcileChain(
  deps: Deps,
  step: ChainStep,
): Promise<Reconciled & { next: number }> {
  const found = await compareWithChain(deps, step);
  await freezeWhatDiffers(deps, found.differences);
  for (const surplus of found.surplus) await alertSurplus(deps, surplus);
  return found;
}

/** A node that doesn't answer or has pruned the block proves nothing; it is asked again another time. */
async function compareWithChain(
  deps: Deps,
  { network, afterId, pagesMax, isEverywhere = false, of }: ChainStep,
): Promise<Reconciled & { next: number }> {
  const found: Reconciled = { differences: [], surplus: [], skipped: [] };
  let at: number | undefined = afterId;
  try {
    await genuineSetUp(deps, network);
    const chain = deps.chains.of(network);
    const isTraced = await usesTraces(deps, { network, chain });
    const reach = isEverywhere ? "everything" : isTraced ? "booked" : "coins";
    const wallets = await checkHotWallets(deps, { network, chain });
    found.differences.push(...wallets.filter((one) => !of || isOf(one, of)));
    for (let page = 0; page < pagesMax && at !== undefined; page++) {
      const asked = { network, chain, afterId: at, reach, ...of ? { of } : {} } as const;
      const checked = await checkAddressesPage(deps, asked);
      found.differences.push(...checked.differences);
      found.surplus.push(...checked.surplus);
      at = checked.next;
    }
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof TamperedRow)) throw error;
    found.skipped.push({ network: network.code, reason: error.message });
    const fields = { network: network.code, error: error.message };
    // The follower reports the failure itself, and the command line lists what was skipped.
    deps.log.debug("the books were not compared with the chain", fields);
  }
  return { ...found, next: at ?? 0 };
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
