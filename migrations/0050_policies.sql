-- Rules that refuse payments or ask for approvals, and meters that add up the payments they limit.

CREATE TABLE policies (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  label TEXT NOT NULL,
  account_id INTEGER REFERENCES accounts (id),
  key_id TEXT REFERENCES api_keys (key_id),
  network TEXT,
  currency TEXT,
  each TEXT,
  condition TEXT NOT NULL,
  cap TEXT,
  outcome TEXT NOT NULL,
  approvals INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  set_by TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  -- 0 while earlier payments are still being counted for it.
  is_ready INTEGER NOT NULL,
  meter_id INTEGER,
  metered_from_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

-- A single row that changes with every rule.
CREATE TABLE policy_books (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL,
  rules_hash TEXT NOT NULL,
  seal TEXT
) STRICT;

CREATE TABLE policy_cursor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  entry_id INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE TABLE policy_meters (
  meter_id INTEGER NOT NULL,
  split TEXT NOT NULL,
  added TEXT NOT NULL,
  added_count INTEGER NOT NULL,
  removed TEXT NOT NULL,
  removed_count INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  last_mark_ms INTEGER NOT NULL,
  seal TEXT,
  PRIMARY KEY (meter_id, split)
) STRICT, WITHOUT ROWID;

-- What a meter had added up before the payments of one moment.
CREATE TABLE policy_marks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  meter_id INTEGER NOT NULL,
  split TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  added TEXT NOT NULL,
  added_count INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE INDEX policy_marks_time ON policy_marks (meter_id, split, at_ms, added_count);

-- What was taken out of a meter, by the times at which it had counted.
CREATE TABLE policy_removals (
  meter_id INTEGER NOT NULL,
  split TEXT NOT NULL,
  span_ms INTEGER NOT NULL,
  starts_at_ms INTEGER NOT NULL,
  amount TEXT NOT NULL,
  payments INTEGER NOT NULL,
  seal TEXT,
  PRIMARY KEY (meter_id, split, span_ms, starts_at_ms)
) STRICT, WITHOUT ROWID;

-- Payments that were given back count no more; holds and debits don't pay for this index.
CREATE INDEX ledger_entries_releases ON ledger_entries (id) WHERE kind = 'release';

-- The rules as they were last set, which an old row put back doesn't match.
CREATE INDEX audit_log_policies ON audit_log (subject, id) WHERE action = 'policies.changed';
