import { invariant } from "../base/assert.ts";
import { type Bytes, fromBase64, randomBytes, toBase64 } from "../base/bytes.ts";
import type { Log } from "../base/log.ts";
import { createMac } from "../base/secrets/mac.ts";
import { type KeyedFrom, writeRoot } from "../keys/root_secret.ts";
import { newRecoveryPhrase } from "../keys/seed.ts";
import { auditEnd } from "../audit/reads/audit.ts";
import { SEALED_TABLES } from "../store/reads/sealed.ts";
import { Seals } from "../store/engine/seals.ts";
import { Secrets } from "../store/tables/setup.ts";
import { AuditLog } from "../audit/table.ts";
import { read } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import type { StoredRoot } from "./_replace_root.ts";
import { sealTable } from "./_seal_table.ts";
import { SEED, SEED_CONTEXT, type SeedDeps } from "./open_key_ring.ts";

const UNFINISHED = "seals";
const UNFINISHED_CONTEXT = "secrets.seals";
export const KEY_BYTES = 32;
const LOGGED_EVERY_ROWS = 100_000;

export interface BooksDeps extends SeedDeps {
  readonly log: Log;
  /** Nobody else serves this database, whatever its rows say, or at least no older version. */
  readonly isExclusive?: boolean;
}

interface SealKey {
  readonly key: Bytes;
  readonly log: KeyedFrom | null;
  readonly summedFromMs?: number | null;
}

export function protect(
  { db }: BooksDeps,
  { key, log, summedFromMs = null }: SealKey,
  isBeginning = false,
): void {
  db.protect(new Seals(createMac(key), log, { isBeginning, summedFromMs }));
}

/**
 * If interrupted, the next start continues with the same key, and so do programs that start
 * meanwhile.
 */
export async function sealOldBooks(deps: BooksDeps, before: StoredRoot | undefined): Promise<void> {
  const { log } = deps;
  const key = await unfinishedKey(deps, before);
  if (!key) return;
  protect(deps, { key, log: null });
  log.warn("sealing these books as they stand, once: this may take a while");
  let rows = 0;
  for (const table of SEALED_TABLES) {
    rows += await sealTable(deps, table, (more) => {
      if (more % LOGGED_EVERY_ROWS === 0) log.info("sealing", { table: table.name, rows: more });
    });
  }
  await finish(deps, { before, key, rows });
}

/** Undefined: others have finished meanwhile. */
async function unfinishedKey(
  { db, vault, clock }: BooksDeps,
  before: StoredRoot | undefined,
): Promise<Bytes | undefined> {
  const text = toBase64(randomBytes(KEY_BYTES));
  const sealed = await vault.seal(text, UNFINISHED_CONTEXT);
  const kept = await db.write({
    reads: [read(Secrets, [SEED]), read(Secrets, [UNFINISHED])],
    decide: (view) => {
      if (view.find(Secrets, [SEED])?.sealed !== before?.sealed) return undefined;
      const nowMs = clock.nowMs();
      const known = view.find(Secrets, [UNFINISHED]);
      if (known) return known;
      recordAudit(view, { actor: "worker", action: "books.sealing", subject: "books", nowMs });
      return view.insertKeyed(Secrets, { name: UNFINISHED, sealed });
    },
  });
  if (!kept) return undefined;
  const key = fromBase64(await vault.open(kept.sealed, UNFINISHED_CONTEXT));
  invariant(key, "What was sealed is as it was written");
  return key;
}

interface Finishing {
  readonly before: StoredRoot | undefined;
  readonly key: Bytes;
  readonly rows: number;
}

/** The log is keyed from this row on; earlier rows are protected by its last hash. */
async function finish(deps: BooksDeps, { before, key, rows }: Finishing): Promise<void> {
  const { db, vault, clock, log } = deps;
  const { lastId, newest } = await auditEnd(db);
  const from = { id: lastId, hash: newest.hash };
  const rest = { areCreditsNoted: false, areAllowancesSealed: true, summedFromMs: null };
  const seals = { key, log: from, ...rest };
  const phrase = before?.phrase ?? newRecoveryPhrase();
  const sealed = await vault.seal(writeRoot({ phrase, seals }), SEED_CONTEXT);
  protect(deps, seals, true);
  const isDone = await db.write({
    reads: [read(Secrets, [SEED]), read(Secrets, [UNFINISHED])],
    decide: (view) => {
      const stored = view.find(Secrets, [SEED]);
      const unfinished = view.find(Secrets, [UNFINISHED]);
      const isSame = stored?.sealed === before?.sealed && view.lastId(AuditLog) === lastId;
      if (!isSame || !unfinished) return false;
      if (stored) view.update(Secrets, stored, { sealed });
      else view.insertKeyed(Secrets, { name: SEED, sealed });
      view.remove(Secrets, unfinished);
      const nowMs = clock.nowMs();
      const entry = { action: "books.sealed", subject: "books", detail: { rows } } as const;
      recordAudit(view, { ...entry, actor: "worker", nowMs });
      return true;
    },
  });
  if (isDone) {
    log.warn("the books are sealed: rotate-master-key makes older copies useless", { rows });
  }
}
