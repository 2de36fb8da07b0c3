import { megabytesOf, quotaMbOf } from "./rules/quota.ts";
import { dayEndOf, dayOf, isoUtc } from "../domain/time.ts";
import type { AlertKind } from "../alerts/rules/alert_kinds.ts";
import { type FullAccount, fullestAccounts } from "./reads/accounts.ts";
import { openAlertsOf } from "../notifications/reads/notices.ts";
import { alertRead, closeAlert, insertAlert, logAlert, type NewAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";

/** By kind: from which part of its quota on an account has it. */
const SHARES: readonly (readonly [kind: AlertKind, percent: number])[] = [
  ["quota_nearly_used", 80],
  ["quota_used_up", 100],
];

/** Ends the subject of an alert about payouts, whose share is their own. */
export const PAYOUTS = " payouts";

/** Operators and the account hear that its storage of the day is nearly, or all, used up. */
export async function watchQuotas(deps: Deps): Promise<void> {
  const { db, clock } = deps;
  const today = clock.nowMs();
  const full = await fullestAccounts(db, { dayMs: dayOf(today), percent: SHARES[0]![1] });
  for (const [kind, percent] of SHARES) {
    const endsAtMs = dayEndOf(today);
    const alerts = full.flatMap((account) => {
      const isOver = (bytes: number) => bytes * 100 >= account.bytesMax * percent;
      return [
        ...isOver(account.bytes) ? [alertOf(account, { kind, endsAtMs })] : [],
        ...isOver(account.payoutBytes) ? [payoutAlertOf(account, { kind, endsAtMs })] : [],
      ];
    });
    await settle(deps, { kind, alerts });
  }
}

function alertOf(
  { id, name, bytes, quotaMb }: FullAccount,
  { kind, endsAtMs }: { kind: AlertKind; endsAtMs: number },
): NewAlert {
  const [max, until] = [quotaMbOf({ quotaMb }), isoUtc(endsAtMs)];
  const who = `Account ${id} (${name})`;
  const message = kind === "quota_used_up"
    ? `${who} has stored its ${max} MB of the day: new invoices, addresses, links and settings are ` +
      `refused until ${until}; payments are credited, and payouts have a share of their own`
    : `${who} has stored ${megabytesOf(bytes)} of the ${max} MB that it may until ${until}`;
  return { kind, subject: `account:${id}`, message, accountId: id };
}

function payoutAlertOf(
  { id, name, payoutBytes, quotaMb }: FullAccount,
  { kind, endsAtMs }: { kind: AlertKind; endsAtMs: number },
): NewAlert {
  const [max, until] = [quotaMbOf({ quotaMb }), isoUtc(endsAtMs)];
  const who = `Payouts of account ${id} (${name})`;
  const message = kind === "quota_used_up"
    ? `${who} have stored their ${max} MB of the day: new ones are refused until ${until}; what ` +
      `was accepted is paid`
    : `${who} have stored ${
      megabytesOf(payoutBytes)
    } of the ${max} MB that they may until ${until}`;
  return { kind, subject: `account:${id}${PAYOUTS}`, message, accountId: id };
}

async function settle(
  deps: Deps,
  { kind, alerts }: { kind: AlertKind; alerts: readonly NewAlert[] },
): Promise<void> {
  const { db, clock } = deps;
  const open = new Set((await openAlertsOf(db, kind)).map(({ subject }) => subject));
  const opened = alerts.filter(({ subject }) => !open.has(subject));
  const still = new Set(alerts.map(({ subject }) => subject));
  const closed = [...open].filter((subject) => !still.has(subject));
  if (opened.length + closed.length === 0) return;
  const nowMs = clock.nowMs();
  await db.write({
    reads: [...opened.map(({ subject }) => subject), ...closed].map((subject) =>
      alertRead(kind, subject)
    ),
    decide: (view) => {
      for (const alert of opened) insertAlert(view, { ...alert, nowMs });
      for (const subject of closed) closeAlert(view, { kind, subject, nowMs });
    },
  });
  for (const alert of opened) logAlert(deps, alert);
}
