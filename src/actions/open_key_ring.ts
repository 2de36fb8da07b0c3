import type { Clock } from "../base/clock.ts";
import { OperatorError } from "../domain/refusal.ts";
import { createKeyRing, type KeyRing } from "../keys/key_ring.ts";
import { newRecoveryPhrase, parseRecoveryPhrase, rootOf } from "../keys/seed.ts";
import type { Vault } from "../keys/vault.ts";
import { hasAddresses } from "../store/address_reads.ts";
import type { Db } from "../store/db.ts";
import { claimMasterKey, followMasterKey, type VaultDeps } from "./follow_master_key.ts";
import type { MasterKeyRow } from "../store/instance_tables.ts";
import { Secrets } from "../store/setup_tables.ts";
import { read } from "../store/workspace.ts";
import { recordAudit } from "./_records.ts";
import type { Actor } from "./deps.ts";

const SEED = "seed";
const CONTEXT = "secrets.seed";

export interface SeedDeps {
  readonly db: Db;
  readonly vault: Vault;
  readonly clock: Clock;
}

/** The installation's seed, made at first start. A wrong master key stops here, before anything is written. */
export async function openSeed({ db, vault, clock }: SeedDeps): Promise<string> {
  const stored = await db.find(Secrets, [SEED]);
  if (stored) return await vault.open(stored.sealed, CONTEXT);
  const sealed = await vault.seal(newRecoveryPhrase(), CONTEXT);
  const kept = await db.write({
    reads: [read(Secrets, [SEED])],
    decide: (view) => {
      const before = view.find(Secrets, [SEED]);
      if (before) return before;
      const nowMs = clock.nowMs();
      recordAudit(view, { actor: "worker", action: "seed.created", subject: SEED, nowMs });
      return view.insertKeyed(Secrets, { name: SEED, sealed });
    },
  });
  return await vault.open(kept.sealed, CONTEXT);
}

/** A secret sealed with another master key could never be opened again beside the others. */
export async function checkMasterKey({ db, vault, clock }: SeedDeps): Promise<void> {
  const known = await proveMasterKey({ db, vault });
  if (!known) await claimMasterKey({ db, vault }, clock.nowMs());
}

/** Reads only. Throws where the database is sealed with another master key. */
export async function proveMasterKey({ db, vault }: VaultDeps): Promise<MasterKeyRow | undefined> {
  const known = await followMasterKey({ db, vault });
  const stored = await db.find(Secrets, [SEED]);
  if (stored) await vault.open(stored.sealed, CONTEXT);
  return known;
}

export async function openKeyRing(deps: SeedDeps): Promise<KeyRing> {
  return createKeyRing(await rootOf(await openSeed(deps)));
}

/** For whoever writes it down: who saw it is in the audit log before they do. */
export async function showSeed(deps: SeedDeps, { actor }: { actor: Actor }): Promise<string> {
  const phrase = await openSeed(deps);
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [],
    decide: (view) => recordAudit(view, { actor, action: "seed.shown", subject: SEED, nowMs }),
  });
  return phrase;
}

/** Only before the first address: a stored address must always be derivable from the stored seed. */
export async function importSeed(
  { db, vault, clock }: SeedDeps,
  { text, actor }: { text: string; actor: Actor },
): Promise<void> {
  const phrase = parseRecoveryPhrase(text);
  if (!phrase) throw new OperatorError("The recovery phrase has a wrong word or checksum");
  if (await hasAddresses(db)) {
    throw new OperatorError(
      "Addresses were already derived from the present seed: import into a new database",
    );
  }
  const sealed = await vault.seal(phrase, CONTEXT);
  await db.write({
    reads: [read(Secrets, [SEED])],
    decide: (view) => {
      const stored = view.find(Secrets, [SEED]);
      const nowMs = clock.nowMs();
      recordAudit(view, { actor, action: "seed.imported", subject: SEED, nowMs });
      if (stored) view.update(Secrets, stored, { sealed });
      else view.insertKeyed(Secrets, { name: SEED, sealed });
    },
  });
}
