import { type AccountRow, Accounts } from "./tables/accounts.ts";
import { isReferenceNoted } from "../audit/reads/audit.ts";
import { findAccount, findCurrency } from "../books/find.ts";
import { lossAt } from "../books/lost_money.ts";
import { newestEntry } from "../books/reads/ledger.ts";
import { type Asset, balanceOf, balanceRead, postEntry, recordAudit } from "../books/records.ts";
import {
  type AdjustmentReferenceRow,
  AdjustmentReferences,
  type BalanceRow,
  type LedgerEntryRow,
} from "../books/table.ts";
import { rulesOf } from "../chains/registry.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { available, type Balance } from "../domain/money/balance.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { isoUtc } from "../domain/time.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { sourceOf } from "../wallets/rules/key_path.ts";
import { looksLikeKey, readKey } from "./receiver.ts";
import { Addresses } from "../wallets/tables/addresses.ts";

/** Two equal entries this close together are probably one that was sent twice. */
const REPEAT_MS = 60_000;

export async function createAccount(
  deps: Deps,
  { name, actor }: { name: string; actor: Actor },
): Promise<AccountRow> {
  const nowMs = deps.clock.nowMs();
  return await deps.db.write({
    reads: [],
    decide: (view) => {
      const row = view.atOnce("it has nothing yet").insert(Accounts, {
        name,
        mayPush: false,
        suspendedAtMs: null,
        suspendedReason: null,
        createdAtMs: nowMs,
        coolingMs: null,
        requiresSecondFactor: null,
        dualControl: null,
        reporting: null,
        quotaMb: null,
        delegatesNative: null,
      });
      const subject = `account:${row.id}`;
      recordAudit(view, { actor, action: "account.created", subject, detail: row, nowMs });
      return row;
    },
  });
}

/**
 * An address somebody can spend from, and none of our deposit addresses, where it would be booked
 * as a deposit again.
 */
export async function receivingAddress(
  deps: Deps,
  network: NetworkRow,
  text: string,
): Promise<string> {
  const rules = rulesOf(network);
  if (!rules.isAddress(text)) return await receivingKey(deps, network, text);
  const address = rules.canonicalAddress(text);
  const loss = lossAt(await deps.catalog.current(), { network, address });
  if (loss !== undefined) throw refuse("address_unspendable", { address, why: loss });
  const own = await deps.db.find(Addresses, [network.code, address], "address");
  if (own) throw refuse("address_our_own", { address, purpose: own.purpose });
  return address;
}

/** Deposit addresses are derived from it, so that nothing has to be swept. */
async function receivingKey(deps: Deps, network: NetworkRow, text: string): Promise<string> {
  const key = readKey(network, text);
  const { code } = network;
  if (key === "private") throw refuse("xpub_private", { network: code });
  const names = rulesOf(network).extendedKeys?.names ?? "";
  if (key === "other_network") throw refuse("xpub_of_other_network", { network: code, names });
  if (key === "malformed" && looksLikeKey(text)) {
    throw refuse("xpub_malformed", { network: code, names });
  }
  if (typeof key !== "object") throw refuse("address_wrong", { text, network: code });
  const address = key.addressAt(0);
  const own = await deps.db.find(Addresses, [code, address], "address");
  if (own && sourceOf(own) === "seed") {
    throw refuse("address_our_own", { address, purpose: own.purpose });
  }
  return text;
}

interface Adjustment {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  /** Plain digits, with a minus sign to subtract. */
  readonly amount: string;
  readonly note: string;
  /** An order repeated with the same reference is booked once. */
  readonly reference?: string | undefined;
  readonly isNegativeAllowed?: boolean | undefined;
  readonly actor: Actor;
}

interface Adjusted {
  readonly row: BalanceRow;
  /** The reference was already booked, and nothing was booked now. */
  readonly isReplay: boolean;
  /** It is the same as the entry before it, moments ago. */
  readonly isRepeat: boolean;
}

