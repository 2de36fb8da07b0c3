import type { Advice } from "../../domain/advice.ts";
import type { AlertKind } from "../../domain/alert_kinds.ts";
import type { Surplus } from "../../domain/difference.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { Alerts } from "../../store/tables/alerts.ts";
import { type Read, read, type View } from "../../store/engine/workspace.ts";
import type { Deps } from "../deps.ts";

export interface NewAlert {
  readonly kind: AlertKind;
  readonly subject: string;
  readonly message: string;
  readonly advice?: Advice;
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
  const { kind, subject, message, advice = null, nowMs } = alert;
  if (view.find(Alerts, [kind, subject, 1], "open")) return false;
  const times = { createdAtMs: nowMs, resolvedAtMs: null };
  view.insert(Alerts, { kind, subject, message, advice, open: 1, ...times });
  return true;
}

/** Closes the alert once its cause is resolved. */
export function closeAlert(
  view: View,
  { kind, subject, nowMs }: Pick<NewAlert, "kind" | "subject"> & { nowMs: number },
): void {
  const row = view.find(Alerts, [kind, subject, 1], "open");
  if (row) view.update(Alerts, row, { open: null, resolvedAtMs: nowMs });
}
