import { alertShape } from "../../alerts/shapes.ts";
import { approvalShape } from "../../approvals/shapes.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import { type Health, lagOf, secondsSinceAnswer } from "../../networks/rules/network_health.ts";
import { operation, type Screen } from "../../operations/operation.ts";
import { renderAnswer } from "../../operations/screen/render.ts";
import { paint, paragraph, wrapped } from "../../operations/screen/screen.ts";
import { freezeShape } from "../../reconcile/shapes.ts";
import { cannotPay, type GatewayStatus, reportStatus } from "../../upkeep/report_status.ts";
import type { WalletLook } from "../../wallets/look.ts";
import { holdsText, walletLookShape } from "../../wallets/shapes.ts";
import type { CurrencyStock } from "../../wallets/stocks.ts";

const WALLETS_SHOWN = 20;

const UNITS = [["days", 86_400], ["hours", 3_600], ["minutes", 60]] as const;

const NODE_MS = 5_000;

export const STATUS_COMMAND = operation({
  words: ["status"],
  reads: "see_gateway",
  summary: "Shows whether everything is all right; exit code 1 if payments or credits are impaired",
  flags: {},
  examples: ["status", "status --json"],
  run: async (context) => {
    const databaseUrl = context.databaseUrl();
    const status = await reportStatus(await context.deps(), { waitMs: NODE_MS, databaseUrl });
    const problems = problemsOf(status);
    if (problems.length > 0) context.exitWith(1);
    const shape = statusShape(status, problems);
    context.answer(shape, (screen) => statusText(shape, screen));
  },
});

/** Each impairs payments or credits. */
export function problemsOf(status: GatewayStatus): string[] {
  const { noWrites, instances, stop, networks, wallets, freezes, nowMs } = status;
  const isFollowed = instances > 0;
  return [
    ...noWrites === null ? [] : [`The database takes no writes: ${noWrites}`],
    ...isFollowed ? [] : ["No server is running, or none can write to the database"],
    ...stop ? [`All signing is stopped${stop.reason === null ? "" : `: ${stop.reason}`}`] : [],
    ...networks.flatMap((network) => networkProblem(network, { isFollowed, nowMs }) ?? []),
    ...freezes.map(({ accountId, network, currency, reason }) =>
      `Withdrawals of ${network}/${currency} are paused for account ${accountId}: ${reason}`
    ),
    ...wallets.filter(cannotPay).map(walletProblem),
  ];
}

function networkProblem(
  { cursor, health, stalledAtMs }: GatewayStatus["networks"][number],
  { isFollowed, nowMs }: { isFollowed: boolean; nowMs: number },
): string | undefined {
  const { network, haltedReason } = cursor;
  if (health === "halted") return `${network} is halted: ${haltedReason}`;
  // Without a server nobody asks the nodes.
  if (!isFollowed) return undefined;
  if (health === "silent") {
    const seconds = secondsSinceAnswer(cursor, nowMs);
    return seconds === null
      ? `No node of ${network} has ever answered`
      : `No node of ${network} has answered for ${seconds} s`;
  }
  if (stalledAtMs === null) return undefined;
  return `The newest block of ${network} is from ${isoUtc(stalledAtMs)}`;
}

function walletProblem({ row, stocks }: WalletLook): string {
  const name = row.purpose === "gas"
    ? `The gas wallet of ${row.network}`
    : `The hot wallet of account ${row.accountId} on ${row.network}`;
  if (row.haltedReason !== null) return `${name} is halted: ${row.haltedReason}`;
  return `${name} can't pay: it ${stocks.filter(isShort).map(shortage).join(", and ")}`;
}

function isShort({ held, needed, level }: CurrencyStock): boolean {
  return level === "empty" || held !== undefined && held.isLessThan(needed);
}

function shortage({ symbol, held, needed }: CurrencyStock): string {
  const holds = `holds ${held === undefined || held.isZero() ? "no" : held} ${symbol}`;
  return needed.isZero() ? holds : `${holds} and needs ${needed}`;
}

type StatusShape = ReturnType<typeof statusShape>;

