import type { HexAddress } from "./addresses.ts";
import type { State } from "./ledger.ts";
import { type Resource, UNUSED, type Usage } from "./resources.ts";

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

/** Sun, by what they are staked for. */
export type Stakes = Readonly<Record<Resource, bigint>>;

/** A part of a stake that is on its way back. */
interface Unfreezing {
  readonly type: Resource;
  readonly sun: bigint;
  readonly expiresAtMs: number;
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
  /** Its own stake without what is lent, what it lends, and what others lend to it. */
  readonly frozen: Stakes;
  readonly lent: Stakes;
  readonly borrowed: Stakes;
  readonly unfreezing: readonly Unfreezing[];
  /** The latest last. */
  readonly lentTo: readonly HexAddress[];
  readonly borrowedFrom: readonly HexAddress[];
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
  const none = { BANDWIDTH: 0n, ENERGY: 0n };
  const keys = [{ address, weight: 1n }];
  return {
    address,
    type,
    balance: 0n,
    createdAtMs: atMs,
    operatedAtMs: 0,
    freeNet: UNUSED,
    net: UNUSED,
    energy: UNUSED,
    frozen: none,
    lent: none,
    borrowed: none,
    unfreezing: [],
    lentTo: [],
    borrowedFrom: [],
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
