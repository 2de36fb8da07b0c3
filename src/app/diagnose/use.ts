import { servingInstances } from "../../upkeep/membership.ts";
import { lastBackup } from "../../restore/note_backup.ts";
import { systemClock } from "../../base/clock.ts";
import type { Finding } from "../../operations/host.ts";
import type { Db } from "../../store/engine/db.ts";
import { webhookBacklog, webhookEndpoints } from "../../webhooks/reads/due.ts";
import { noticeReceivers } from "../../notifications/reads/notices.ts";
import type { NoticeReceiverRow } from "../../alerts/table.ts";
import { isoUtc } from "../../domain/time.ts";
import type { WebhookEndpointRow } from "../../webhooks/tables/webhooks.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BACKUP_DAYS = 7;
const WEBHOOKS_SHOWN = 20;

/** Whether it is served, backed up, and heard by its merchants. */
export async function checkUse(db: Db): Promise<Finding[]> {
  const nowMs = systemClock.nowMs();
  const [instances, backup, endpoints, backlog, receivers] = await Promise.all([
    servingInstances({ db, clock: systemClock }),
    lastBackup(db),
    webhookEndpoints(db, undefined),
    webhookBacklog(db),
    noticeReceivers(db),
  ]);
  return [
    checkServers(instances.length),
    checkBackup(backup && nowMs - backup.atMs),
    ...checkWebhooks(endpoints),
    ...checkNotifications(receivers),
    ...checkBacklog(backlog.oldestAtMs === null ? 0 : nowMs - backlog.oldestAtMs),
  ];
}

function checkServers(count: number): Finding {
  const check = "server";
  return count > 0
    ? { check, state: "ok", message: `${count} running`, advice: null }
    : { check, state: "warning", message: "none is running", advice: '"serve" starts one' };
}

function checkBackup(ageMs: number | undefined): Finding {
  const days = Math.floor((ageMs ?? 0) / DAY_MS);
  if (ageMs !== undefined && days < BACKUP_DAYS) {
    const message = days === 0 ? "made within a day" : `${days} days old`;
    return { check: "backup", state: "ok", message, advice: null };
  }
  return {
    check: "backup",
    state: "warning",
    message: ageMs === undefined ? "none was made with this program" : `${days} days old`,
    advice: '"backup FILE" makes one while the server runs',
  };
}

function checkWebhooks(endpoints: readonly WebhookEndpointRow[]): Finding[] {
  const check = "webhooks";
  const silent = endpoints.filter((row) => row.disabledAtMs !== null || row.failures > 0);
  if (silent.length === 0) {
    return [{ check, state: "ok", message: `${endpoints.length}, none is failing`, advice: null }];
  }
  const shown = silent.slice(0, WEBHOOKS_SHOWN).map((row): Finding => {
    const name = `Webhook ${row.id} of account ${row.accountId}`;
    return row.disabledAtMs === null
      ? {
        ...{ check, state: "warning", message: `${name} failed ${row.failures} times in a row` },
        advice: `"webhook test ${row.id}" shows what it answers`,
      }
      : {
        ...{ check, state: "warning", message: `${name} is disabled: ${row.disabledReason}` },
        advice: `"webhook enable ${row.id}" or "webhook remove ${row.id}"`,
      };
  });
  const left = silent.length - shown.length;
  if (left === 0) return shown;
  const message = `${left} more are failing`;
  return [...shown, { check, state: "warning", message, advice: '"webhook list" shows them' }];
}

/** Those that work need no line, because there may be none at all. */
function checkNotifications(receivers: readonly NoticeReceiverRow[]): Finding[] {
  return receivers.filter(({ failingSinceMs }) => failingSinceMs !== null)
    .slice(0, WEBHOOKS_SHOWN)
    .map(({ id, kind, failingSinceMs, lastError }): Finding => ({
      check: "notifications",
      state: "warning",
      message: `Notification ${id} by ${kind} has failed since ${isoUtc(failingSinceMs ?? 0)}: ${
        lastError ?? "unknown"
      }`,
      advice: `"notify test ${id}" tries it`,
    }));
}

function checkBacklog(waitedMs: number): Finding[] {
  if (waitedMs < HOUR_MS) return [];
  return [{
    check: "webhooks",
    state: "warning",
    message: `The oldest undelivered event has waited for ${Math.floor(waitedMs / HOUR_MS)} h`,
    advice: '"webhook deliveries" shows why',
  }];
}
