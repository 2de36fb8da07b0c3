import type { AlertKind } from "../alerts/rules/alert_kinds.ts";
import { type AlertRow, Alerts, Notices } from "../alerts/table.ts";
import type { Deps } from "../deps/deps.ts";
import type { Advice } from "../domain/advice.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { NoticeTopic } from "../notifications/rules/notices.ts";
import type { Surplus } from "../reconcile/rules/difference.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";

export interface NewAlert {
  readonly kind: AlertKind;
  readonly subject: string;
  readonly message: string;
  readonly advice?: Advice;
  /** Whom it concerns besides operators. */
  readonly accountId?: number;
}

/** One open alert per kind and subject, however often its cause occurs. */
export async function raiseAlert(deps: Deps, alert: NewAlert): Promise<void> {
  const isNew = await deps.db.write({
    reads: [alertRead(alert.kind, alert.subject)],
    decide: (view) => insertAlert(view, { ...alert, nowMs: deps.clock.nowMs() }),
  });
  if (isNew) logAlert(deps, alert);
}

export function logAlert(
  { log }: Pick<Deps, "log">,
  { kind, subject, message, advice }: NewAlert,
): void {
  const about = { alert: kind, subject };
  log.error(message, advice ? { ...about, advice: advice.code } : about);
}

export function tracesGone(network: string): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "traces_gone", subject: `network:${network}` };
}

export function gasMissingOf({ code }: NetworkRow): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "gas_missing", subject: `network:${code}` };
}

export function surplusAlert(
  { network, address, currency }: Pick<Surplus, "network" | "address" | "currency">,
): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "deposit_surplus", subject: `${network}/${currency} ${address}` };
}

export function alertRead(kind: AlertKind, subject: string): Read {
  return read(Alerts, [kind, subject, 1], "open");
}

/** True if it wasn't already open. */
export function insertAlert(view: View, alert: NewAlert & { nowMs: number }): boolean {
  const { kind, subject, message, advice = null, accountId = null, nowMs } = alert;
  if (view.find(Alerts, [kind, subject, 1], "open")) return false;
  const times = { createdAtMs: nowMs, resolvedAtMs: null, noticedAtMs: nowMs };
  const row = { kind, subject, message, advice, accountId, open: 1 as const, ...times };
  view.insert(Alerts, row);
  noticeAlert(view, { alert: row, is: "Alert", nowMs });
  return true;
}

/** Closes the alert once its cause is resolved. */
export function closeAlert(
  view: View,
  { kind, subject, nowMs }: Pick<NewAlert, "kind" | "subject"> & { nowMs: number },
): void {
  const row = view.find(Alerts, [kind, subject, 1], "open");
  if (row) resolve(view, { row, nowMs });
}

export function resolve(
  view: View,
  { row, nowMs }: { row: AlertRow; nowMs: number },
): AlertRow {
  noticeAlert(view, { alert: row, is: "Resolved", nowMs });
  return view.update(Alerts, row, { open: null, resolvedAtMs: nowMs });
}

interface NewNotice {
  readonly topic: NoticeTopic;
  readonly accountId?: number | null;
  readonly title: string;
  readonly text?: string;
  readonly nowMs: number;
}

/** Written together with what it reports; it is sent later, and never in the way of a payment. */
export function insertNotice(view: View, notice: NewNotice): void {
  const { topic, accountId = null, title, text = "", nowMs } = notice;
  view.insert(Notices, { topic, accountId, title, text, createdAtMs: nowMs });
}

/** An alert that opens, closes, or stays open for another day. */
export function noticeAlert(
  view: View,
  { alert: { kind, subject, message, accountId }, is, nowMs }: {
    alert: Pick<AlertRow, "kind" | "subject" | "message" | "accountId">;
    is: "Alert" | "Resolved" | "Still open";
    nowMs: number;
  },
): void {
  const [what] = message.split(/\.\s/);
  const title = `${is}: ${what}`;
  const text = `${message} (${kind.replaceAll("_", " ")}, ${subject})`;
  insertNotice(view, { topic: "alerts", accountId, title, text, nowMs });
}
