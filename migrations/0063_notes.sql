-- People write notes on payments, payouts and customers, and a payout's page finds its batch.
CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- deposit, withdrawal or customer.
  about TEXT NOT NULL,
  -- Its id, or what the account calls its customer.
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  -- As in the audit log.
  author TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX notes_subject ON notes (account_id, about, name, id);

CREATE INDEX payout_batches_time ON payout_batches (account_id, created_at_ms);
