import { HAND_KEY_PREFIX } from "../access/manage_api_keys.ts";
import { chunksOf } from "../base/lists.ts";
import { nextTurn } from "../base/waiting/next_turn.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { costOf } from "../domain/money/most_payable.ts";
import { isoUtc } from "../domain/time.ts";
import type { CurrencyRow } from "../networks/table.ts";
import { type CheckedPayout, checkPayout, type PayoutFault } from "./check.ts";
import { payableOf } from "./payable.ts";
import { withdrawalsReferred } from "./reads.ts";
import type { FileLine, LineFault } from "./rules/read_file.ts";

const LINES_AT_ONCE = 50;

export interface BatchSum {
  /** As in "ETH/USDT". */
  readonly asset: string;
  readonly lines: number;
  readonly amount: Amount;
  readonly fee: Amount;
  /** What leaves the balance. */
  readonly cost: Amount;
  readonly available: Amount;
  /** What the hot wallet can pay; undefined: no node answers. */
  readonly hot: Amount | undefined;
}

export interface CheckedBatch {
  readonly lines: readonly { readonly line: number; readonly checked: CheckedPayout }[];
  readonly references: readonly LineFault[];
  readonly sums: readonly BatchSum[];
}

interface BatchWish {
  readonly accountId: number;
  readonly lines: readonly FileLine[];
}

/**
 * Everything that stands against a batch, before anything is written. An account's batches are
 * checked one at a time and in portions, so that others wait for a portion at most.
 */
export async function checkBatch(deps: Deps, wish: BatchWish): Promise<CheckedBatch> {
  return await deps.memory.batchTurns.run(String(wish.accountId), async () => {
    const lines = [];
    for (const portion of chunksOf(wish.lines, LINES_AT_ONCE)) {
      lines.push(...await Promise.all(portion.map((line) => checkLine(deps, wish, line))));
      await nextTurn();
    }
    const references = await takenReferences(deps, wish);
    return { lines, references, sums: await batchSums(deps, wish) };
  });
}

async function checkLine(
  deps: Deps,
  { accountId }: BatchWish,
  { line, ...one }: FileLine,
): Promise<CheckedBatch["lines"][number]> {
  const checked = await checkPayout(deps, { ...one, accountId });
  return { line, checked: { ...checked, faults: checked.faults.filter(isOfLine) } };
}

/** What is available is compared with the sum of all lines instead. */
function isOfLine({ code }: PayoutFault): boolean {
  return code !== "insufficient_balance";
}

async function takenReferences({ db }: Deps, wish: BatchWish): Promise<LineFault[]> {
  const { accountId, lines } = wish;
  const references = lines.flatMap(({ reference }) => reference ?? []);
  if (references.length === 0) return [];
  const keyId = `${HAND_KEY_PREFIX}${accountId}`;
  const found = await withdrawalsReferred(db, { keyId, references });
  const byReference = new Map(found.map((row) => [row.clientReference, row]));
  return lines.flatMap(({ line, reference }) => {
    const row = reference === null ? undefined : byReference.get(reference);
    if (!row) return [];
    const day = isoUtc(row.requestedAtMs).slice(0, 10);
    return [{ line, text: `Its reference belongs to payout ${row.id} of ${day}` }];
  });
}

/** By currency, compared with what can be paid at this moment. */
export async function batchSums(deps: Deps, wish: BatchWish): Promise<BatchSum[]> {
  const catalog = await deps.catalog.current();
  const payable = await payableOf(deps, wish.accountId);
  return payable.flatMap(({ currency, available, hot }): BatchSum[] => {
    const asset = assetOf({ network: currency.network, currency: currency.symbol });
    const lines = wish.lines.filter((one) =>
      catalog.currency(one.network, one.currency) === currency
    );
    if (lines.length === 0) return [];
    const zero = Amount.zero(asset);
    const costs = lines.map(({ amount }) => costIn(currency, amount));
    return [{
      ...{ asset, available, hot, lines: lines.length },
      amount: costs.reduce((sum, { amount }) => sum.plus(amount), zero),
      fee: costs.reduce((sum, { fee }) => sum.plus(fee), zero),
      cost: costs.reduce((sum, { cost }) => sum.plus(cost), zero),
    }];
  });
}

function costIn(currency: CurrencyRow, text: string) {
  const asset = assetOf({ network: currency.network, currency: currency.symbol });
  const amount = Amount.parse(text, asset).truncatedTo(currency.decimals);
  return { amount, ...costOf(amount, currency) };
}

/** The books cover it, and so does the hot wallet. */
export function isCovered({ cost, amount, available, hot }: BatchSum): boolean {
  return !available.isLessThan(cost) && hot !== undefined && !hot.isLessThan(amount);
}
