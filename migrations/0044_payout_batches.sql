-- Payouts from one file: its lines are kept as they were checked, so that each is paid once and an interrupted batch goes on.
CREATE TABLE payout_batches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  created_by TEXT NOT NULL,
  size INTEGER NOT NULL,
  lines TEXT NOT NULL,
  refusals TEXT NOT NULL,
  started_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE INDEX payout_batches_account ON payout_batches (account_id, id);
