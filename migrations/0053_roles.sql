-- Seven roles instead of two, and what an operator disabled stays so for the account's own users.

CREATE TABLE users_next (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- In lower case.
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (
    role IN ('operator', 'approver', 'auditor', 'merchant', 'finance', 'developer', 'viewer')
  ),
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
  -- 'account': its own users enable it again. Null: only operators do.
  disabled_by TEXT,
  seal TEXT,
  CHECK ((role IN ('operator', 'approver', 'auditor')) = (account_id IS NULL))
) STRICT;

INSERT INTO users_next (
  id, email, role, account_id, password_hash, totp_sealed, totp_step, recovery_hashes, generation,
  created_at_ms, disabled_at_ms, seal
)
SELECT
  id, email, role, account_id, password_hash, totp_sealed, totp_step, recovery_hashes, generation,
  created_at_ms, disabled_at_ms, seal
FROM users;

-- Sessions name their user, so they move too.
CREATE TABLE sessions_next (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token_hash TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users_next (id),
  generation INTEGER NOT NULL,
  -- code: the password was right, the code is still to come.
  stage TEXT NOT NULL CHECK (stage IN ('code', 'open')),
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  -- When password or code were last given: what sensitive acts ask for.
  proven_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

INSERT INTO sessions_next (
  id, token_hash, user_id, generation, stage, ip, user_agent, created_at_ms, seen_at_ms,
  proven_at_ms, ends_at_ms, seal
)
SELECT
  id, token_hash, user_id, generation, stage, ip, user_agent, created_at_ms, seen_at_ms,
  proven_at_ms, ends_at_ms, seal
FROM sessions;

-- Ids are never reused, so both go on from the highest that was ever given.
DELETE FROM sqlite_sequence WHERE name IN ('users_next', 'sessions_next');
INSERT INTO sqlite_sequence (name, seq)
SELECT name || '_next', seq FROM sqlite_sequence WHERE name IN ('users', 'sessions');

DROP TABLE sessions;
DROP TABLE users;
ALTER TABLE users_next RENAME TO users;
ALTER TABLE sessions_next RENAME TO sessions;

CREATE UNIQUE INDEX users_email ON users (email);
CREATE INDEX users_account ON users (account_id, id);
CREATE UNIQUE INDEX sessions_token ON sessions (token_hash);
CREATE INDEX sessions_user ON sessions (user_id, id);
CREATE INDEX sessions_end ON sessions (ends_at_ms);
