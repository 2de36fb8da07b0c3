import { networkName } from "../../networks/catalogue.ts";
import { inboxOf } from "../../proposals/inbox.ts";
import type { WalletLook } from "../../wallets/look.ts";
import { lowWalletSubject } from "../../wallets/watch_hot.ts";
import { PAYOUTS } from "../../accounts/watch_quotas.ts";
import { DAY_MS } from "../../accounts/add_up_volumes.ts";
import type { Child } from "../../base/html.ts";
import { accountsThatPay, lastFailed } from "../reads.ts";
import { pressingAlerts } from "../../store/reads/pages/lists.ts";
import { noticesOf } from "../../notifications/reads/page.ts";
import { failingEndpoints, webhookEndpoints } from "../../webhooks/reads/due.ts";
import type { AlertRow } from "../../alerts/table.ts";
import { AlertPlace } from "../../dashboard/parts/alerts.tsx";
import { Card, Long, Time } from "../../dashboard/parts/facts.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import type { NetworkTrouble } from "../../dashboard/words/verdict.ts";

interface Thing {
  readonly key: string;
  /** plain: a hint, and no fault. */
  readonly tone: "bad" | "under-way" | "plain";
  readonly text: Child;
  readonly link: Child;
}

const ALERTS_SHOWN = 5;
const WALLETS_SHOWN = 3;
const WEBHOOKS_SHOWN = 3;
const FAILING_MAX = 100;

interface Asked {
  readonly troubles: readonly NetworkTrouble[];
  readonly looks: readonly WalletLook[];
  readonly accountId: number | null;
}

/** For operators first what keeps the gateway from working, for merchants what concerns them. */
export async function attentionFor(
  visit: Visit,
  { troubles, looks, accountId }: Asked,
): Promise<Thing[]> {
  const networks = troubles.map((trouble) => networkThing(visit, trouble));
  const [unused, used] = await byUse(visit, looks.filter(({ level }) => LOW.has(level)));
  const low = used.slice(0, WALLETS_SHOWN);
  const shown = new Set(low.map(({ row }) => lowWalletSubject(row)));
  for (const { code } of troubles) shown.add(`network:${code}`);
  const isNew = ({ kind, subject }: AlertRow) => !SHOWN_ABOVE.has(kind) || !shown.has(subject);
  const wallets = low.map(walletThing);
  const hints = unused.slice(0, WALLETS_SHOWN).map((look) => fundThing(look, accountId));
  const decisions = await decisionThings(visit);
  if (accountId !== null) {
    const own = await thingsOf(visit, { accountId, isNew });
    return [...networks, ...decisions, ...wallets, ...own, ...hints];
  }
  const [rows, failing] = await Promise.all([
    pressingAlerts(visit.deps.db, ALERTS_SHOWN),
    failingThings(visit),
  ]);
  const alerts = rows.filter(isNew).map(alertThing);
  return [...networks, ...decisions, ...alerts, ...wallets, ...failing, ...hints];
}

/** First empty hot wallets of accounts that have asked for no payout yet: nothing fails for them. */
async function byUse(
  { deps: { db } }: Visit,
  looks: readonly WalletLook[],
): Promise<[unused: WalletLook[], used: WalletLook[]]> {
  const empty = looks.filter(({ level, row }) => level === "empty" && row.purpose === "hot");
  const accountIds = empty.flatMap(({ row }) => row.accountId ?? []);
  if (accountIds.length === 0) return [[], [...looks]];
  const paying = await accountsThatPay(db, [...new Set(accountIds)]);
  const isUnused = (look: WalletLook) => empty.includes(look) && !paying.has(look.row.accountId!);
  return [looks.filter(isUnused), looks.filter((look) => !isUnused(look))];
}

