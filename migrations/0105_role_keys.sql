-- Keys of programs that manage the gateway, and what repeated requests of theirs were answered.

CREATE TABLE role_keys (
  key_id TEXT PRIMARY KEY,
  role TEXT NOT NULL,
  -- The only account that exists for it. Null: every account does.
  account_id INTEGER REFERENCES accounts (id),
  label TEXT NOT NULL,
  secret_sealed TEXT NOT NULL,
  ip_list TEXT NOT NULL,
  rate_limit INTEGER NOT NULL CHECK (rate_limit >= 1),
  -- Whoever made it asks for what it asks for.
  made_by TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER,
  seal TEXT
) STRICT;

CREATE INDEX role_keys_account ON role_keys (account_id);

CREATE TABLE repeated_requests (
  key_id TEXT NOT NULL,
  path TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  -- Null while it is in progress, and for good if the program died meanwhile.
  status INTEGER,
  -- Sealed, because an answer may show a secret.
  answer_sealed TEXT,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (key_id, path, idempotency_key)
) STRICT;

CREATE INDEX repeated_requests_age ON repeated_requests (created_at_ms);
