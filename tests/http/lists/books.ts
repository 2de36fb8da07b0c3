import type { Deps } from "../../../src/deps/deps.ts";
import { recordAudit } from "../../../src/books/records.ts";
import type { View } from "../../../src/store/engine/workspace.ts";
import { Addresses, type AddressRow } from "../../../src/wallets/tables/addresses.ts";
import type { Random } from "../../domain/random.ts";
import { makeNetwork, makeToken } from "../../support/gateway.ts";
import { makeAddress } from "../../store/reads/make_rows.ts";
import { DEAD_NODE } from "../clocked_gateway.ts";

const CONTRACT = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
export const NETWORKS = ["ETH", "ETH", "BSC", "TRX"];
export const CURRENCIES = ["ETH", "USDT", "USDT"];

/** Two EVM networks with the same currencies, and TRON. */
export async function makeNetworks(deps: Deps): Promise<void> {
  for (const [code, chainId] of [["ETH", "1"], ["BSC", "56"]] as const) {
    await makeNetwork(deps, { code, rpcUrls: [DEAD_NODE], chainId });
    await makeToken(deps, { network: code, contract: CONTRACT });
  }
  const tron = { family: "tron", chainId: "728126428", decimals: 6, symbol: "ETH" } as const;
  await makeNetwork(deps, { code: "TRX", rpcUrls: [DEAD_NODE], ...tron });
  await makeToken(deps, { network: "TRX", contract: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t" });
}

/** Rows as the gateway would write them. */
export async function insert<T>(deps: Deps, decide: (view: View) => T): Promise<T> {
  return await deps.db.write({
    reads: [],
    decide: (view) => {
      recordAudit(view, { actor: "test", action: "note.added", subject: "test", nowMs: 0 });
      return decide(view);
    },
  });
}

let keyIndex = 0;

export function insertAddress(view: View, row: Omit<Partial<AddressRow>, "id">): AddressRow {
  const { id: _, ...fields } = makeAddress({ id: 1, keyIndex: 1_000 + keyIndex++, ...row });
  return view.insert(Addresses, fields);
}

const START_MS = Date.parse("2026-02-01T00:00:00Z");
const HOUR_MS = 3_600_000;

/** The n-th row's time: a minute each, but some clocks are wrong by days. */
export function wrongTime(random: Random, n: number): number {
  const ahead = random.chance(0.01) ? 90 : 0;
  const behind = n > 1_100 && n < 1_300 ? 200 : 0;
  return START_MS + n * 60_000 + (ahead - behind) * HOUR_MS;
}

interface Timed {
  readonly from?: string;
  readonly until?: string;
}

export const TIMES = {
  from: ["2026-02-01T12:00:00Z", "2026-02-02T21:00:00+01:00"],
  until: ["2026-02-02"],
};

export function isWithin(ms: number, { from, until }: Timed): boolean {
  return (!from || ms >= Date.parse(from)) && (!until || ms < Date.parse(until));
}

/** An address of an EVM network, by number. */
export function evmAddress(n: number): string {
  return `0x${(0xabcdef00 + n).toString(16).padStart(40, "c")}`;
}
