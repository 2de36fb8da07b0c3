import type { Clock } from "../base/clock.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { createKeyRing, type KeyRing } from "../keys/key_ring.ts";
import { readRoot, writeRoot } from "../keys/root_secret.ts";
import { parseRecoveryPhrase, rootOf } from "../keys/seed.ts";
import type { Vault } from "../keys/vault.ts";
import type { Db } from "../store/engine/db.ts";
import { read } from "../store/engine/workspace.ts";
import { Secrets } from "../store/tables/secrets.ts";
import { claimMasterKey, followMasterKey, type VaultDeps } from "./follow_master_key.ts";
import type { MasterKeyRow } from "./table.ts";
import { hasAddresses } from "../wallets/reads/addresses.ts";

export const SEED = "seed";
export const SEED_CONTEXT = "secrets.seed";

export interface SeedDeps {
  readonly db: Db;
  readonly vault: Vault;
  readonly clock: Clock;
}

export async function openSeed({ db, vault }: VaultDeps): Promise<string> {
  const stored = await db.get(Secrets, [SEED]);
  return readRoot(await vault.open(stored.sealed, SEED_CONTEXT)).phrase;
}

/** A secret sealed with another master key could never be opened together with the rest. */
export async function checkMasterKey({ db, vault, clock }: SeedDeps): Promise<void> {
  const known = await proveMasterKey({ db, vault });
  if (!known) await claimMasterKey({ db, vault }, clock.nowMs());
}

/** Only reads. Throws if the database is sealed with another master key. */
export async function proveMasterKey({ db, vault }: VaultDeps): Promise<MasterKeyRow | undefined> {
  const known = await followMasterKey({ db, vault });
  const stored = await db.find(Secrets, [SEED]);
  if (stored) await vault.open(stored.sealed, SEED_CONTEXT);
  return known;
}

export async function openKeyRing(deps: VaultDeps): Promise<KeyRing> {
  return createKeyRing(await rootOf(await openSeed(deps)));
}

/** The audit log records who sees it before they do. */
export async function showSeed(deps: SeedDeps, { actor }: { actor: Actor }): Promise<string> {
  const phrase = await openSeed(deps);
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [],
    decide: (view) => recordAudit(view, { actor, action: "seed.shown", subject: SEED, nowMs }),
  });
  return phrase;
}

/** Somebody has repeated words of it from their paper. */
export async function noteSeedKept(
  { db, clock }: SeedDeps,
  { actor }: { actor: Actor },
): Promise<void> {
  const nowMs = clock.nowMs();
  await db.write({
    reads: [],
    decide: (view) => recordAudit(view, { actor, action: "seed.kept", subject: SEED, nowMs }),
  });
}

/** Only before the first address: every stored address must be derivable from the stored seed. */
export async function importSeed(
  { db, vault, clock }: SeedDeps,
  { text, actor }: { text: string; actor: Actor },
): Promise<void> {
  const phrase = parseRecoveryPhrase(text);
  if (!phrase) throw refuse("recovery_phrase_wrong");
  if (await hasAddresses(db)) throw refuse("seed_in_use");
  const stored = await db.get(Secrets, [SEED]);
  const { seals } = readRoot(await vault.open(stored.sealed, SEED_CONTEXT));
  const sealed = await vault.seal(writeRoot({ phrase, seals }), SEED_CONTEXT);
  await db.write({
    reads: [read(Secrets, [SEED])],
    decide: (view) => {
      const nowMs = clock.nowMs();
      recordAudit(view, { actor, action: "seed.imported", subject: SEED, nowMs });
      view.update(Secrets, view.get(Secrets, [SEED]), { sealed });
    },
  });
}
