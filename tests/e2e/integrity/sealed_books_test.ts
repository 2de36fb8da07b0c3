import assert from "node:assert/strict";
import { openBooks } from "../../../src/upkeep/open_books.ts";
import { checkIntegrity } from "../../../src/integrity/manage_integrity.ts";
import { openSeed } from "../../../src/upkeep/open_key_ring.ts";
import { finishRotation, rotateMasterKey } from "../../../src/upkeep/rotate_master_key.ts";
import { verifyAudit } from "../../../src/integrity/verify_audit.ts";
import { createLog } from "../../../src/base/log.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { fromHex } from "../../../src/base/bytes.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway, openMigratedDb } from "../../../src/app/gateway.ts";
import { createVault } from "../../../src/keys/vault.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { SEALED_TABLES } from "../../../src/store/reads/sealed.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { makePlace, type Place, TEST_MASTER_KEY } from "../../support/database/database.ts";
import { templateOf } from "../../support/database/template.ts";
import { makeMerchant } from "../../support/gateway.ts";
import { sentId, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import { payIn, startSweepingWorld } from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";
import { fixtures, readFixture, rebuild } from "../../store/upkeep/old_database.ts";

const configOf = ({ env }: Pick<Place, "env">) => readConfig({ ...env, CPG_LOG_LEVEL: "silent" });
const LOG = createLog({ level: "silent", clock: systemClock, write: () => {} });

const envOf = (url: string) => ({
  CPG_DATABASE_URL: url,
  CPG_DATABASE_TOKEN: "",
  CPG_MASTER_KEY: TEST_MASTER_KEY,
});

async function makeOld(url: string): Promise<void> {
  const name = fixtures.find((name) => name.endsWith("11-12.jsonl"))!;
  await rebuild({ env: envOf(url) }, await readFixture(name));
}

const OLD = templateOf(makeOld);

/** With the present tables, and not sealed yet. */
const UNSEALED = templateOf(async (url) => {
  await makeOld(url);
  await (await openMigratedDb(configOf({ env: envOf(url) }))).db.close();
});

const makeOldPlace = () => makePlace({ template: OLD });
const makeUnsealedPlace = () => makePlace({ template: UNSEALED });

const actionsOf = async (db: Db) =>
  (await auditPage(db, { actor: null, subject: "books", cursor: null, limit: 100 }))
    .map(({ action }) => action);

Deno.test("every row of new books is sealed, whatever the gateway does with them", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const order = { network: "ETH", currency: "ETH", to_address: STRANGER, amount: "1" };
  sentId(await world.merchant.api.post("/v1/withdrawals", { ...order, client_reference: "1" }));
  await settleAll(world);
  await using sweeping = await startSweepingWorld({ anvil: await startAnvil() });
  await payIn(sweeping, { to: (await allocate(sweeping.merchant.api)).address, raw: ETHER });
  await sweeping.turn(4);
  for (const { deps } of [world, sweeping]) {
    const { rows, tampered, first } = await checkIntegrity(deps);
    assert.deepEqual([tampered, first], [0, []]);
    assert.ok(rows > 10);
    const { brokenId, unchained } = await verifyAudit(deps);
    assert.deepEqual([brokenId, unchained], [null, 0]);
  }
  await sweeping.anvil[Symbol.asyncDispose]();
});

Deno.test("old books are sealed once, however many programs open them at once", async () => {
  await using place = await makeOldPlace();
  const gateways = await Promise.all([0, 1, 2].map(() => openGateway(configOf(place))));
  for (const { deps } of gateways) {
    assert.equal((await checkIntegrity(deps)).tampered, 0);
    assert.equal((await verifyAudit(deps)).brokenId, null);
  }
  assert.deepEqual(await actionsOf(gateways[0]!.deps.db), ["books.sealed", "books.sealing"]);
  for (const gateway of gateways) await gateway.close();
});

Deno.test("sealing that was interrupted continues with the same key at the next start", async () => {
  const vault = await createVault(fromHex(TEST_MASTER_KEY)!);
  for (let stopAt = 1;; stopAt++) {
    await using place = await makeUnsealedPlace();
    const { db } = await openMigratedDb(configOf(place));
    let writes = 0;
    const stopping: Db = {
      ...db,
      write: (unit) => ++writes > stopAt ? Promise.reject(new Error("stopped")) : db.write(unit),
    };
    const opening = openBooks({ db: stopping, vault, clock: systemClock, log: LOG });
    const isStopped = await opening.then(() => false, ({ message }) => message === "stopped");
    await db.close();
    const { deps, close } = await openGateway(configOf(place));
    assert.equal((await checkIntegrity(deps)).tampered, 0);
    assert.equal((await verifyAudit(deps)).brokenId, null);
    assert.equal((await openSeed(deps)).split(" ").length, 24);
    assert.deepEqual(await actionsOf(deps.db), ["books.sealed", "books.sealing"]);
    await close();
    if (!isStopped) break;
  }
});

