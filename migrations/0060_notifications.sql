-- People are notified of alerts, approvals, failed payouts and what concerns security.

ALTER TABLE alerts ADD COLUMN account_id INTEGER;
-- When people were last notified that it is open.
ALTER TABLE alerts ADD COLUMN noticed_at_ms INTEGER;

-- What there is to tell, in the order in which it happened. Each receiver has read up to some row.
CREATE TABLE notices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- alerts, approvals, payouts or security.
  topic TEXT NOT NULL,
  -- Null: it concerns operators only.
  account_id INTEGER,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE notice_receivers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- email, telegram or webhook.
  kind TEXT NOT NULL,
  address TEXT NOT NULL,
  -- Null: an operator's, for everything.
  account_id INTEGER REFERENCES accounts (id),
  topics TEXT NOT NULL,
  -- Only webhooks have a secret.
  secret_name TEXT NOT NULL UNIQUE,
  secret_sealed TEXT,
  -- The last notice that was delivered, or that doesn't concern this receiver.
  read_to INTEGER NOT NULL,
  -- The last one of the message being sent; it stays the same until that message has arrived.
  sending_to INTEGER,
  failures INTEGER NOT NULL,
  failing_since_ms INTEGER,
  last_error TEXT,
  next_try_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;
