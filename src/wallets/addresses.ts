import { invariant, present } from "../base/assert.ts";
import type { ExtendedKey } from "../chains/extended_key.ts";
import { genuine } from "../books/tampered.ts";
import { rulesOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import type { HaltCode } from "../domain/reason_codes.ts";
import type { KeyRing } from "../keys/key_ring.ts";
import type { NetworkRow } from "../networks/table.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { lastKeyIndex } from "../store/reads/key_indexes.ts";
import type { Signer } from "../transfers/rules/signer.ts";
import { type KeyPath, OPERATOR_ACCOUNT, sourceOf, XPUB_BRANCHES } from "./rules/key_path.ts";
import { Addresses, type AddressRow } from "./tables/addresses.ts";
import { type XpubRow, Xpubs } from "./tables/xpubs.ts";

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

/** Derives the next unused address of our seed, which gets its owner when its row is inserted. */
export async function deriveFreshAddress(deps: Deps, plan: AddressPlan): Promise<FreshAddress> {
  const { network, purpose } = plan;
  const keyRing = await deps.keyRing();
  const account = plan.accountId ?? OPERATOR_ACCOUNT;
  const keys = rulesOf(network).keysFor({ purpose, account });
  const from = purpose === "deposit" ? (await deps.catalog.current()).numberedFrom : 0;
  const path = { ...keys, index: await takeIndex(deps, { keys, from }) };
  return { address: addressAt(keyRing, network, path), path };
}

/**
 * The next unused addresses of a merchant's own key. Its wallet looks only so far ahead, so the unit
 * takes the first that nobody has, and leaves out none.
 */
export interface NextOfXpub {
  readonly keys: Omit<KeyPath, "index">;
  readonly key: ExtendedKey;
  readonly from: number;
}

/** More at the same time have to try again. */
const AT_ONCE_MAX = 20;

export async function nextOfXpub(
  { db }: Deps,
  { network, xpub, key }: OwnKey & { readonly network: NetworkRow },
): Promise<NextOfXpub> {
  const keys = xpubKeys(network, { xpub, key });
  return { keys, key, from: (await lastKeyIndex(db, keys) ?? -1) + 1 };
}

export function nextOfXpubReads(next: NextOfXpub): Read[] {
  return pathsOf(next).map((path) => read(Addresses, rowKeyOf(path), "key"));
}

/** Undefined if others have taken all of them meanwhile. */
export function freeOfXpub(view: View, next: NextOfXpub): FreshAddress | undefined {
  const path = pathsOf(next).find((one) => !view.find(Addresses, rowKeyOf(one), "key"));
  return path && { address: next.key.addressAt(path.index), path };
}

function pathsOf({ keys, from }: NextOfXpub): KeyPath[] {
  return Array.from({ length: AT_ONCE_MAX }, (_, i) => ({ ...keys, index: from + i }));
}

function rowKeyOf({ coinType, account, branch, index }: KeyPath) {
  return [coinType, account, branch, index];
}

interface OwnKey {
  readonly xpub: XpubRow;
  readonly key: ExtendedKey;
}

/** Where the addresses of a merchant's own key lie. */
export function xpubKeys(network: NetworkRow, { xpub, key }: OwnKey): Omit<KeyPath, "index"> {
  const { coinType } = rulesOf(network);
  return { coinType, account: xpub.id, branch: XPUB_BRANCHES[key.script] };
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

/** An address may be used only while what it comes from still derives it. */
export async function checkSource(
  deps: Deps,
  { network, row }: { network: NetworkRow; row: AddressRow },
): Promise<void> {
  if (sourceOf(row) === "seed") return checkDerivation(await deps.keyRing(), network, row);
  const xpub = await deps.db.get(Xpubs, [row.keyAccount]);
  await genuine(deps, Xpubs, [xpub]);
  const script = row.keyBranch === XPUB_BRANCHES.p2wpkh ? "p2wpkh" : "p2sh_p2wpkh";
  const { extendedKeys } = rulesOf(network);
  const derived = extendedKeys?.of({ id: xpub.keyId, script }).addressAt(row.keyIndex);
  invariant(derived === row.address, `Key ${xpub.id} does not derive the stored ${row.address}`);
}

function checkDerivation(keyRing: KeyRing, network: NetworkRow, row: AddressRow): void {
  invariant(sourceOf(row) === "seed", `Nobody here has the key of ${row.address}`);
  const derived = addressAt(keyRing, network, pathOf(row));
  invariant(derived === row.address, `The seed does not derive the stored address ${row.address}`);
}

export function signerOf(keyRing: KeyRing, network: NetworkRow, row: AddressRow): Signer {
  checkDerivation(keyRing, network, row);
  return keyRing.signerOf(fullPath(network, pathOf(row)));
}

/** By address, for what several of them sign. */
export async function signersOf(
  deps: Pick<Deps, "keyRing">,
  { network, rows }: { network: NetworkRow; rows: readonly AddressRow[] },
): Promise<Map<string, Signer>> {
  const keyRing = await deps.keyRing();
  return new Map(rows.map((row) => [row.address, signerOf(keyRing, network, row)]));
}

/** The address that a key has on a network. */
export function addressAt(keyRing: KeyRing, network: NetworkRow, path: KeyPath): string {
  return rulesOf(network).addressOf(keyRing.publicKeyOf(fullPath(network, path)));
}

/** Whether key paths contain the account's number, so that nobody else gets the same keys. */
export function keysShowOwners(network: Pick<NetworkRow, "family" | "chainId">): boolean {
  const of = (account: number) => rulesOf(network).keysFor({ purpose: "hot", account });
  return JSON.stringify(of(1)) !== JSON.stringify(of(2));
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
  { db, memory }: Deps,
  { keys, from }: { keys: Omit<KeyPath, "index">; from: number },
): Promise<number> {
  const indexes = memory.nextKeyIndexes;
  const name = `${keys.coinType}/${keys.account}/${keys.branch}`;
  if (!indexes.has(name)) {
    const stored = (await lastKeyIndex(db, keys) ?? -1) + 1;
    if (!indexes.has(name)) indexes.set(name, Math.max(stored, from));
  }
  const index = present(indexes.get(name), "The branch has a next index");
  indexes.set(name, index + 1);
  return index;
}