Deno.test("whoever starts to seal just as another one finishes keeps that one's key", async () => {
  const vault = await createVault(fromHex(TEST_MASTER_KEY)!);
  for (let lookAt = 1;; lookAt++) {
    await using place = await makeUnsealedPlace();
    const { db } = await openMigratedDb(configOf(place));
    const { db: late } = await openMigratedDb(configOf(place));
    const opening = { vault, clock: systemClock, log: LOG };
    let looks = 0;
    const interrupted: Db = {
      ...late,
      // From here on, the seed that it has read is old.
      find: async (...asked) => {
        const found = await late.find(...asked);
        if (++looks === lookAt) await openBooks({ ...opening, db });
        return found;
      },
    };
    await openBooks({ ...opening, db: interrupted });
    if (looks < lookAt) await openBooks({ ...opening, db });
    for (const one of [db, late]) {
      assert.equal((await checkIntegrity({ db: one })).tampered, 0);
      assert.equal((await verifyAudit({ db: one })).brokenId, null);
    }
    assert.deepEqual(await actionsOf(db), ["books.sealed", "books.sealing"]);
    await Promise.all([db.close(), late.close()]);
    if (looks < lookAt) break;
  }
});

Deno.test("old books aren't sealed while an older program still writes to them", async () => {
  await using place = await makeUnsealedPlace();
  const { db } = await openMigratedDb(configOf(place));
  let beat = 0;
  const show = () =>
    db.execute([{
      sql:
        `INSERT OR REPLACE INTO instances (instance, beat, master_key_id, started_at_ms, seen_at_ms)
VALUES ('old', ?, 'test', 0, ?)`,
      args: [++beat, Date.now()],
    }]);
  await show();
  let showing = Promise.resolve();
  const timer = setInterval(() => showing = showing.then(show), 500);
  await assert.rejects(openGateway(configOf(place)), {
    message: "Stop the other instances first: an older version is serving this database",
  });
  assert.deepEqual(await actionsOf(db), []);
  clearInterval(timer);
  await showing;
  const { deps, close } = await openGateway(configOf(place));
  assert.equal((await checkIntegrity(deps)).tampered, 0);
  // Once they are sealed, others of this version may serve them.
  await show();
  await (await openGateway(configOf(place))).close();
  await close();
  await db.close();
});

const strip = SEALED_TABLES.map(({ name }) => `UPDATE ${name} SET seal = NULL`);
const STRIPPINGS: Readonly<Record<string, readonly string[]>> = {
  "every seal": strip,
  "every seal, and the head of the log": [
    ...strip,
    "UPDATE write_clock SET audit_id = NULL, audit_hash = NULL, audit_seal = NULL",
  ],
  "every seal, and the secret of an unfinished sealing brought in": [
    ...strip,
    "INSERT INTO secrets (name, sealed) SELECT 'seals', sealed FROM secrets WHERE name = 'seed'",
  ],
};

for (const [what, statements] of Object.entries(STRIPPINGS)) {
  Deno.test(`books aren't sealed a second time after somebody removed: ${what}`, async () => {
    await using place = await makeOldPlace();
    const first = await openGateway(configOf(place));
    const before = await checkIntegrity(first.deps);
    await first.deps.db.execute(statements.map((sql) => ({ sql })));
    await first.close();
    const again = await openGateway(configOf(place));
    const { rows, tampered } = await checkIntegrity(again.deps);
    assert.deepEqual([rows, tampered], [before.rows, before.rows]);
    await again.close();
  });
}

Deno.test("books with addresses don't open without their seed", async () => {
  await using place = await makeOldPlace();
  const first = await openGateway(configOf(place));
  await first.deps.db.execute([{ sql: "DELETE FROM secrets" }]);
  await first.close();
  await assert.rejects(openGateway(configOf(place)), /the seed that they come from is gone/);
});

Deno.test("rewound migrations don't seal books again", async () => {
  await using place = await makeOldPlace();
  const first = await openGateway(configOf(place));
  await first.deps.db.execute([
    ...strip.map((sql) => ({ sql })),
    { sql: "DELETE FROM schema_migrations WHERE version >= 15" },
  ]);
  await first.close();
  await assert.rejects(openGateway(configOf(place)));
});

Deno.test("rows stay genuine under a new master key, and others are still recognised", async () => {
  await using place = await makePlace();
  const first = await openGateway(configOf(place));
  await makeMerchant({ deps: first.deps, url: "" });
  const { masterKey } = await rotateMasterKey(first.deps, { actor: "test" });
  await finishRotation(first.deps, { actor: "test", hasNewKey: true });
  await first.close();
  const env = { ...place.env, CPG_MASTER_KEY: masterKey };
  const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  assert.equal((await checkIntegrity(deps)).tampered, 0);
  await deps.db.execute([{ sql: "UPDATE api_keys SET ip_list = '[\"::/0\"]'" }]);
  assert.equal((await checkIntegrity(deps)).tampered, 1);
  await close();
});
