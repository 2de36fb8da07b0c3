import { invariant, present } from "../base/assert.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import type { HaltCode } from "../domain/reason_codes.ts";
import { KEY_BRANCHES, type KeyPath, type KeyRing, OPERATOR_ACCOUNT } from "../keys/key_ring.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { View } from "../store/engine/workspace.ts";
import { lastKeyIndex } from "../store/reads/key_indexes.ts";
import type { Signer } from "../transfers/rules/signer.ts";
import { Addresses, type AddressRow } from "./tables/addresses.ts";

export interface FreshAddress {
  readonly address: string;
  readonly path: KeyPath;
}

export interface AddressPlan {
  readonly network: NetworkRow;
  /** Null for the operator's own wallets. */
  readonly accountId: number | null;
  readonly purpose: AddressRow["purpose"];
}

/** Derives an unused address, which gets its owner when its row is inserted. */
export async function deriveFreshAddress(deps: Deps, plan: AddressPlan): Promise<FreshAddress> {
  const family = familyOf(plan.network.family);
  const keyRing = await deps.keyRing();
  const account = plan.accountId ?? OPERATOR_ACCOUNT;
  const branch = KEY_BRANCHES[plan.purpose];
  const index = await takeIndex(deps, { coinType: family.coinType, account, branch });
  const path = { coinType: family.coinType, account, branch, index };
  return { address: family.addressOf(keyRing.publicKeyOf(path)), path };
}

/** After losing a race for an index, the database is read again. */
export function forgetIndexes({ memory }: Deps): void {
  memory.nextKeyIndexes = new Map();
}

interface NewAddress extends AddressPlan, FreshAddress {
  readonly userIdentifier?: string | null;
  readonly reusableAtMs?: number;
  readonly halt?: { readonly code: HaltCode; readonly reason: string } | null;
  readonly nowMs: number;
}

export function insertAddress(view: View, row: NewAddress): AddressRow {
  return view.insert(Addresses, {
    accountId: row.accountId,
    network: row.network.code,
    purpose: row.purpose,
    address: row.address,
    keyCoinType: row.path.coinType,
    keyAccount: row.path.account,
    keyBranch: row.path.branch,
    keyIndex: row.path.index,
    userIdentifier: row.userIdentifier ?? null,
    reusableAtMs: row.reusableAtMs ?? null,
    currentRequestId: null,
    haltedReason: row.halt?.reason ?? null,
    haltedCode: row.halt?.code ?? null,
    nonceFloor: 0,
    createdAtMs: row.nowMs,
  });
}

/** An address may be used only while the seed still derives it. */
export function checkDerivation(keyRing: KeyRing, network: NetworkRow, row: AddressRow): void {
  const derived = familyOf(network.family).addressOf(keyRing.publicKeyOf(pathOf(row)));
  invariant(derived === row.address, `The seed does not derive the stored address ${row.address}`);
}

export function signerOf(keyRing: KeyRing, network: NetworkRow, row: AddressRow): Signer {
  checkDerivation(keyRing, network, row);
  return keyRing.signerOf(pathOf(row));
}

export function pathOf(row: AddressRow): KeyPath {
  return {
    coinType: row.keyCoinType,
    account: row.keyAccount,
    branch: row.keyBranch,
    index: row.keyIndex,
  };
}

async function takeIndex(
  { db, catalog, memory }: Deps,
  branch: Omit<KeyPath, "index">,
): Promise<number> {
  const indexes = memory.nextKeyIndexes;
  const name = `${branch.coinType}/${branch.account}/${branch.branch}`;
  if (!indexes.has(name)) {
    const stored = (await lastKeyIndex(db, branch) ?? -1) + 1;
    const isDeposit = branch.branch === KEY_BRANCHES.deposit;
    const from = isDeposit ? (await catalog.current()).numberedFrom : 0;
    if (!indexes.has(name)) indexes.set(name, Math.max(stored, from));
  }
  const index = present(indexes.get(name), "The branch has a next index");
  indexes.set(name, index + 1);
  return index;
}
