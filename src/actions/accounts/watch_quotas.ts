import { megabytesOf, quotaMbOf } from "../../domain/quota.ts";
import { dayEndOf, dayOf, isoUtc } from "../../domain/time.ts";
import type { AlertKind } from "../../domain/alert_kinds.ts";
import { type FullAccount, fullestAccounts } from "../../store/reads/pages/accounts.ts";
import { openAlertsOf } from "../../store/reads/notices.ts";
import { alertRead, closeAlert, insertAlert, logAlert, type NewAlert } from "../books/alerts.ts";
import type { Deps } from "../deps.ts";

/** By kind: from which part of its quota on an account has it. */
const SHARES: readonly (readonly [kind: AlertKind, percent: number])[] = [
  ["quota_nearly_used", 80],
  ["quota_used_up", 100],
];

/** Operators and the account hear that its storage of the day is nearly, or all, used up. */
export async function watchQuotas(deps: Deps): Promise<void> {
  const { db, clock } = deps;
  const today = clock.nowMs();
  const full = await fullestAccounts(db, { dayMs: dayOf(today), percent: SHARES[0]![1] });
  for (const [kind, percent] of SHARES) {
    const over = full.filter(({ bytes, bytesMax }) => bytes * 100 >= bytesMax * percent);
    const alerts = over.map((account) => alertOf(account, { kind, endsAtMs: dayEndOf(today) }));
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
      `refused until ${until}; payments are credited, and payouts go on`
    : `${who} has stored ${megabytesOf(bytes)} of the ${max} MB that it may until ${until}`;
  return { kind, subject: `account:${id}`, message, accountId: id };
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
