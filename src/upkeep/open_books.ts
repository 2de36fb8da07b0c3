import { randomBytes } from "../base/bytes.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { readRoot, type RootSeals, writeRoot } from "../keys/root_secret.ts";
import { newRecoveryPhrase } from "../keys/seed.ts";
import { hasAddresses } from "../wallets/reads/addresses.ts";
import { auditEnd } from "../audit/reads/audit.ts";
import { Secrets } from "../store/tables/setup.ts";
import { AuditLog } from "../audit/table.ts";
import { read } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { noteOldCredits } from "./_note_credits.ts";
import type { SealedRoot, StoredRoot } from "./_replace_root.ts";
import { sealOldAllowances } from "./_seal_allowances.ts";
import { codeOldHalts } from "./_code_old_halts.ts";
import { sumOldBalances } from "./_sum_old_balances.ts";
import { isServed } from "./membership.ts";
import { SEED, SEED_CONTEXT } from "./open_key_ring.ts";
import { type BooksDeps, KEY_BYTES, protect, sealOldBooks } from "./_seal_old_books.ts";

const RACES_MAX = 40;

/**
 * After this, protected rows are sealed and foreign ones recognised. New books are sealed from
 * their first row. Older books are sealed once, as they are; that this was done is part of the
 * secret that contains the seed, so nobody can repeat it without losing the ability to pay.
 */
export async function openBooks(deps: BooksDeps): Promise<void> {
  let isAlone = deps.isExclusive ?? false;
  for (let race = 0; race < RACES_MAX; race++) {
    const root = await rootOf(deps);
    const seals = root?.seals;
    if (seals) protect(deps, seals);
    if (isUpToDate(seals)) return await codeOldHalts(deps);
    if (!root && await hasAddresses(deps.db)) throw refuse("seed_gone");
    const isNew = !root && (await auditEnd(deps.db)).lastId === 0;
    isAlone ||= !isNew && !await isServed(deps.db);
    if (isNew) await makeRoot(deps);
    else if (!isAlone) await refuseServed(deps, root);
    else if (seals) await bringUpToDate(deps, { ...root, seals });
    else await sealOldBooks(deps, root);
  }
  throw refuse("database_busy");
}

function isUpToDate(seals: RootSeals | undefined): boolean {
  return seals !== undefined && seals.areCreditsNoted && seals.areAllowancesSealed &&
    seals.summedFromMs !== null;
}

async function bringUpToDate(deps: BooksDeps, root: SealedRoot): Promise<void> {
  const { areAllowancesSealed, areCreditsNoted } = root.seals;
  if (!areAllowancesSealed) await sealOldAllowances(deps, root);
  else if (!areCreditsNoted) await noteOldCredits(deps, root);
  else await sumOldBalances(deps, root);
}

async function rootOf({ db, vault }: BooksDeps): Promise<StoredRoot | undefined> {
  const stored = await db.find(Secrets, [SEED]);
  if (!stored) return undefined;
  const { sealed } = stored;
  return { ...readRoot(await vault.open(sealed, SEED_CONTEXT)), sealed };
}

/** An older program writes rows without seals, which would count as tampered with. */
async function refuseServed(deps: BooksDeps, before: StoredRoot | undefined): Promise<void> {
  // Another program of this version has just finished.
  if ((await rootOf(deps))?.sealed !== before?.sealed) return;
  throw refuse("served_by_older");
}

async function makeRoot(deps: BooksDeps): Promise<void> {
  const { db, vault, clock } = deps;
  const key = randomBytes(KEY_BYTES);
  const done = { areCreditsNoted: true, areAllowancesSealed: true, summedFromMs: 0 };
  const seals = { key, log: { id: 0, hash: null }, ...done };
  const text = writeRoot({ phrase: newRecoveryPhrase(), seals });
  const sealed = await vault.seal(text, SEED_CONTEXT);
  protect(deps, seals, true);
  await db.write({
    reads: [read(Secrets, [SEED])],
    decide: (view) => {
      if (view.find(Secrets, [SEED]) || view.lastId(AuditLog) !== 0) return;
      const nowMs = clock.nowMs();
      recordAudit(view, { actor: "worker", action: "seed.created", subject: SEED, nowMs });
      view.insertKeyed(Secrets, { name: SEED, sealed });
    },
  });
}
