import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway, openMigratedDb } from "../../../src/app/gateway.ts";
import { recordAudit } from "../../../src/books/records.ts";
import { readSealed } from "../../../src/base/secrets/sealed_text.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { checkIntegrity } from "../../../src/integrity/manage_integrity.ts";
import { sealOldLogins } from "../../../src/networks/seal_old_logins.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { type NetworkRow, Networks } from "../../../src/networks/table.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { TABLES } from "../../../src/store/tables/tables.ts";
import { finishRotation, rotateMasterKey } from "../../../src/upkeep/rotate_master_key.ts";
import { makePlace, type Place, TEST_MASTER_KEY } from "../../support/database/database.ts";
import { makeNetwork } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";

const ACTOR = "test";
const FIRST = "first-passw0rd";
const SECOND = "second-passw0rd";
const NEW_KEY = new Uint8Array(32).fill(0x22);
const HIDDEN = "http://***@127.0.0.1:9";

/** Answers nothing of use, and keeps with which name and password it was asked last. */
function startNode() {
  const seen: { login: string | null } = { login: null };
  const server = Deno.serve({ port: 0, onListen: () => {} }, ({ headers }) => {
    const [, encoded] = /^Basic (.*)$/.exec(headers.get("authorization") ?? "") ?? [];
    seen.login = encoded === undefined ? null : atob(encoded);
    return new Response(null, { status: 500 });
  });
  const askedBy = async ({ catalog, chains }: Deps) => {
    seen.login = null;
    const network = (await catalog.current()).network("ETH");
    await assert.rejects(chains.of(network!).tip());
    return seen.login;
  };
  return {
    urlFor: (login: string) => `http://${login}@127.0.0.1:${server.addr.port}`,
    askedBy,
    /** Another program looks for changes now and then. */
    untilAskedBy: (deps: Deps, login: string | null) =>
      eventually(() => askedBy(deps), { until: (asked) => asked === login }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function open({ env }: Pick<Place, "env">, masterKey = TEST_MASTER_KEY) {
  const keyed = { ...env, CPG_MASTER_KEY: masterKey, CPG_LOG_LEVEL: "silent" };
  const gateway = await openGateway(readConfig(keyed));
  return { ...gateway, [Symbol.asyncDispose]: () => gateway.close() };
}

/** What somebody can read who has the database alone. */
async function everything({ db }: Pick<Deps, "db">): Promise<string> {
  const rows = await Promise.all(TABLES.map((table) => db.rows(table, "")));
  return JSON.stringify(rows);
}

async function urlsIn({ db }: Pick<Deps, "db">, code = "ETH") {
  const row = await db.get(Networks, [code]);
  assert.ok(db.isGenuine(Networks, row));
  const { rpcUrls, wsUrls } = row;
  return { rpcUrls, wsUrls };
}

async function change({ db, clock }: Deps, code: string, patch: Partial<NetworkRow>) {
  await db.write({
    reads: [read(Networks, [code])],
    decide: (view) => {
      const { nowMs } = clock;
      const order = { actor: ACTOR, subject: `network:${code}`, nowMs: nowMs() };
      recordAudit(view, {
        ...order,
        action: "network.changed",
        detail: { before: {}, change: {} },
      });
      view.update(Networks, view.get(Networks, [code]), patch);
    },
  });
}

/** As an earlier version wrote them. */
const inClear = (rpcUrls: string[], wsUrls: string[] | null = null) => ({
  ...{ rpcUrls, wsUrls, rpcUrlsSealed: null, wsUrlsSealed: null },
});

Deno.test("names and passwords of nodes are used by every program, and stand nowhere in the database", async () => {
  await using node = startNode();
  await using place = await makePlace({ isMigrated: true });
  await using one = await open(place);
  await using other = await open(place);
  await makeNetwork(one.deps, { rpcUrls: [node.urlFor(`ann:${FIRST}`)] });
  assert.equal(await node.askedBy(one.deps), `ann:${FIRST}`);
  await node.untilAskedBy(other.deps, `ann:${FIRST}`);
  const set = (change: { rpcUrls?: string[]; wsUrls?: string[] | null }) =>
    setNetwork(one.deps, { code: "ETH", change, actor: ACTOR });
  await set({ wsUrls: [`ws://bob:${SECOND}@127.0.0.1:9`] });
  assert.deepEqual(await urlsIn(one.deps), {
    rpcUrls: [node.urlFor("***")],
    wsUrls: ["ws://***@127.0.0.1:9"],
  });
  const socketsOf = async () =>
    other.deps.nodeUrls.of((await other.deps.catalog.current()).networks[0]!).wsUrls;
  const sockets = await eventually(socketsOf, { until: (urls) => urls !== null });
  assert.deepEqual(sockets, [`ws://bob:${SECOND}@127.0.0.1:9`]);
  assert.equal(await node.askedBy(other.deps), `ann:${FIRST}`, "one list changes alone");
  await set({ rpcUrls: [node.urlFor(`ann:${SECOND}`)], wsUrls: null });
  // It looks the same.
  await node.untilAskedBy(other.deps, `ann:${SECOND}`);
  assert.doesNotMatch(await everything(one.deps), /passw0rd/);
  await set({ rpcUrls: [node.urlFor("***").replace("***@", "")] });
  await node.untilAskedBy(other.deps, null);
  assert.equal((await one.deps.db.get(Networks, ["ETH"])).rpcUrlsSealed, null);
});

Deno.test("a new master key seals names and passwords of nodes too, and whoever serves goes on", async () => {
  await using node = startNode();
  await using place = await makePlace({ isMigrated: true });
  await using office = await open(place);
  await using unaware = await open(place);
  await makeNetwork(office.deps, { rpcUrls: [node.urlFor(`ann:${FIRST}`)] });
  assert.equal(await node.askedBy(unaware.deps), `ann:${FIRST}`);
  await rotateMasterKey(office.deps, { actor: ACTOR, newKey: NEW_KEY });
  const { rpcUrlsSealed } = await office.deps.db.get(Networks, ["ETH"]);
  assert.equal(readSealed(rpcUrlsSealed!).keyId, office.deps.vault.keyId());
  const second = { rpcUrls: [node.urlFor(`ann:${SECOND}`)] };
  await setNetwork(office.deps, { code: "ETH", change: second, actor: ACTOR });
  await node.untilAskedBy(unaware.deps, `ann:${SECOND}`);
  await finishRotation(office.deps, { actor: ACTOR, hasNewKey: true });
  await using renewed = await open(place, "22".repeat(32));
  assert.equal(await node.askedBy(renewed.deps), `ann:${SECOND}`);
});

Deno.test("what doesn't open with any key is logged, and its network can be given another URL", async () => {
  await using node = startNode();
  await using place = await makePlace({ isMigrated: true });
  await using gateway = await open(place);
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: [node.urlFor(`ann:${FIRST}`)] });
  const foreign = await deps.vault.seal("[]", "another row");
  await change(deps, "ETH", { rpcUrlsSealed: foreign });
  assert.notEqual(await node.askedBy(deps), `ann:${FIRST}`);
  const mended = { rpcUrls: [node.urlFor(`ann:${SECOND}`)] };
  await setNetwork(deps, { code: "ETH", change: mended, actor: ACTOR });
  assert.equal(await node.askedBy(deps), `ann:${SECOND}`);
});

Deno.test("what earlier versions stored in clear is sealed at the next start, by one of two programs", async () => {
  await using node = startNode();
  await using place = await makePlace({ isMigrated: true });
  {
    await using first = await open(place);
    await makeNetwork(first.deps, { rpcUrls: ["http://127.0.0.1:9"] });
    const nodes = [node.urlFor(`ann:${FIRST}`), "http://127.0.0.1:9/v3/key-in-path"];
    await change(first.deps, "ETH", inClear(nodes, [`ws://bob:${SECOND}@127.0.0.1:9`, ""]));
    assert.equal(await node.askedBy(first.deps), `ann:${FIRST}`, "it works in clear too");
  }
  const [one, other] = await Promise.all([open(place), open(place)]);
  for (const { deps } of [one, other]) {
    assert.deepEqual(await urlsIn(deps), {
      rpcUrls: [node.urlFor("***"), "http://127.0.0.1:9/v3/key-in-path"],
      wsUrls: ["ws://***@127.0.0.1:9", ""],
    });
    assert.equal(await node.askedBy(deps), `ann:${FIRST}`);
    assert.equal((await checkIntegrity(deps)).tampered, 0);
    assert.doesNotMatch(await everything(deps), /passw0rd/);
  }
  await Promise.all([one.close(), other.close()]);
});

Deno.test("sealing them that was interrupted goes on at the next start, and leaves what others changed", async () => {
  await using place = await makePlace({ isMigrated: true });
  await using office = await open(place);
  const { deps } = office;
  const url = `http://ann:${FIRST}@127.0.0.1:9`;
  for (const code of ["ETH", "FAR", "OLD"]) {
    await makeNetwork(deps, { code, rpcUrls: ["http://127.0.0.1:9"] });
    await change(deps, code, inClear([url]));
  }
  await deps.db.execute([{ sql: "UPDATE networks SET quorum = 2 WHERE code = 'OLD'" }]);
  const { db } = await openMigratedDb(readConfig({ ...place.env }));
  db.protect(deps.db.seals()!);
  let writes = 0;
  const stopping: Db = {
    ...db,
    write: (unit) => ++writes > 1 ? Promise.reject(new Error("stopped")) : db.write(unit),
  };
  await assert.rejects(sealOldLogins({ ...deps, db: stopping }), { message: "stopped" });
  const stored = async (code: string) => (await deps.db.get(Networks, [code])).rpcUrls;
  assert.deepEqual([await stored("ETH"), await stored("FAR")], [[HIDDEN], [url]]);
  await db.close();
  await using _again = await open(place);
  assert.deepEqual([await stored("ETH"), await stored("FAR")], [[HIDDEN], [HIDDEN]]);
  assert.deepEqual(await stored("OLD"), [url], "sealing it would make the change genuine");
  assert.equal((await checkIntegrity(deps)).tampered, 1);
});
