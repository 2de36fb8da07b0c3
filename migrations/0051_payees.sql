-- Recipients that an account knows, usable after a waiting time.

CREATE TABLE payees (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  address TEXT NOT NULL,
  label TEXT NOT NULL,
  usable_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  removed_at_ms INTEGER,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX payees_recipient ON payees (account_id, network, address);
