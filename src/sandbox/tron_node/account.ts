import type { HexAddress } from "./addresses.ts";
import type { State } from "./ledger.ts";

const RECOVERY_MS = 86_400_000;
const OWNER_ONLY_OPERATIONS = "7fff1fc0033efb0f".padEnd(64, "0");

/** These are types rather than interfaces, so that they can be formatted as messages. */
type Key = { readonly address: HexAddress; readonly weight: bigint };

export type Permission = {
  readonly type?: string;
  readonly id?: number;
  readonly permission_name?: string;
  readonly threshold?: bigint;
  readonly operations?: string;
  readonly keys?: readonly Key[];
};

/** The used part of a quota, and when it was used: it recovers evenly within a day. */
interface Usage {
  readonly used: bigint;
  readonly atMs: number;
}

export interface Account {
  readonly address: HexAddress;
  readonly type: "Normal" | "Contract";
  readonly balance: bigint;
  readonly createdAtMs: number;
  readonly operatedAtMs: number;
  readonly freeNet: Usage;
  readonly net: Usage;
  readonly energy: Usage;
  /** Staked by or delegated to the account. */
  readonly netLimit: bigint;
  readonly energyLimit: bigint;
  readonly owner: Permission;
  readonly actives: readonly Permission[];
  readonly assets: Readonly<Record<string, bigint>>;
}

/** Accounts, and what contracts keep. */
export type Entry = Account | bigint;

export function accountKey(address: HexAddress): string {
  return `account:${address}`;
}

export function accountIn(state: State<Entry>, address: HexAddress): Account | undefined {
  const entry = state.get(accountKey(address));
  return typeof entry === "object" ? entry : undefined;
}

/** What a contract keeps under a key; zero where it never wrote. */
export function slotIn(state: State<Entry>, key: string): bigint {
  const entry = state.get(key);
  return typeof entry === "bigint" ? entry : 0n;
}

export function newAccount(
  address: HexAddress,
  atMs: number,
  type: Account["type"] = "Normal",
): Account {
  const unused = { used: 0n, atMs: 0 };
  const keys = [{ address, weight: 1n }];
  return {
    address,
    type,
    balance: 0n,
    createdAtMs: atMs,
    operatedAtMs: 0,
    freeNet: unused,
    net: unused,
    energy: unused,
    netLimit: 0n,
    energyLimit: 0n,
    owner: { type: "Owner", permission_name: "owner", threshold: 1n, keys },
    actives: type === "Contract" ? [] : [{
      type: "Active",
      id: 2,
      permission_name: "active",
      threshold: 1n,
      operations: OWNER_ONLY_OPERATIONS,
      keys,
    }],
    assets: {},
  };
}

/** The use that still counts now. */
export function usedNow(usage: Usage, nowMs: number): bigint {
  const left = RECOVERY_MS - (nowMs - usage.atMs);
  return left <= 0 ? 0n : usage.used * BigInt(left) / BigInt(RECOVERY_MS);
}
