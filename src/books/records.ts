import { randomToken } from "../base/bytes.ts";
import { invariant } from "../base/assert.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { applyEntry, available, type Balance, type LedgerKind } from "../domain/money/balance.ts";
import type { EventType } from "../webhooks/rules/events.ts";
import type { Said } from "../audit/rules/deeds.ts";
import { isoUtc } from "../domain/time.ts";
import { type BalanceRow, Balances, LedgerEntries } from "./table.ts";
import { AuditLog } from "../audit/table.ts";
import { Events } from "../webhooks/tables/events.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import type { Actor } from "../deps/deps.ts";

export interface Asset {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
}

interface Entry extends Asset {
  readonly kind: LedgerKind;
  readonly amount: Amount;
  readonly transactionId?: number;
  readonly withdrawalId?: number;
  readonly note?: string;
  readonly nowMs: number;
  /** If at hand. */
  readonly balance?: Read<BalanceRow>;
}

export function balanceRead({ accountId, network, currency }: Asset): Read<BalanceRow> {
  return read(Balances, [accountId, network, currency]);
}

export function balanceOf(
  view: View,
  asset: Asset,
  { at = balanceRead(asset) }: { at?: Read<BalanceRow> } = {},
): Balance {
  return balanceIn(view.rowOf(at), assetOf(asset));
}

export function availableIn(row: BalanceRow): Amount {
  return available(balanceIn(row, assetOf(row)));
}

/**
 * Of the last row, because rows never change, and the next unit of a group often looks at the same
 * one. A `WeakMap` would keep the balances of all rows until the whole heap is collected.
 */
const parsed: { row?: BalanceRow; balance?: Balance } = {};

function balanceIn(row: BalanceRow | undefined, name: string): Balance {
  if (!row) return { balance: Amount.zero(name), held: Amount.zero(name) };
  if (parsed.row === row && parsed.balance) return parsed.balance;
  const balance = { balance: Amount.parse(row.balance, name), held: Amount.parse(row.held, name) };
  return remember(row, balance);
}

function remember(row: BalanceRow, balance: Balance): Balance {
  parsed.row = row;
  parsed.balance = balance;
  return balance;
}

const NO_WORTH = { value: null, valueCurrency: null };

/** The only way a balance changes: together with the entry that explains it. */
export function postEntry(view: View, entry: Entry): BalanceRow {
  const { accountId, network, currency, kind, amount, nowMs } = entry;
  invariant(
    amount.asset === assetOf(entry),
    () => `An entry of ${amount.asset} belongs to another balance`,
  );
  // What has left the chain is taken back in any case: one account must not stop a network.
  const row = (kind === "reversal" ? view.raw : view).rowOf(entry.balance ?? balanceRead(entry));
  const after = applyEntry(balanceIn(row, amount.asset), { kind, amount });
  const next = { balance: after.balance.toString(), held: after.held.toString() };
  const worth = view.worthOf({ accountId, network, currency, amount, nowMs: view.nowMs }) ??
    NO_WORTH;
  view.insert(LedgerEntries, {
    accountId,
    network,
    currency,
    kind,
    amount: amount.toString(),
    balanceAfter: next.balance,
    heldAfter: next.held,
    transactionId: entry.transactionId ?? null,
    withdrawalId: entry.withdrawalId ?? null,
    note: entry.note ?? null,
    createdAtMs: nowMs,
    value: worth.value,
    valueCurrency: worth.valueCurrency,
  });
  const changed = row
    ? view.update(Balances, row, next)
    : view.insertKeyed(Balances, { accountId, network, currency, ...next });
  remember(changed, after);
  return changed;
}

interface NewEvent {
  readonly accountId: number;
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
  readonly transactionId?: number;
  readonly withdrawalId?: number;
  readonly nowMs: number;
}

/** Written together with the change it reports. */
export function recordEvent(view: View, event: NewEvent): void {
  const eventId = `evt_${randomToken(18)}`;
  view.insert(Events, {
    eventId,
    accountId: event.accountId,
    type: event.type,
    transactionId: event.transactionId ?? null,
    withdrawalId: event.withdrawalId ?? null,
    payload: { id: eventId, type: event.type, timestamp: isoUtc(event.nowMs), data: event.data },
    createdAtMs: event.nowMs,
  });
}

type AuditEntry = Said & {
  readonly actor: Actor;
  readonly subject: string;
  readonly nowMs: number;
};

export function recordAudit(
  view: View,
  { actor, action, subject, detail, nowMs }: AuditEntry,
): void {
  const from = typeof actor === "string" ? { name: actor, ip: null } : actor;
  view.insert(AuditLog, {
    atMs: nowMs,
    actor: from.name,
    ip: from.ip,
    action,
    subject,
    detail: detail ?? {},
    // Set by the store once the row has its place in the log.
    hash: null,
  });
}
