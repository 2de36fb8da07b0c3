import { invariant, present } from "../base/assert.ts";
import { rulesOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import type { HaltCode } from "../domain/reason_codes.ts";
import type { KeyRing } from "../keys/key_ring.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { View } from "../store/engine/workspace.ts";
import { lastKeyIndex } from "../store/reads/key_indexes.ts";
import type { Signer } from "../transfers/rules/signer.ts";
import { type KeyPath, OPERATOR_ACCOUNT } from "./rules/key_path.ts";
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
  const { network, purpose } = plan;
  const keyRing = await deps.keyRing();
  const account = plan.accountId ?? OPERATOR_ACCOUNT;
  const keys = rulesOf(network).keysFor({ purpose, account });
  const path = { ...keys, index: await takeIndex(deps, { keys, purpose }) };
  return { address: addressAt(keyRing, network, path), path };
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
  const derived = addressAt(keyRing, network, pathOf(row));
  invariant(derived === row.address, `The seed does not derive the stored address ${row.address}`);
}

export function signerOf(keyRing: KeyRing, network: NetworkRow, row: AddressRow): Signer {
  checkDerivation(keyRing, network, row);
  return keyRing.signerOf(fullPath(network, pathOf(row)));
}

/** The address that a key has on a network. */
export function addressAt(keyRing: KeyRing, network: NetworkRow, path: KeyPath): string {
  return rulesOf(network).addressOf(keyRing.publicKeyOf(fullPath(network, path)));
}

/** What every key of a network has in common isn't stored. */
function fullPath(network: NetworkRow, path: KeyPath): KeyPath {
  return { ...path, bip: rulesOf(network).bip };
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
  { keys, purpose }: { keys: Omit<KeyPath, "index">; purpose: AddressRow["purpose"] },
): Promise<number> {
  const indexes = memory.nextKeyIndexes;
  const name = `${keys.coinType}/${keys.account}/${keys.branch}`;
  if (!indexes.has(name)) {
    const stored = (await lastKeyIndex(db, keys) ?? -1) + 1;
    const from = purpose === "deposit" ? (await catalog.current()).numberedFrom : 0;
    if (!indexes.has(name)) indexes.set(name, Math.max(stored, from));
  }
  const index = present(indexes.get(name), "The branch has a next index");
  indexes.set(name, index + 1);
  return index;
}
