-- Links through which anybody can start an invoice of an account.
CREATE TABLE payment_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id TEXT NOT NULL REFERENCES api_keys (key_id),
  idempotency_key TEXT,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  -- Null: the payer chooses.
  amount TEXT,
  min TEXT,
  max TEXT,
  currency TEXT NOT NULL,
  redirect_url TEXT,
  created_at_ms INTEGER NOT NULL,
  deactivated_at_ms INTEGER,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX payment_links_slug ON payment_links (slug);
CREATE UNIQUE INDEX payment_links_idempotency ON payment_links (key_id, idempotency_key);
CREATE INDEX payment_links_account ON payment_links (account_id, id);
