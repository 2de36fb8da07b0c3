import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { checkIntegrity } from "../../../src/integrity/manage_integrity.ts";
import { verifyAudit } from "../../../src/integrity/verify_audit.ts";
import { readRoot, writeRoot } from "../../../src/keys/root_secret.ts";
import { Secrets } from "../../../src/store/tables/secrets.ts";
import { SEED, SEED_CONTEXT } from "../../../src/upkeep/open_key_ring.ts";
import { AllowedRecipients } from "../../../src/withdrawals/table.ts";
import { makePlace } from "../../support/database/database.ts";
import { makeNetwork } from "../../support/gateway.ts";

type Gateway = Awaited<ReturnType<typeof openGateway>>;

/** As a program wrote it before these rows had seals. */
async function allowUnsealed({ deps: { db } }: Gateway, address: string): Promise<void> {
  const sql = "INSERT INTO allowed_recipients VALUES (1, 'ETH', ?, 5, NULL)";
  await db.execute([{ sql, args: [address] }]);
}

/** The secret from before they had seals; whoever kept a copy can put it back. */
async function oldSecret({ deps: { db, vault } }: Gateway): Promise<string> {
  const { sealed } = await db.get(Secrets, [SEED]);
  const root = readRoot(await vault.open(sealed, SEED_CONTEXT));
  const { areAllowancesSealed: _, ...seals } = root.seals!;
  return await vault.seal(writeRoot({ ...root, seals: seals as typeof root.seals }), SEED_CONTEXT);
}

/** What an attacker with only the database can do about it. */
const putBack = ({ deps: { db } }: Gateway, sealed: string) =>
  db.execute([{ sql: "UPDATE secrets SET sealed = ? WHERE name = 'seed'", args: [sealed] }]);

async function genuineOnes({ deps: { db } }: Gateway): Promise<string[]> {
  const rows = await db.rows(AllowedRecipients, "ORDER BY address");
  return rows.filter((row) => db.isGenuine(AllowedRecipients, row)).map(({ address }) => address);
}

Deno.test("recipients that were allowed before these rows had seals get one once, and later ones never", async () => {
  await using place = await makePlace();
  const open = () => openGateway(readConfig({ ...place.env, CPG_LOG_LEVEL: "silent" }));
  const first = await open();
  await makeNetwork(first.deps, { rpcUrls: ["http://127.0.0.1:9"] });
  await createAccount(first.deps, { name: "Acme", actor: "test" });
  const sealed = await oldSecret(first);
  await allowUnsealed(first, "0xA");
  await allowUnsealed(first, "0xB");
  assert.deepEqual(await genuineOnes(first), []);
  await putBack(first, sealed);
  await first.close();

  const second = await open();
  assert.deepEqual(await genuineOnes(second), ["0xA", "0xB"]);
  assert.equal((await checkIntegrity(second.deps)).tampered, 0);
  await allowUnsealed(second, "0xC");
  await second.close();

  const third = await open();
  assert.deepEqual(await genuineOnes(third), ["0xA", "0xB"]);
  await putBack(third, sealed);
  await third.close();

  const fourth = await open();
  assert.deepEqual(await genuineOnes(fourth), ["0xA", "0xB"]);
  assert.equal((await checkIntegrity(fourth.deps)).tampered, 1);
  assert.equal((await verifyAudit(fourth.deps)).brokenId, null);
  await fourth.close();
});

Deno.test("a log without the row that says so doesn't get later ones sealed either", async () => {
  await using place = await makePlace();
  const open = () => openGateway(readConfig({ ...place.env, CPG_LOG_LEVEL: "silent" }));
  const first = await open();
  await makeNetwork(first.deps, { rpcUrls: ["http://127.0.0.1:9"] });
  await createAccount(first.deps, { name: "Acme", actor: "test" });
  const sealed = await oldSecret(first);
  await putBack(first, sealed);
  await first.close();
  const second = await open();
  await allowUnsealed(second, "0xA");
  await putBack(second, sealed);
  await second.deps.db.execute([
    { sql: "DROP TRIGGER audit_log_no_delete" },
    { sql: "DELETE FROM audit_log WHERE subject = 'allowances'" },
  ]);
  await second.close();
  const third = await open();
  assert.deepEqual(await genuineOnes(third), []);
  await third.close();
});