/** Of merchants, who may not look for days: each, or how many there are. */
async function failingThings({ deps: { db } }: Visit): Promise<Thing[]> {
  const rows = await failingEndpoints(db, { limit: FAILING_MAX });
  if (rows.length <= WEBHOOKS_SHOWN) return rows.map(webhookThing);
  const count = rows.length === FAILING_MAX ? `${FAILING_MAX} or more` : String(rows.length);
  return [{
    key: `webhooks ${count}`,
    tone: "bad",
    text: <strong>{`${count} webhooks are failing`}</strong>,
    link: <a href={`${BASE}/webhooks`}>View</a>,
  }];
}

async function decisionThings(visit: Visit): Promise<Thing[]> {
  if (!visit.isAble("approve")) return [];
  const { count } = await inboxOf(visit.deps, visit.user);
  if (count === "0") return [];
  return [{
    key: `inbox ${count}`,
    tone: "under-way",
    text: count === "1" ? "One decision waits for you" : `${count} decisions wait for you`,
    link: <a href={`${BASE}/inbox`}>Decide</a>,
  }];
}

async function thingsOf(
  { deps: { db }, nowMs }: Visit,
  { accountId, isNew }: { accountId: number; isNew(row: AlertRow): boolean },
): Promise<Thing[]> {
  const [rows, endpoints, failed] = await Promise.all([
    noticesOf(db, { accountId, limit: ALERTS_SHOWN }),
    webhookEndpoints(db, accountId),
    lastFailed(db, accountId),
  ]);
  const failing = endpoints.filter((it) => it.failures > 0 || it.disabledAtMs !== null);
  const isRecent = failed && failed.requestedAtMs > nowMs - DAY_MS;
  return [
    ...failing.map(webhookThing),
    ...isRecent ? [payoutThing(failed)] : [],
    ...rows.filter(isNew).flatMap(noticeThing),
  ];
}

const LOW: ReadonlySet<string> = new Set(["halted", "empty", "low"]);

const TROUBLES: Readonly<Record<NetworkTrouble["state"], string>> = {
  halted: "has been halted",
  silent: "doesn't answer",
  stalled: "has no fresh blocks",
  behind: "is behind",
};

/** Alerts that say no more than a network's or wallet's own line. */
const SHOWN_ABOVE: ReadonlySet<string> = new Set(["hot_wallet_low", "network_stalled"]);

function networkThing(visit: Visit, { code, name, state }: NetworkTrouble): Thing {
  const path = `/networks/${encodeURIComponent(code)}`;
  return {
    key: `network ${code} ${state}`,
    tone: state === "behind" ? "under-way" : "bad",
    text: (
      <>
        <strong>{name}</strong> {TROUBLES[state]}
      </>
    ),
    link: visit.may("GET", path) && <a href={BASE + path}>View</a>,
  };
}

function alertThing(row: AlertRow): Thing {
  return {
    key: `alert ${row.id}`,
    tone: "bad",
    text: (
      <>
        {row.message} <Since atMs={row.createdAtMs} />
      </>
    ),
    link: <AlertPlace row={row} />,
  };
}

const Since = ({ atMs }: { atMs: number }) => (
  <span class="quiet small">
    since <Time atMs={atMs} />
  </span>
);

function webhookThing(
  { id, url, failures, failingSinceMs, disabledAtMs }: Awaited<
    ReturnType<typeof webhookEndpoints>
  >[number],
): Thing {
  const sinceMs = failingSinceMs ?? disabledAtMs;
  return {
    key: `webhook ${id} ${disabledAtMs}`,
    tone: "bad",
    text: (
      <>
        <strong>{disabledAtMs === null ? "A webhook is failing" : "A webhook is disabled"}</strong>
        {failures > 0 && ` after ${failures} failed attempts`} <Long text={url} />{" "}
        {sinceMs !== null && <Since atMs={sinceMs} />}
      </>
    ),
    link: <a href={`${BASE}/webhooks/${id}`}>View</a>,
  };
}

