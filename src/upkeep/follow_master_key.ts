import { type HandOver, type Vault, WrongMasterKey } from "../keys/vault.ts";
import type { Db } from "../store/engine/db.ts";
import { type MasterKeyRow, MasterKeys } from "./table.ts";
import { read } from "../store/engine/workspace.ts";

export interface VaultDeps {
  readonly db: Db;
  readonly vault: Vault;
}

const THE_ROW = 1;

/** After this, both keys of a change in progress are known, whichever one the program started with. */
export async function followMasterKey(
  { db, vault }: VaultDeps,
): Promise<MasterKeyRow | undefined> {
  const row = await db.find(MasterKeys, [THE_ROW]);
  if (!row) return undefined;
  const handOver = handOverOf(row);
  const isNews = row.keyId !== vault.keyId() || (handOver && !vault.knows(handOver.oldKeyId));
  if (isNews && handOver) await vault.takeOver(handOver);
  if (row.keyId !== vault.keyId()) {
    throw new WrongMasterKey("the database's secrets");
  }
  return row;
}

export function handOverOf({ keyId, oldKeyId, newByOld, oldByNew }: MasterKeyRow):
  | HandOver
  | undefined {
  if (oldKeyId === null || newByOld === null || oldByNew === null) return undefined;
  return { keyId, oldKeyId, newByOld, oldByNew };
}

/** After this, no program writes a secret sealed with another key. */
export async function claimMasterKey({ db, vault }: VaultDeps, nowMs: number): Promise<void> {
  await db.write({
    reads: [read(MasterKeys, [THE_ROW])],
    decide: (view) => {
      if (view.find(MasterKeys, [THE_ROW])) return;
      view.insertKeyed(MasterKeys, {
        id: THE_ROW,
        keyId: vault.keyId(),
        oldKeyId: null,
        newByOld: null,
        oldByNew: null,
        changedAtMs: nowMs,
      });
    },
  });
  await followMasterKey({ db, vault });
}
