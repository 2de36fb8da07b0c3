/** Tables that do not grow with what the gateway does, and why. */
export const SMALL_TABLES: Readonly<Record<string, string>> = {
  networks: "one row a chain",
  currencies: "what an operator lists",
  network_cursors: "one row a chain",
  network_blocks: "only the newest of each chain are remembered",
  write_clock: "one row",
  instances: "one row a running program",
  notice_receivers: "at most a hundred",
  rate_sources: "at most two hundred",
  rate_readings: "one row a source",
  leases: "one row a job and chain",
  freezes: "an operator ends each",
  node_calls: "forty days of each node",
  policies: "what operators set",
  policy_books: "one row",
  policy_cursor: "one row",
  schema_migrations: "one row a migration",
  sqlite_sequence: "one row a table",
};

const REMOVAL = "a network is removed once";

/** Statements that read a growing table as a whole because they are asked for all of it. */
export const WHOLE_READS: Readonly<Record<string, string>> = {
  "FROM (SELECT * FROM accounts ORDER BY id)": "the command line lists them all",
  "FROM (SELECT * FROM api_keys ORDER BY account_id, created_at_ms, key_id)":
    "the command line lists them all",
  "FROM (SELECT * FROM role_keys ORDER BY account_id, created_at_ms, key_id)":
    "the command line lists them all",
  "FROM (SELECT * FROM webhook_endpoints ORDER BY id)": "the command line lists them all",
  "FROM (SELECT * FROM payees WHERE removed_at_ms IS NULL ORDER BY id LIMIT ?)":
    "the command line lists them all",
  "OR EXISTS (SELECT 1 FROM balances WHERE network = ?1) AS booked": REMOVAL,
  "FROM (SELECT * FROM account_currencies WHERE network = ?)": REMOVAL,
  "FROM (SELECT * FROM receiving_wallets WHERE network = ?)": REMOVAL,
  "FROM (SELECT * FROM allowed_recipients WHERE network = ?)": REMOVAL,
  "FROM (SELECT * FROM payees WHERE network = ?)": REMOVAL,
  "(SELECT count(*) FROM accounts) AS accounts": "a copy is counted when it was made",
  "(SELECT hash FROM audit_log ORDER BY id DESC LIMIT 1)": "its last row",
  "WHERE e.id = d.event_id ORDER BY d.event_id DESC, d.endpoint_id DESC LIMIT ?":
    "from its end, to a limit",
  "SELECT iif((SELECT count(*) FROM (SELECT 1 FROM ":
    "from its start, to a limit, counted likewise",
  "FROM ( SELECT network, currency, kind, amount, sign, 1 AS is_new FROM coin_moves ORDER BY id LIMIT":
    "from its start, to a limit",
  "FROM (SELECT id, at_ms FROM request_log ORDER BY id LIMIT ?)": "from its start, to a limit",
  "FROM request_counts INDEXED BY request_counts_hour ORDER BY hour_ms LIMIT ?":
    "from its start, to a limit",
  "FROM request_log_days INDEXED BY request_log_days_day ORDER BY day_ms LIMIT ?":
    "from its start, to a limit",
  "FROM (SELECT id, created_at_ms FROM notices ORDER BY id LIMIT ?)": "from its start, to a limit",
  "FROM (SELECT id, at_ms FROM policy_marks ORDER BY id LIMIT ?)": "from its start, to a limit",
  "FROM (SELECT id, at_ms FROM webhook_attempts ORDER BY id LIMIT ?)": "from its start, to a limit",
};

/** Files whose statements are not judged by their plans. */
export const OTHER_FILES: Readonly<Record<string, string>> = {
  "copy_database.ts": "it only looks whether the target is empty, and whether a copy is damaged",
  "_copy_rows.ts": "a copy reads everything",
  "_moved_mark.ts": "it marks a file that has been copied",
  "database_there.ts": "one name among a hundred, before the store is open",
};

/** Rows in stored order, up to a limit, without a condition that skips any. */
export function isCutShort(sql: string, plan: readonly string[]): boolean {
  const isLimited = /FROM \(SELECT \* FROM \w+ (ORDER BY [\w, ]+ )?LIMIT (\?|\d+)\)$/.test(sql);
  return isLimited && !plan.some((step) => step.includes("TEMP B-TREE"));
}