export function statusShape(status: GatewayStatus, problems: readonly string[]) {
  const { stop, networks, wallets, backup, nowMs } = status;
  return {
    ok: problems.length === 0,
    problems,
    database: status.noWrites === null ? "ok" : "takes no writes",
    servers: status.instances,
    stopped: stop !== undefined,
    stopped_at: isoUtcOrNull(stop?.stoppedAtMs ?? null),
    networks: networks.map(({ cursor, health, stalledAtMs }) => ({
      network: cursor.network,
      state: stateOf(health, stalledAtMs !== null),
      scanned_to: cursor.scanHeight,
      lag: lagOf(cursor, nowMs),
      seconds_since_answer: secondsSinceAnswer(cursor, nowMs),
    })),
    wallets: wallets.map((look) => walletLookShape(look.row, look)),
    more_wallets: status.isCut,
    frozen: status.freezes.map(freezeShape),
    failing_notifications: status.deaf.map((row) => ({
      notify_id: row.id,
      kind: row.kind,
      to: row.address,
      failing_since: isoUtcOrNull(row.failingSinceMs),
      last_error: row.lastError,
    })),
    pending_approvals: status.approvals.map(approvalShape),
    open_alerts: status.openAlerts,
    newest_alerts: status.alerts.map(alertShape),
    last_backup: backup === undefined ? null : {
      file: backup.file,
      at: isoUtc(backup.atMs),
      age_seconds: Math.max(0, Math.floor((nowMs - backup.atMs) / 1000)),
    },
  };
}

function stateOf(health: Health, isStalled: boolean): string {
  return health === "ok" && isStalled ? "stalled" : health;
}

export function statusText(shape: StatusShape, screen: Screen): string {
  const facts = {
    servers_running: shape.servers,
    open_alerts: shape.open_alerts,
    last_backup: backupText(shape),
  };
  return [
    verdict(shape, screen),
    renderAnswer(facts, { screen }),
    ...shape.networks.length === 0 ? [] : [renderAnswer(shape.networks, {
      columns: ["network", "state", "scanned_to", "lag", "seconds_since_answer"],
      screen,
    })],
    ...shape.wallets.length === 0 ? [] : [walletsText(shape, screen)],
    ...shape.pending_approvals.length === 0 ? [] : [
      renderAnswer(shape.pending_approvals, {
        columns: ["withdrawal_id", "account_id", "approvals", "approvals_needed", "expires_at"],
        screen,
      }),
    ],
    ...shape.failing_notifications.length === 0 ? [] : [
      renderAnswer(shape.failing_notifications, {
        columns: ["notify_id", "kind", "to", "failing_since", "last_error"],
        screen,
      }),
    ],
    ...shape.newest_alerts.length === 0 ? [] : [
      renderAnswer(shape.newest_alerts, {
        columns: ["id", "kind", "created_at", "message"],
        screen,
      }),
    ],
    nextSteps(shape, screen),
  ].filter((part) => part !== "").join("\n");
}

function verdict({ ok, problems }: StatusShape, screen: Screen): string {
  if (ok) return `${paint("OK", "green", screen)}: payments and credits work.\n`;
  const lines = problems.map((problem) =>
    `- ${wrapped(problem, (screen.columns ?? Infinity) - 2).join("\n  ")}\n`
  );
  return `${paint("Impaired", "red", screen)}:\n${lines.join("")}`;
}

function backupText({ last_backup: backup }: StatusShape): string {
  return backup === null
    ? 'none was made with "backup"'
    : `${ageText(backup.age_seconds)} ago: ${backup.file}`;
}

function ageText(seconds: number): string {
  const unit = UNITS.find(([, size]) => seconds >= 2 * size);
  if (unit) return `${Math.floor(seconds / unit[1])} ${unit[0]}`;
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

function walletsText({ wallets, more_wallets: isCut }: StatusShape, screen: Screen): string {
  const rows = wallets.slice(0, WALLETS_SHOWN).map((wallet) => ({
    network: wallet.network,
    wallet: wallet.account_id === null ? "gas" : `account ${wallet.account_id}`,
    state: wallet.state,
    holds: holdsText(wallet.holds),
  }));
  const columns = ["network", "wallet", "state", "holds"];
  const hidden = isCut || rows.length < wallets.length;
  return renderAnswer(rows, { columns, screen }) +
    (hidden ? paragraph("There are more; those that need something come first.", screen) : "");
}

function nextSteps(
  { ok, open_alerts: open, pending_approvals: waiting }: StatusShape,
  screen: Screen,
): string {
  const steps = [
    ...waiting.length > 0
      ? [
        '"approval list" shows what waits; "withdrawal approve ID" or "withdrawal reject ID" decides.',
      ]
      : [],
    ...open > 0 ? ['"alert list" shows what to do about alerts.'] : [],
    ...ok ? [] : ['"doctor" checks the configuration, the database and each node.'],
  ];
  return steps.map((line) => paragraph(line, screen)).join("");
}
