import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { Networks } from "../../../src/networks/table.ts";
import { loadMigrations, splitStatements } from "../../../src/store/upkeep/migration_files.ts";
import type { AnyRow, Table } from "../../../src/store/tables/table.ts";
import {
  Claims,
  type FormerTransferRow,
  FormerTransfers,
  SignedPayments,
  SignedTransactions,
} from "../../../src/transfers/table.ts";
import { makePlace } from "../../support/database/database.ts";
import { noteTest } from "../../support/stage.ts";
import { makeFormerTransfer, makeNetwork } from "../reads/make_rows.ts";

const MINED = { blockNumber: 7, blockHash: "0xb7", feeRaw: "21" };

/** One of each kind that can be in the books. */
const FORMER: readonly FormerTransferRow[] = [
  makeFormerTransfer({
    id: 1,
    nonce: 0,
    liveNonce: 0,
    state: "settled",
    ...MINED,
    isSuccessful: true,
  }),
  makeFormerTransfer({ id: 2, nonce: 1, liveNonce: null }),
  makeFormerTransfer({ id: 3, nonce: 1, liveNonce: 1, sentAtMs: 5 }),
  makeFormerTransfer({ id: 4, nonce: 2, liveNonce: null, state: "abandoned" }),
  makeFormerTransfer({ id: 5, nonce: 3, liveNonce: null, state: "superseded", purpose: "sweep" }),
  makeFormerTransfer({ id: 6, nonce: 3, purpose: "foreign", raw: "", toAddress: "", ...MINED }),
  makeFormerTransfer({ id: 7, nonce: 4, liveNonce: 4, purpose: "void", toAddress: "0xH" }),
  makeFormerTransfer({ id: 8, nonce: 5, liveNonce: 5, purpose: "gas_topup", ...MINED }),
  makeFormerTransfer({ id: 9, nonce: 6, liveNonce: 6, purpose: "gas_topup" }),
  makeFormerTransfer({
    ...{ id: 10, nonce: 1_700, liveNonce: 1_700, network: "TRX", sender: "TH", state: "settled" },
    ...{ isSuccessful: false, contractAddress: "TC", arrivedRaw: "0", callsCode: true, ...MINED },
  }),
  makeFormerTransfer({ id: 11, nonce: 7, liveNonce: 7, amountRaw: "11" }),
  makeFormerTransfer({ id: 12, nonce: 8, liveNonce: 8, amountRaw: "12" }),
  makeFormerTransfer({ id: 13, nonce: 9, liveNonce: 9 }),
];

const open = async (env: Readonly<Record<string, string | undefined>>) =>
  await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));

/** What the migration writes, from sealed rows of before. */
async function asMigrated({ db }: Deps): Promise<void> {
  await db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      const tron = { ...makeNetwork("TRX", null), family: "tron" as const };
      for (const row of [makeNetwork("ETH", null), tron]) {
        view.atOnce("a test").insertKeyed(Networks, row);
      }
      for (const row of FORMER) view.insertKeyed(FormerTransfers, row);
    },
  });
  const migration = (await loadMigrations()).find(({ name }) => name === "0109_signed_payments")!;
  const inserts = splitStatements(migration.sql).filter((sql) => /^(--.*\n)*INSERT INTO/.test(sql));
  assert.equal(inserts.length, 4);
  await db.execute(inserts.map((sql) => ({ sql })));
}

async function notGenuine({ db }: Deps, table: Table<AnyRow>): Promise<number[]> {
  const rows = await db.rows(table, "");
  return rows.filter((row) => !db.isGenuine(table, row))
    .map((row) => Number(row.signedId ?? row.id));
}

Deno.test("what older versions signed keeps its seals through the split, and forged rows get none", async () => {
  await using place = await makePlace();
  const before = await open(place.env);
  await asMigrated(before.deps);
  await before.deps.db.execute([
    // Changed before the update, after it in each new table, and claimed by nobody.
    { sql: "UPDATE signed_transfers SET to_address = '0xEvil' WHERE id = 3" },
    { sql: "UPDATE signed_payments SET amount_raw = '999' WHERE id = 11" },
    { sql: "UPDATE signed_transactions SET raw = '0x03' WHERE id = 12" },
    { sql: "DELETE FROM claims WHERE signed_id = 13" },
  ]);
  await before.close();
  const after = await open(place.env);
  const { db } = after.deps;
  assert.deepEqual(await db.rows(FormerTransfers, ""), []);
  assert.deepEqual(await notGenuine(after.deps, SignedTransactions), [3, 11, 12, 13]);
  assert.deepEqual(await notGenuine(after.deps, SignedPayments), [3, 11, 12, 13]);
  assert.deepEqual(await notGenuine(after.deps, Claims), [3, 11, 12]);
  const live = await db.query(
    "SELECT signed_id, claim FROM claims WHERE live_claim IS NOT NULL ORDER BY signed_id, claim",
  );
  assert.deepEqual(live.map(({ signed_id, claim }) => `${signed_id} ${claim}`), [
    ...["1 0xH/0", "3 0xH/1", "7 0xH/4", "8 0xH/5", "9 0xH/6", "9 gas/0xB", "10 TH/1700"],
    ...["11 0xH/7", "12 0xH/8"],
  ]);
  const once = await db.query("SELECT signed_id FROM claims WHERE is_once = 0 ORDER BY signed_id");
  assert.deepEqual(once.map(({ signed_id }) => signed_id), [8, 9, 10]);
  const [foreign] = await db.rows(SignedTransactions, "WHERE is_foreign = 1");
  assert.deepEqual([foreign!.id, foreign!.isLive, foreign!.place], [6, false, 3]);
  assert.deepEqual(await db.rows(SignedPayments, "WHERE signed_id = 6"), []);
  await after.close();
  const again = await open(place.env);
  assert.deepEqual(await notGenuine(again.deps, SignedTransactions), [3, 11, 12, 13]);
  await again.close();
});