function walletThing({ row, network, level, stocks }: WalletLook): Thing {
  const short = stocks.filter((stock) => LOW.has(stock.level)).map(({ symbol }) => symbol);
  return {
    key: `wallet ${row.id} ${level}`,
    tone: level === "low" ? "under-way" : "bad",
    text: level === "halted"
      ? `The ${row.purpose} wallet on ${networkName(network)} has stopped signing`
      : `The ${row.purpose} wallet on ${networkName(network)} is ${level}: it needs ${
        short.join(" and ")
      }`,
    link: <a href={`${BASE}/wallets`}>{level === "halted" ? "View" : "Fund"}</a>,
  };
}

function fundThing({ row, network }: WalletLook, accountId: number | null): Thing {
  const name = networkName(network);
  return {
    key: `fund ${row.id}`,
    tone: "plain",
    text: accountId === null
      ? `Before account ${row.accountId} can pay out: fund its hot wallet on ${name}`
      : `Before you can pay out: fund the hot wallet on ${name}`,
    link: <a href={`${BASE}/wallets`}>Fund</a>,
  };
}

function payoutThing(
  { id, failureReason, requestedAtMs }: NonNullable<Awaited<ReturnType<typeof lastFailed>>>,
): Thing {
  return {
    key: `payout ${id}`,
    tone: "bad",
    text: (
      <>
        Payout {id} failed{failureReason !== null && `: ${failureReason.replaceAll("_", " ")}`}
        {", requested "}
        <Time atMs={requestedAtMs} />
      </>
    ),
    link: <a href={`${BASE}/withdrawals/${id}`}>View</a>,
  };
}

/** What an account's own users are told: an alert's own text is for operators. */
const NOTICES: Readonly<Record<string, string>> = {
  hot_wallet_low: "A hot wallet is low: payouts may fail until it is funded",
  account_failing: "Payouts of one currency are paused until an operator has checked the books",
  recipient_failing: "Payouts to one recipient keep failing",
  withdrawals_failing: "Payouts fail until the hot wallet is funded",
  withdrawal_dropped: "A payout was dropped by its network",
  withdrawal_unpaid: "A payout's transaction didn't pay its recipient",
  quota_nearly_used: "Most of what the account may store today is used up",
  quota_used_up: "The account has stored what it may today: new invoices and addresses are refused",
  webhook_dead: "An event couldn't be delivered to a webhook: send it again",
};

const PAYOUT_NOTICES: Readonly<Record<string, string>> = {
  quota_nearly_used: "Most of what payouts may store today is used up",
  quota_used_up: "Payouts have stored what they may today: new ones are refused",
};

function noticeThing({ id, kind, subject, createdAtMs }: AlertRow): Thing[] {
  const text = subject.endsWith(PAYOUTS) ? PAYOUT_NOTICES[kind] : NOTICES[kind];
  if (text === undefined) return [];
  return [{
    key: `notice ${id}`,
    tone: "bad",
    text: (
      <>
        {text} <Since atMs={createdAtMs} />
      </>
    ),
    link: <a href={BASE + placeOf({ kind, subject })}>View</a>,
  }];
}

function placeOf({ kind, subject }: Pick<AlertRow, "kind" | "subject">): string {
  if (kind === "hot_wallet_low") return "/wallets";
  if (kind.startsWith("quota_")) return "/requests";
  const [, what, id] = /^(withdrawal|webhook):(\d+)/.exec(subject) ?? [];
  if (what === "webhook") return `/webhooks/deliveries?webhook=${id}&state=dead`;
  return `/withdrawals${id ? `/${id}` : "?status=failed"}`;
}

export const AttentionCard = ({ visit, things }: { visit: Visit; things: readonly Thing[] }) => (
  <Card
    title="What needs you"
    id="attention"
    actions={visit.seesAll && <a href={`${BASE}/alerts`}>All alerts</a>}
  >
    {things.length === 0 ? <p class="empty">Nothing needs you now.</p> : (
      <ul class="attention">
        {things.map(({ tone, text, link }) => (
          <li>
            <span class={`mark ${tone}`}></span>
            <div>{text}</div>
            <div>{link}</div>
          </li>
        ))}
      </ul>
    )}
  </Card>
);
