import type { Deed } from "../audit/rules/deeds.ts";
import { invariant } from "../base/assert.ts";
import { type Bytes, randomBytes } from "../base/bytes.ts";
import { sleep } from "../base/clock.ts";
import { last } from "../base/lists.ts";
import { readSealed } from "../base/secrets/sealed_text.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { Vault } from "../keys/vault.ts";
import { read, readAll, type View } from "../store/engine/workspace.ts";
import { ENCRYPTED_TABLES, primaryKeyOf, rowsAfter } from "../store/reads/sealed.ts";
import type { AnyRow, RowValue, Table } from "../store/tables/table.ts";
import { followMasterKey, handOverOf } from "./follow_master_key.ts";
import { servingInstances } from "./membership.ts";
import { type MasterKeyRow, MasterKeys } from "./table.ts";

const PAGE_ROWS = 200;

const THE_ROW = 1;
const MASTER_KEY_BYTES = 32;
const FOLLOWED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 200;

interface Rotation {
  /** The new key, to be stored by the caller. */
  readonly masterKey: string;
  /** How many secrets this run resealed. */
  readonly resealed: number;
}

/**
 * From the first commit on, either key opens everything and only the new one seals. If interrupted,
 * the next call continues with the same new key.
 */
export async function rotateMasterKey(
  deps: Deps,
  { actor, newKey = randomBytes(MASTER_KEY_BYTES) }: { actor: Actor; newKey?: Bytes },
): Promise<Rotation> {
  const known = await followMasterKey(deps);
  invariant(known, "The master key in use is recorded when the database is opened");
  if (!handOverOf(known)) await handOver(deps, { actor, newKey });
  else if (deps.vault.givenKeyId() === known.keyId) throw refuse("master_key_half_changed");
  await untilFollowed(deps);
  return { masterKey: deps.vault.exportKey(), resealed: await resealAll(deps) };
}

/** After this, the old key opens nothing. Only the holder of the new one may call it. */
export async function finishRotation(
  deps: Deps,
  { actor, hasNewKey }: {
    actor: Actor;
    /** The new key is stored safely, although this program started with the old one. */
    hasNewKey?: boolean;
  },
): Promise<{ resealed: number }> {
  const known = await followMasterKey(deps);
  if (!known || !handOverOf(known)) throw refuse("master_key_unchanged");
  if (!hasNewKey && deps.vault.givenKeyId() !== known.keyId) throw refuse("master_key_old");
  await untilFollowed(deps);
  const resealed = await resealAll(deps);
  await changeKeyRow(deps, known, (view, row) => {
    view.update(MasterKeys, row, { oldKeyId: null, newByOld: null, oldByNew: null });
    const sides = { before: { oldKeyId: row.oldKeyId }, after: { oldKeyId: null } };
    audit(deps, view, { actor, action: "master_key.rotated", keyId: row.keyId, sides });
  });
  return { resealed };
}

async function handOver(deps: Deps, { actor, newKey }: { actor: Actor; newKey: Bytes }) {
  const { vault, clock } = deps;
  const { oldKeyId, keyId, newByOld, oldByNew } = await vault.handOverTo(newKey);
  const before = await deps.db.find(MasterKeys, [THE_ROW]);
  invariant(before, "The master key in use is recorded");
  if (before.keyId !== oldKeyId || handOverOf(before)) throw refuse("master_key_half_changed");
  await changeKeyRow(deps, before, (view, row) => {
    const changedAtMs = clock.nowMs();
    view.update(MasterKeys, row, { keyId, oldKeyId, newByOld, oldByNew, changedAtMs });
    const sides = { before: { keyId: row.keyId }, after: { keyId } };
    audit(deps, view, { actor, action: "master_key.rotating", keyId, sides });
  });
  await followMasterKey(deps);
}

async function changeKeyRow(
  { db }: Deps,
  known: MasterKeyRow,
  change: (view: View, row: MasterKeyRow) => void,
): Promise<void> {
  await db.write({
    reads: [read(MasterKeys, [THE_ROW])],
    decide: (view) => {
      const row = view.find(MasterKeys, [THE_ROW]);
      const isSame = row?.keyId === known.keyId && row.oldKeyId === known.oldKeyId;
      if (!row || !isSame) throw refuse("master_key_changing");
      change(view, row);
    },
  });
}

/** An instance that hasn't looked yet couldn't open secrets sealed with the new key. */
async function untilFollowed(deps: Deps): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const serving = await servingInstances(deps);
    const late = serving.filter(({ masterKeyId }) => masterKeyId !== deps.vault.keyId());
    if (late.length === 0) return;
    if (performance.now() - startedAt > FOLLOWED_WITHIN_MS) {
      throw refuse("master_key_not_taken");
    }
    await sleep(LOOK_EVERY_MS);
  }
}

function audit(
  { clock }: Deps,
  view: View,
  { actor, action, keyId, sides: detail }: {
    actor: Actor;
    action: Deed;
    keyId: string;
    sides: { before: unknown; after: unknown };
  },
): void {
  recordAudit(view, { actor, action, subject: keyId, detail, nowMs: clock.nowMs() });
}

/** Nothing is sealed with the old key after the hand-over, so one pass finds everything. */
async function resealAll(deps: Deps): Promise<number> {
  let resealed = 0;
  for (const table of ENCRYPTED_TABLES) {
    let after: RowValue[] | undefined;
    for (;;) {
      const page = await rowsAfter(deps.db, table, { after, limit: PAGE_ROWS });
      resealed += await resealPage(deps, table, page);
      if (page.length < PAGE_ROWS) break;
      after = primaryKeyOf(table, last(page));
    }
  }
  return resealed;
}

type Fields = Record<string, string | null>;

async function resealPage(deps: Deps, table: Table<AnyRow>, page: AnyRow[]): Promise<number> {
  const { db, vault } = deps;
  const changes: { key: RowValue[]; from: Fields; to: Fields }[] = [];
  for (const row of page) {
    const from: Fields = {};
    const to: Fields = {};
    for (const { field, contextOf } of table.encrypted) {
      const text = row[field];
      if (typeof text !== "string" || text === "" || readSealed(text).keyId === vault.keyId()) {
        continue;
      }
      from[field] = text;
      to[field] = await resealed(vault, text, contextOf(row));
    }
    if (Object.keys(to).length > 0) changes.push({ key: primaryKeyOf(table, row), from, to });
  }
  if (changes.length === 0) return 0;
  await db.write({
    reads: readAll(table, changes.map(({ key }) => key)),
    decide: (view) => {
      for (const { key, from, to } of changes) {
        const row = view.raw.find(table, key);
        // Whoever changed it meanwhile has already sealed it with the new key.
        const same = Object.keys(to).filter((field) => row?.[field] === from[field]);
        const patch = Object.fromEntries(same.map((field) => [field, to[field]]));
        if (!row || same.length === 0) continue;
        view.atOnce("the same secrets, encrypted with a new key").update(table, row, patch);
      }
    },
  });
  return changes.length;
}

async function resealed(vault: Vault, text: string, context: string): Promise<string> {
  return await vault.seal(await vault.open(text, context), context);
}
