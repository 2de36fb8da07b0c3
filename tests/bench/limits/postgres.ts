import type { Sample } from "../figure.ts";

const CLIENTS = 64;
const SECONDS = 2;
const USER = "postgres";

/**
 * The tables of one hold, with the same keys, in PostgreSQL with its default settings (fsync on).
 */
const SCHEMA = `
CREATE TABLE balances (account_id int, network text, currency text, balance text NOT NULL, held text NOT NULL,
  PRIMARY KEY (account_id, network, currency));
CREATE TABLE withdrawals (id bigserial PRIMARY KEY, account_id int NOT NULL, network text NOT NULL,
  currency text NOT NULL, key_id text NOT NULL, client_reference text, to_address text NOT NULL,
  amount text NOT NULL, fee text NOT NULL, status text NOT NULL, requested_at_ms bigint NOT NULL);
CREATE UNIQUE INDEX withdrawals_reference ON withdrawals (key_id, client_reference);
CREATE INDEX withdrawals_status ON withdrawals (status, id);
CREATE TABLE ledger_entries (id bigserial PRIMARY KEY, account_id int NOT NULL, network text NOT NULL,
  currency text NOT NULL, kind text NOT NULL, amount text NOT NULL, balance_after text NOT NULL,
  held_after text NOT NULL, withdrawal_id bigint REFERENCES withdrawals (id), created_at_ms bigint NOT NULL);
CREATE UNIQUE INDEX ledger_entries_withdrawal ON ledger_entries (withdrawal_id, kind);
CREATE INDEX ledger_entries_asset ON ledger_entries (account_id, network, currency, id);
CREATE TABLE audit_log (id bigserial PRIMARY KEY, at_ms bigint NOT NULL, actor text NOT NULL,
  action text NOT NULL, subject text NOT NULL, detail text NOT NULL);
INSERT INTO balances SELECT n, 'ETH', 'ETH', '1000000000', '0' FROM generate_series(1, ${CLIENTS}) AS n;
`;

/** One account per client, so that nobody waits for a row. */
const HOLD = `\\set account random(1, ${CLIENTS})
BEGIN;
SELECT balance, held FROM balances WHERE account_id = :account AND network = 'ETH' AND currency = 'ETH' FOR UPDATE;
UPDATE balances SET held = (held::numeric + 1)::text WHERE account_id = :account AND network = 'ETH' AND currency = 'ETH';
INSERT INTO withdrawals (account_id, network, currency, key_id, client_reference, to_address, amount, fee, status, requested_at_ms)
VALUES (:account, 'ETH', 'ETH', 'cpg_bench', gen_random_uuid()::text, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '1', '0', 'pending', 0);
INSERT INTO ledger_entries (account_id, network, currency, kind, amount, balance_after, held_after, withdrawal_id, created_at_ms)
VALUES (:account, 'ETH', 'ETH', 'hold', '1', '1000000000', '1', currval('withdrawals_id_seq'), 0);
INSERT INTO audit_log (at_ms, actor, action, subject, detail) VALUES (0, 'bench', 'withdrawal.requested', 'withdrawal', '{}');
COMMIT;
`;

interface Postgres extends AsyncDisposable {
  holds(): Promise<Sample>;
}

/** A server of its own in a folder of its own; a sentence where none is installed. */
export async function startPostgres(): Promise<Postgres | string> {
  const bin = await newestBin();
  if (!bin) return "no PostgreSQL here: apt-get install postgresql";
  const folder = await Deno.makeTempDir({ prefix: "cpg-bench-pg-" });
  await Deno.writeTextFile(`${folder}/schema.sql`, SCHEMA);
  await Deno.writeTextFile(`${folder}/hold.sql`, HOLD);
  const asUser = async (command: string) => await run(folder, command);
  await new Deno.Command("chown", { args: ["-R", USER, folder] }).output();
  const data = `${folder}/data`;
  await asUser(`${bin}/initdb -D ${data} -A trust`);
  const options =
    `-c listen_addresses='' -c unix_socket_directories=${folder} -c max_connections=100`;
  await asUser(`${bin}/pg_ctl -D ${data} -w -l ${folder}/log -o "${options}" start`);
  await asUser(`${bin}/psql -h ${folder} -v ON_ERROR_STOP=1 -q -f ${folder}/schema.sql postgres`);
  return {
    holds: async () => {
      const printed = await asUser(
        `${bin}/pgbench -h ${folder} -n -M prepared -c ${CLIENTS} -j 1 -T ${SECONDS} -f ${folder}/hold.sql postgres`,
      );
      return { perSecond: Number(/tps = ([\d.]+)/.exec(printed)![1]) };
    },
    [Symbol.asyncDispose]: async () => {
      await asUser(`${bin}/pg_ctl -D ${data} -m immediate stop`);
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function newestBin(): Promise<string | undefined> {
  const versions: string[] = [];
  try {
    for await (const { name } of Deno.readDir("/usr/lib/postgresql")) versions.push(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return newest && `/usr/lib/postgresql/${newest}/bin`;
}

/** PostgreSQL refuses to run as root. */
async function run(folder: string, command: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("runuser", {
    args: ["-u", USER, "--", "sh", "-c", command],
    cwd: folder,
  }).output();
  const text = new TextDecoder();
  if (code !== 0) throw new Error(`${command}: ${text.decode(stderr).slice(0, 500)}`);
  return text.decode(stdout);
}
