-- Refunds of invoices: the withdrawals that pay them, and links on which payers say where to.

CREATE TABLE refunds (
  withdrawal_id INTEGER PRIMARY KEY,
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  seal TEXT
) STRICT;

CREATE INDEX refunds_invoice ON refunds (invoice_id, withdrawal_id);

-- Everything that was ever asked for, so that whoever holds money knows of refunds made meanwhile.
CREATE TABLE refund_totals (
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  asked TEXT NOT NULL,
  seal TEXT,
  PRIMARY KEY (invoice_id, network, currency)
) STRICT;

CREATE TABLE refund_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  -- Null until it is used.
  withdrawal_id INTEGER,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX refund_links_token ON refund_links (token_hash);
