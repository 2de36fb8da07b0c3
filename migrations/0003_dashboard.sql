-- The dashboard: who may sign in, what its lists are read by, and an audit log that shows tampering.

-- Where it came from, null: not over the network.
ALTER TABLE audit_log ADD COLUMN ip TEXT;

-- Of this row and the hash of the row before it. Null in rows that were written before there were hashes.
ALTER TABLE audit_log ADD COLUMN hash TEXT;

CREATE INDEX audit_log_actor ON audit_log (actor, id);
CREATE INDEX audit_log_subject ON audit_log (subject, id);

CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE (ABORT, 'audit rows are never changed');
END;

CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE (ABORT, 'audit rows are never deleted');
END;

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- In lower case.
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('operator', 'merchant')),
  account_id INTEGER REFERENCES accounts (id),
  -- Null until it is chosen through a set-up link.
  password_hash TEXT,
  totp_sealed TEXT,
  -- The time step of the last code that was used: none opens twice.
  totp_step INTEGER NOT NULL,
  recovery_hashes TEXT NOT NULL,
  -- Sessions of an earlier generation are over.
  generation INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  disabled_at_ms INTEGER,
  CHECK ((role = 'merchant') = (account_id IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX users_email ON users (email);
CREATE INDEX users_account ON users (account_id);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token_hash TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id),
  generation INTEGER NOT NULL,
  -- code: the password was right, the code is still to come.
  stage TEXT NOT NULL CHECK (stage IN ('code', 'open')),
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  -- When password or code were last given: what sensitive acts ask for.
  proven_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX sessions_token ON sessions (token_hash);
CREATE INDEX sessions_user ON sessions (user_id, id);
CREATE INDEX sessions_end ON sessions (ends_at_ms);

-- One-time links to choose a password.
CREATE TABLE set_up_links (
  -- 'first' makes the first operator, 'user:7' is for that user. A new link takes the place of the last.
  slot TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL,
  ends_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX set_up_links_token ON set_up_links (token_hash);

-- Tries at passwords and codes, counted before they are looked at.
CREATE TABLE throttles (
  name TEXT PRIMARY KEY,
  tries INTEGER NOT NULL,
  -- When the tries are forgotten.
  ends_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX throttles_end ON throttles (ends_at_ms);

-- When a key was last used, to the minute. Beside the keys, whose every change empties caches.
CREATE TABLE api_key_uses (
  key_id TEXT PRIMARY KEY REFERENCES api_keys (key_id),
  used_at_ms INTEGER NOT NULL,
  ip TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What came in and went out in each hour and day, added up from the ledger behind a cursor.
CREATE TABLE volumes (
  -- 0: all accounts together.
  account_id INTEGER NOT NULL,
  span TEXT NOT NULL CHECK (span IN ('hour', 'day')),
  starts_at_ms INTEGER NOT NULL,
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('deposit', 'withdrawal')),
  amount TEXT NOT NULL,
  movements INTEGER NOT NULL,
  PRIMARY KEY (account_id, span, starts_at_ms, network, currency, direction)
) STRICT, WITHOUT ROWID;

-- Up to which ledger entry the volumes are added up.
CREATE TABLE volume_cursor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  entry_id INTEGER NOT NULL
) STRICT;

-- The operator's lists are of all accounts, newest first.
CREATE INDEX transactions_direction ON transactions (direction, id);
CREATE INDEX transactions_status ON transactions (status, id);
CREATE INDEX transactions_network ON transactions (network, id);
CREATE INDEX transactions_currency ON transactions (currency, id);
CREATE INDEX transactions_address_newest ON transactions (address_id, id);
CREATE INDEX transactions_below_minimum ON transactions (id) WHERE is_below_minimum = 1;
CREATE INDEX transactions_account_below_minimum ON transactions (account_id, id)
  WHERE is_below_minimum = 1;
CREATE INDEX withdrawals_account ON withdrawals (account_id, id);
CREATE INDEX withdrawals_account_status ON withdrawals (account_id, status, id);
CREATE INDEX addresses_user_identifier ON addresses (user_identifier, id)
  WHERE user_identifier IS NOT NULL;
CREATE INDEX alerts_waiting ON alerts (id) WHERE open = 1;
