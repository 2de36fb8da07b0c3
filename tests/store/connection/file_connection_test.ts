import assert from "node:assert/strict";
import { createClient } from "@libsql/client/sqlite3";
import Database from "libsql";
import { FileConnection } from "../../../src/store/connection/file_connection.ts";
import { writeFaultOf } from "../../../src/store/connection/faults.ts";

interface File extends AsyncDisposable {
  readonly connection: FileConnection;
  /** Another program. */
  readonly other: ReturnType<typeof createClient>;
}

async function makeFile(): Promise<File> {
  const folder = await Deno.makeTempDir({ prefix: "cpg-file-" });
  const path = `${folder}/a name with 100 % spaces.db`;
  const url = `file:${path.replaceAll("%", "%25").replaceAll(" ", "%20")}`;
  const connection = new FileConnection(path);
  const other = createClient({ url, concurrency: 1 });
  await other.execute("PRAGMA journal_mode = WAL");
  await other.execute("CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT");
  return {
    connection,
    other,
    [Symbol.asyncDispose]: async () => {
      connection.close();
      other.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const ADD = "INSERT INTO pets (id, name) VALUES (?, ?)";
const NAMES = "SELECT name FROM pets ORDER BY id";

async function namesOf(connection: FileConnection): Promise<unknown[]> {
  const [answer] = await connection.batch([{ sql: NAMES, args: [] }], "read");
  return answer!.rows.map(({ name }) => name);
}

Deno.test("a batch that fails in the middle leaves nothing, and the same statements keep working", async () => {
  await using file = await makeFile();
  const { connection } = file;
  await connection.batch([{ sql: ADD, args: [1n, "Rex"] }], "write");
  const failing = connection.batch([
    { sql: ADD, args: [2n, "Tom"] },
    { sql: ADD, args: [3n, "Rex"] },
    { sql: ADD, args: [4n, "Kit"] },
  ], "write");
  await assert.rejects(failing, (error) => writeFaultOf(error)?.kind === "conflict");
  assert.deepEqual(await namesOf(connection), ["Rex"]);
  await connection.batch([{ sql: ADD, args: [2n, "Tom"] }], "write");
  assert.deepEqual(await namesOf(connection), ["Rex", "Tom"]);
});

Deno.test("while another program writes, a write is busy, and nothing of the connection is lost", async () => {
  await using file = await makeFile();
  const { connection, other } = file;
  for (let id = 1n; id <= 3n; id++) {
    const held = await other.transaction("write");
    const write = () => connection.batch([{ sql: ADD, args: [id, `pet ${id}`] }], "write");
    await assert.rejects(write(), (error) => writeFaultOf(error)?.kind === "busy");
    assert.equal((await namesOf(connection)).length, Number(id) - 1);
    await held.rollback();
    await write();
  }
  assert.deepEqual(await namesOf(connection), ["pet 1", "pet 2", "pet 3"]);
});

Deno.test("a file that another program holds exclusively is busy at first, and opened the next time", async () => {
  const path = await Deno.makeTempFile({ prefix: "cpg-file-" });
  const keeper = new Database(path);
  keeper.exec("PRAGMA locking_mode = EXCLUSIVE");
  keeper.exec("CREATE TABLE pets AS SELECT 1 AS id, 'theirs' AS name");
  const connection = new FileConnection(path);
  const fault = await namesOf(connection).then(() => undefined, writeFaultOf);
  assert.equal(fault?.kind, "busy");
  keeper.close();
  assert.deepEqual(await namesOf(connection), ["theirs"]);
  connection.close();
  await Deno.remove(path);
});

Deno.test("a read keeps nothing open: the log is merged into the file right after it", async () => {
  await using file = await makeFile();
  const { connection, other } = file;
  for (const isOneRow of [true, undefined] as const) {
    const one = { sql: NAMES, args: [], ...(isOneRow ? { isOneRow } : {}) };
    await other.execute("INSERT INTO pets (name) VALUES (hex(randomblob(8)))");
    await connection.batch([one], "read");
    await connection.batch([one, one], "read");
    const { rows } = await other.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    assert.equal(rows[0]!.busy, 0);
  }
});

Deno.test("a prepared statement sees what another program did to its table", async () => {
  await using file = await makeFile();
  const { connection, other } = file;
  await connection.batch([{ sql: ADD, args: [1n, "Rex"] }], "write");
  assert.deepEqual(await namesOf(connection), ["Rex"]);
  await other.execute("ALTER TABLE pets ADD COLUMN age INTEGER");
  await other.execute("CREATE INDEX pets_age ON pets (age)");
  assert.deepEqual(await namesOf(connection), ["Rex"]);
  await connection.batch([{ sql: ADD, args: [2n, "Tom"] }], "write");
  assert.deepEqual(await namesOf(connection), ["Rex", "Tom"]);
});

Deno.test("an integer too large for a number is refused, not rounded", async () => {
  await using file = await makeFile();
  const { connection } = file;
  const ask = (text: string) =>
    connection.batch([{ sql: `SELECT ${text} AS n`, args: [] }], "read");
  assert.deepEqual(await ask("9007199254740991"), [{ rows: [{ n: 9_007_199_254_740_991 }] }]);
  for (const text of ["9007199254740993", "-9007199254740993"]) {
    await assert.rejects(ask(text), { name: "InvariantError" });
  }
});

Deno.test("all statements of one read see the same moment", async () => {
  await using file = await makeFile();
  const { connection, other } = file;
  const count = { sql: "SELECT count(*) AS count FROM pets", args: [] };
  // The second statement asks after the first has been answered, and another program wrote meanwhile.
  const late = {
    ...count,
    get sql() {
      other.execute("INSERT INTO pets (name) VALUES (hex(randomblob(8)))");
      return count.sql;
    },
  };
  const answers = await connection.batch([count, late, count], "read");
  assert.deepEqual(answers.map(({ rows }) => rows[0]!.count), [0, 0, 0]);
  const [after] = await connection.batch([count], "read");
  assert.equal(after!.rows[0]!.count, 1);
});

Deno.test("more different statements than are cached are all answered", async () => {
  await using file = await makeFile();
  const { connection } = file;
  for (let n = 0; n < 2_500; n++) {
    const [answer] = await connection.batch(
      [{ sql: `SELECT ${n} AS n`, args: [], isOneRow: true }],
      "read",
    );
    assert.equal(answer!.rows[0]!.n, n);
  }
  assert.deepEqual(await namesOf(connection), []);
});

Deno.test("requests after closing are refused, and closing twice is harmless", async () => {
  await using file = await makeFile();
  const { connection } = file;
  await namesOf(connection);
  connection.close();
  connection.close();
  for (const mode of ["read", "write"] as const) {
    for (const count of [1, 2]) {
      const statements = new Array(count).fill({ sql: NAMES, args: [] });
      await assert.rejects(connection.batch(statements, mode), { code: "CLIENT_CLOSED" });
    }
  }
});
