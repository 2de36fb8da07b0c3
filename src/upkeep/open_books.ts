import { auditEnd } from "../audit/reads/audit.ts";
import { AuditLog } from "../audit/table.ts";
import { invariant, present } from "../base/assert.ts";
import { type Bytes, fromBase64, randomBytes, toBase64 } from "../base/bytes.ts";
import { last } from "../base/lists.ts";
import type { Log } from "../base/log.ts";
import { createMac } from "../base/secrets/mac.ts";
import { recordAudit } from "../books/records.ts";
import type { HaltCode } from "../domain/reason_codes.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { catchUp, readBalances } from "../integrity/sum_balances.ts";
import { verifyAudit } from "../integrity/verify_audit.ts";
import { type KeyedFrom, readRoot, type RootSeals, writeRoot } from "../keys/root_secret.ts";
import { newRecoveryPhrase } from "../keys/seed.ts";
import type { Db } from "../store/engine/db.ts";
import { Seals } from "../store/engine/seals.ts";
import { read, readAll } from "../store/engine/workspace.ts";
import { primaryKeyOf, rowsAfter, SEALED_TABLES } from "../store/reads/sealed.ts";
import { Secrets } from "../store/tables/secrets.ts";
import { type AnyRow, type RowValue, sealRead, type Table } from "../store/tables/table.ts";
import { noteOldCredits } from "./_note_credits.ts";
import { passOnSeals } from "./_pass_on_seals.ts";
import { replaceRoot, type SealedRoot, type StoredRoot } from "./_replace_root.ts";
import { isServed } from "./membership.ts";
import { SEED, SEED_CONTEXT, type SeedDeps } from "./open_key_ring.ts";
import { hasAddresses, uncodedHalts } from "../wallets/reads/addresses.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { AllowedRecipients } from "../withdrawals/table.ts";

const PAGE_ROWS = 500;

const UNFINISHED = "seals";
const UNFINISHED_CONTEXT = "secrets.seals";
const KEY_BYTES = 32;
const LOGGED_EVERY_ROWS = 100_000;

const SUBJECT = "allowances";

const PAGE = 250;
const RESTORED = "The database was restored from a backup";
const MADE_AGAIN = "for blocks were read without this wallet";

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
    if (isUpToDate(seals)) {
      await codeOldHalts(deps);
      return await passOnSeals(deps);
    }
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

/**
 * Wallets halted by an older version get the code of their reason. The code is sealed with the row, so
 * no statement of a migration can write it. A tampered row gets none: nothing is decided by it.
 */
async function codeOldHalts({ db, log }: { db: Db; log: Log }): Promise<void> {
  let coded = 0;
  let left = 0;
  for (let afterId = 0;;) {
    const page = await uncodedHalts(db, { afterId, limit: PAGE });
    if (page.length === 0) break;
    afterId = last(page).id;
    const keys = page.map(({ id }) => [id]);
    const done = await db.write({
      reads: readAll(Addresses, keys),
      decide: (view) =>
        keys.filter((key) => {
          const row = view.raw.get(Addresses, key);
          const { haltedReason, haltedCode } = row;
          if (haltedReason === null || haltedCode !== null) return true;
          if (!view.isGenuine(Addresses, row)) return false;
          view.update(Addresses, row, { haltedCode: codeOf(haltedReason) });
          return true;
        }).length,
    });
    coded += done;
    left += page.length - done;
  }
  if (coded + left > 0) log.warn("halted wallets have codes now", { coded, tampered: left });
}

function codeOf(reason: string): HaltCode {
  if (!reason.startsWith(RESTORED)) return "used_elsewhere";
  return reason.includes(MADE_AGAIN) ? "made_again" : "restored";
}

/**
 * For books from before allowed recipients had seals: seals them once, as they are. Whoever puts an
 * old secret back doesn't get later rows sealed, because the log says that it was done, or is broken
 * where it said so.
 */
async function sealOldAllowances(deps: SeedDeps, root: SealedRoot): Promise<void> {
  const { db, clock } = deps;
  const isSaid = (await db.list(AuditLog, { subject: SUBJECT })).length > 0;
  const isDone = isSaid || (await verifyAudit(deps)).brokenId !== null;
  const rows = isDone ? 0 : await sealTable(deps, AllowedRecipients, () => {});
  await replaceRoot(deps, {
    root,
    done: { areAllowancesSealed: true },
    note: (view) =>
      recordAudit(view, {
        actor: "worker",
        action: "books.allowances_sealed",
        subject: SUBJECT,
        detail: { rows },
        nowMs: clock.nowMs(),
      }),
  });
}

interface BooksDeps extends SeedDeps {
  readonly log: Log;
  /** Nobody else serves this database, whatever its rows say, or at least no older version. */
  readonly isExclusive?: boolean;
}

interface SealKey {
  readonly key: Bytes;
  readonly log: KeyedFrom | null;
  readonly summedFromMs?: number | null;
}

function protect(
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
async function sealOldBooks(deps: BooksDeps, before: StoredRoot | undefined): Promise<void> {
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

/** For books from before balances were summed: sums them once, as they are. */
async function sumOldBalances(deps: SeedDeps, root: SealedRoot): Promise<void> {
  const { db, clock } = deps;
  const seals = present(db.seals(), "Books are open");
  const summed = await readBalances(db, seals);
  const { difference, kept } = await catchUp(db, summed, seals);
  const nowMs = clock.nowMs();
  await replaceRoot(deps, {
    root,
    done: { summedFromMs: nowMs },
    note: (view) => {
      // If somebody puts an old secret back, this must not happen a second time.
      if (kept.turn === 0) view.correctSum(difference);
      recordAudit(view, {
        actor: "worker",
        action: "books.balances_summed",
        subject: "balances",
        detail: { balances: summed.terms.size },
        nowMs,
      });
    },
  });
}

/** Seals the rows that have no seal yet, as they are; how many. */
async function sealTable(
  { db }: { db: Db },
  table: Table<AnyRow>,
  report: (rows: number) => void,
): Promise<number> {
  let rows = 0;
  let after: RowValue[] | undefined;
  for (;;) {
    const page = await rowsAfter(db, table, { after, limit: PAGE_ROWS });
    const keys = page.filter((row) => sealRead(row) === null).map((row) =>
      primaryKeyOf(table, row)
    );
    await db.write({
      reads: readAll(table, keys),
      decide: (view) => {
        for (const key of keys) {
          const row = view.raw.find(table, key);
          if (!row || sealRead(row) !== null) continue;
          view.atOnce("once, for rows from before seals").accept(table, row);
        }
      },
    });
    rows += keys.length;
    report(rows);
    if (page.length < PAGE_ROWS) return rows;
    after = primaryKeyOf(table, last(page));
  }
}