/** A manual ledger entry. May go below zero only if the order says so. */
export async function adjustBalance(deps: Deps, order: Adjustment): Promise<BalanceRow> {
  return (await bookAdjustment(deps, order)).row;
}

export async function bookAdjustment(deps: Deps, order: Adjustment): Promise<Adjusted> {
  const { accountId, actor, note, reference } = order;
  await findAccount(deps, accountId);
  const { network, symbol } = await findCurrency(deps, {
    network: order.network,
    symbol: order.currency,
  });
  const asset = { accountId, network, currency: symbol };
  const amount = Amount.parse(order.amount, assetOf(asset));
  const nowMs = deps.clock.nowMs();
  const last = await newestEntry(deps.db, asset);
  const key = [accountId, reference ?? ""];
  const subject = `account:${accountId}`;
  const isNoted = reference ? await isReferenceNoted(deps.db, { subject, reference }) : false;
  return await deps.db.write({
    reads: [balanceRead(asset), ...reference ? [read(AdjustmentReferences, key)] : []],
    decide: (view) => {
      const before = reference ? view.find(AdjustmentReferences, key) : undefined;
      if (before) {
        return { row: bookedBefore(before, { asset, amount }), isReplay: true, isRepeat: false };
      }
      // Whoever took out its row would otherwise have it booked once more.
      if (isNoted) throw refuse("reference_lost", { reference: reference! });
      if (!order.isNegativeAllowed) assertCovered(balanceOf(view, asset), { asset, amount });
      const had = balanceOf(view, asset).balance.toString();
      const row = postEntry(view, { ...asset, kind: "adjust", amount, note, nowMs });
      if (reference) noteReference(view, { ...row, reference, amount: amount.toString(), nowMs });
      const booked = { ...asset, amount: amount.toString(), note, ...reference && { reference } };
      const sides = { before: { balance: had }, after: { balance: row.balance } };
      const detail = { ...booked, ...sides };
      recordAudit(view, { actor, action: "account.adjusted", subject, detail, nowMs });
      return {
        row,
        isReplay: false,
        isRepeat: !reference && isRepeat(last, { amount, note, nowMs }),
      };
    },
  });
}

/** A reference returns what it booked before; a different order under it is refused. */
function bookedBefore(
  before: AdjustmentReferenceRow,
  { asset, amount }: { asset: Asset; amount: Amount },
): BalanceRow {
  const { accountId, network, currency, reference } = before;
  const isSame = network === asset.network && currency === asset.currency &&
    before.amount === amount.toString();
  if (isSame) {
    return { accountId, network, currency, balance: before.balanceAfter, held: before.heldAfter };
  }
  const at = isoUtc(before.createdAtMs);
  throw refuse("reference_taken", { reference, amount: before.amount, currency, network, at });
}

function noteReference(
  view: View,
  order: BalanceRow & { reference: string; amount: string; nowMs: number },
): void {
  const { balance, held, nowMs, ...fields } = order;
  const after = { balanceAfter: balance, heldAfter: held };
  view.insertKeyed(AdjustmentReferences, { ...fields, ...after, createdAtMs: nowMs });
}

/** A typo must not make an account's balance negative. */
function assertCovered(
  balance: Balance,
  { asset, amount }: { asset: Asset; amount: Amount },
): void {
  const before = available(balance);
  const left = before.plus(amount);
  if (!amount.isNegative() || !left.isNegative()) return;
  throw refuse("adjustment_uncovered", {
    ...asset,
    available: before.toString(),
    amount: amount.toString(),
    left: left.toString(),
  });
}

function isRepeat(
  last: LedgerEntryRow | undefined,
  { amount, note, nowMs }: { amount: Amount; note: string; nowMs: number },
): boolean {
  return last?.kind === "adjust" && last.amount === amount.toString() && last.note === note &&
    nowMs - last.createdAtMs < REPEAT_MS;
}
