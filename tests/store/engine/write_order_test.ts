import assert from "node:assert/strict";
import { ApiKeys } from "../../../src/access/tables/keys.ts";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import { NetworkBlocks, NetworkCursors } from "../../../src/following/table.ts";
import { Stops } from "../../../src/integrity/table.ts";
import { Networks } from "../../../src/networks/table.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { insertRows } from "../../../src/store/engine/statements.ts";
import { read, readAll } from "../../../src/store/engine/workspace.ts";
import type { RowValue } from "../../../src/store/tables/table.ts";
import { testOnBoth } from "../databases.ts";
import { accountFields, makeAlert, makeNetwork } from "../reads/make_rows.ts";

async function makeAlerts(db: Db): Promise<void> {
  await db.write({
    reads: [],
    decide: (view) => {
      view.insertKeyed(Alerts, makeAlert({ id: 1, open: 1 }));
      view.insertKeyed(Alerts, makeAlert({ id: 2, open: null }));
    },
  });
}

for (const [from, to] of [[1, 2], [2, 1]] as const) {
  testOnBoth(
    `a unique key handed from row ${from} to row ${to} by one unit is no conflict`,
    async (database) => {
      const db = await database.open();
      await makeAlerts(db);
      const handing = (giver: number, taker: number) =>
        db.write({
          reads: readAll(Alerts, [[1], [2]]),
          decide: (view) => {
            view.update(Alerts, view.find(Alerts, [giver])!, { open: null });
            view.update(Alerts, view.find(Alerts, [taker])!, { open: 1 });
          },
        });
      if (from === 2) await handing(1, 2);
      await handing(from, to);
      assert.equal((await db.find(Alerts, ["k", "s", 1], "open"))?.id, to);
    },
  );
}

testOnBoth(
  "a unique key given up by a changed row goes to a new row of the same unit",
  async (database) => {
    const db = await database.open();
    await makeAlerts(db);
    const { id: _, ...alert } = makeAlert({ id: 0, open: 1 });
    await db.write({
      reads: [read(Alerts, [1])],
      decide: (view) => {
        view.update(Alerts, view.find(Alerts, [1])!, { open: null });
        view.insert(Alerts, alert);
      },
    });
    assert.equal((await db.find(Alerts, ["k", "s", 1], "open"))?.id, 3);
  },
);

testOnBoth("a unique key of a removed row goes to a new row of the same unit", async (database) => {
  const db = await database.open();
  await makeAlerts(db);
  const { id: _, ...alert } = makeAlert({ id: 0, open: 1 });
  await db.write({
    reads: [read(Alerts, [1])],
    decide: (view) => {
      view.remove(Alerts, view.find(Alerts, [1])!);
      view.insert(Alerts, alert);
    },
  });
  assert.deepEqual((await db.rows(Alerts, "ORDER BY id")).map((row) => row.id), [2, 3]);
});

testOnBoth(
  "parents and children made by one unit are inserted, whatever order it made them in",
  async (database) => {
    const db = await database.open();
    await db.write({
      reads: [],
      decide: (view) => {
        view.insertKeyed(ApiKeys, {
          keyId: "k1",
          accountId: 1,
          label: "",
          secretSealed: "",
          permissions: [],
          ipList: [],
          rateLimit: 1,
          createdAtMs: 1,
          revokedAtMs: null,
          ownRateLimit: null,
        });
        view.insert(Accounts, accountFields());
      },
    });
    assert.equal((await db.find(ApiKeys, ["k1"]))?.accountId, 1);
  },
);

testOnBoth("a parent and its children removed by one unit are gone", async (database) => {
  const db = await database.open();
  const cursor = {
    network: "ETH",
    scanHeight: 1,
    topHeight: 1,
    tipHeight: 1,
    finalizedHeight: null,
    tipAtMs: null,
    finalizedAgeMs: null,
    haltedReason: null,
    ...{ paidRaw: null, paidAtMs: null, refusedGas: null },
    updatedAtMs: 1,
  };
  const block = { network: "ETH", height: 1, hash: "a", parentHash: "b" };
  await db.write({
    reads: [],
    decide: (view) => {
      view.insertKeyed(Networks, makeNetwork("ETH", null));
      view.insertKeyed(NetworkCursors, cursor);
      view.insertKeyed(NetworkBlocks, block);
    },
  });
  await db.write({
    reads: [
      read(Networks, ["ETH"]),
      read(NetworkCursors, ["ETH"]),
      read(NetworkBlocks, ["ETH", 1]),
    ],
    decide: (view) => {
      view.remove(NetworkBlocks, block);
      view.remove(NetworkCursors, cursor);
      view.remove(Networks, makeNetwork("ETH", null));
    },
  });
  assert.deepEqual(await db.rows(Networks, ""), []);
  assert.deepEqual(await db.rows(NetworkBlocks, ""), []);
});

const rowsOf = (count: number): RowValue[][] =>
  Array.from({ length: count }, (_, i) => Stops.stored.map(() => `${i}`));

Deno.test("up to 64 new rows of a table take at most three statements", () => {
  for (let count = 0; count <= 64; count++) {
    const statements = insertRows(Stops, rowsOf(count));
    assert.ok(statements.length <= 3, `${count} rows take ${statements.length}`);
    assert.deepEqual(statements.flatMap(({ args }) => args), rowsOf(count).flat());
  }
});

Deno.test("what all new rows of a table have in common is bound once in each statement", () => {
  const rows = rowsOf(61).map(([, ...others]) => ["same", ...others]);
  const boundIn = insertRows(Stops, rows)
    .map(({ args }) => args.filter((arg) => arg === "same").length);
  assert.deepEqual(boundIn, [1, 1, 1]);
});
