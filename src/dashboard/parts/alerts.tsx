import type { Component } from "../../base/html.ts";
import type { AlertRow } from "../../alerts/table.ts";
import { BASE } from "../visit.ts";

/** The page for resolving an alert, by its subject. */
const PLACES: readonly (readonly [subject: RegExp, path: (found: string) => string])[] = [
  [/\bsweep:(\d+)/, (id) => `/sweeps/${id}`],
  [/\bwithdrawal:(\d+)/, (id) => `/withdrawals/${id}`],
  [/\btransaction:(\d+)/, (id) => `/deposits/${id}`],
  [/\bwebhook:(\d+)/, (id) => `/webhooks/${id}`],
  [/\baccount:(\d+)/, (id) => `/accounts/${id}`],
  [/\bnetwork:([\w.-]+)/, (code) => `/networks/${code}`],
];

/** Kinds whose subject is a plain code or address. */
const PLACES_OF_KINDS: Readonly<Record<string, (subject: string) => string>> = {
  hot_wallet_low: () => "/wallets",
  network_halted: (code) => `/networks/${encodeURIComponent(code)}`,
  stopped: () => "/stop",
  wallet_halted: () => "/wallets",
  recipient_failing: () => "/recipients",
  rule_spelling: () => "/rules",
};

export const AlertPlace: Component<{ row: AlertRow }> = ({ row }) => {
  const path = placeOf(row);
  return path === undefined ? null : <a href={BASE + path}>View</a>;
};

function placeOf({ kind, subject }: AlertRow): string | undefined {
  const ofKind = PLACES_OF_KINDS[kind];
  if (ofKind) return ofKind(subject);
  for (const [pattern, path] of PLACES) {
    const found = pattern.exec(subject)?.[1];
    if (found !== undefined) return path(found);
  }
  return undefined;
}

/** The subject of these alerts looks like "ETH/USDT 0x…". */
export function creditUrl({ subject }: AlertRow): string {
  const [asset = "", address = ""] = subject.split(" ");
  const [network = "", currency = ""] = asset.split("/");
  return surplusUrl({ network, currency, address });
}

export function surplusUrl(
  { network, currency, address }: { network: string; currency: string; address: string },
): string {
  return `${BASE}/deposits/credit?${new URLSearchParams({ network, currency, address })}`;
}
