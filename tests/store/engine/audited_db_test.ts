import assert from "node:assert/strict";
import { Sessions, Users } from "../../../src/access/tables/users.ts";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { InvariantError } from "../../../src/base/assert.ts";
import { Networks } from "../../../src/networks/table.ts";
import { auditedDb } from "../../../src/store/engine/audited_db.ts";
import { read, type View } from "../../../src/store/engine/workspace.ts";
import type { AnyRow, Table } from "../../../src/store/tables/table.ts";
import { TABLES } from "../../../src/store/tables/tables.ts";
import { insertAddress } from "../../../src/wallets/addresses.ts";
import { makeDatabase } from "../databases.ts";
import { accountFields, makeNetwork, NOW_MS } from "../reads/make_rows.ts";
import { makeSession, makeUser } from "../reads/make_users.ts";
import { noteAudit, noteTest } from "../../support/stage.ts";

const UNAUDITED = (error: unknown) =>
  error instanceof InvariantError && /without a row of the audit log/.test(error.message);

Deno.test("people's decisions are refused without an audit row, and the gateway's own aren't", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = auditedDb(await database.open());
  const write = (decide: (view: View) => void, isNoted = false) =>
    db.write({
      reads: [read(Users, [1]), read(Sessions, [1])],
      decide: (view) => {
        view.guardPassed();
        decide(view);
        if (isNoted) noteTest(view);
      },
    });
  const network = { ...makeNetwork("ETH", null), family: "evm" } as const;
  const wallet = (purpose: "gas" | "deposit", index: number) => (view: View) =>
    insertAddress(view, {
      ...{ network, accountId: null, purpose, address: `0x${index}`, nowMs: NOW_MS },
      path: { coinType: 60, account: 0, branch: 0, index },
    });
  const account = (view: View) => void view.insert(Accounts, accountFields());
  const user = (view: View) => {
    view.insertKeyed(Users, makeUser({ id: 1 }));
    view.insertKeyed(Sessions, makeSession({ id: 1 }));
  };
  const seen = (view: View) =>
    void view.update(Sessions, view.find(Sessions, [1])!, { seenAtMs: NOW_MS + 1 });
  const proven = (view: View) =>
    void view.update(Sessions, view.find(Sessions, [1])!, { provenAtMs: NOW_MS + 1 });
  const ended = (view: View) => view.remove(Sessions, view.find(Sessions, [1])!);

  await assert.rejects(write(account), UNAUDITED);
  assert.deepEqual(await db.rows(Accounts, ""), []);
  await write(account, true);
  await write((view) => void view.insertKeyed(Networks, network), true);
  await assert.rejects(write(wallet("gas", 0)), UNAUDITED);
  await write(wallet("deposit", 0));
  await write(wallet("gas", 1), true);
  await assert.rejects(write(user), UNAUDITED);
  await write(user, true);
  await write(seen);
  await assert.rejects(write(proven), UNAUDITED);
  await assert.rejects(write(ended), UNAUDITED);
  assert.equal((await db.rows(Sessions, ""))[0]?.provenAtMs, NOW_MS);
  await write(ended, true);
  assert.equal((await db.rows(AuditLog, "")).length, 5);
});

/** What a second person must approve unless it only makes things stricter. */
const GUARDED = [
  "accounts",
  "api_keys",
  "payees",
  "policies",
  "policy_books",
  "proposals",
  "rate_sources",
  "receiving_wallets",
  "role_keys",
  "sessions",
  "set_up_links",
  "settings",
  "users",
];

Deno.test("rows that dual control covers change only past a guard, or with a reason", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = auditedDb(await database.open());
  const tables = TABLES.filter(({ isGuarded }) => isGuarded);
  assert.deepEqual(tables.map(({ name }) => name).toSorted(), GUARDED);
  const write = (decide: (view: View) => void) =>
    db.write({
      reads: [],
      decide: (view) => {
        noteAudit(view);
        decide(view);
      },
    });
  for (const table of tables) {
    const changes: readonly ((view: View) => unknown)[] = [
      (view) => view.insert(table as Table<AnyRow & { id: number }>, {}),
      (view) => view.insertKeyed(table, {}),
      (view) => view.update(table, {}, {}),
      (view) => view.remove(table, {}),
      (view) => view.accept(table, {}),
    ];
    for (const change of changes) await assert.rejects(write((view) => void change(view)), NOBODY);
  }
  const add = (view: View) => void view.insert(Accounts, accountFields());
  await assert.rejects(
    write((view) => {
      add(view.atOnce("a test"));
      add(view);
    }),
    NOBODY,
    "the reason is for that change alone",
  );
  await write((view) => add(view.atOnce("a test")));
  await write((view) => {
    view.guardPassed();
    add(view);
  });
  assert.equal((await db.rows(Accounts, "")).length, 2);
});

const NOBODY = (error: unknown) =>
  error instanceof InvariantError && /that no guard of dual control has seen/.test(error.message);
