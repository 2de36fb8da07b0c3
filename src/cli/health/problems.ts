import { cannotPay, type GatewayStatus } from "../../upkeep/report_status.ts";
import type { WalletLook } from "../../wallets/look.ts";
import type { CurrencyStock } from "../../wallets/stocks.ts";
import { isoUtc } from "../../domain/time.ts";
import { secondsSinceAnswer } from "../../networks/rules/network_health.ts";

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
