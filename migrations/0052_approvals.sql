-- Withdrawals that wait for people, and who has approved them.

-- waiting, approved, or null if nobody has to approve it.
ALTER TABLE withdrawals ADD COLUMN approval TEXT;

CREATE TABLE approval_requests (
  withdrawal_id INTEGER PRIMARY KEY REFERENCES withdrawals (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  needed INTEGER NOT NULL,
  given INTEGER NOT NULL,
  rules TEXT NOT NULL,
  decided_by TEXT NOT NULL,
  requested_by TEXT,
  requested_ip TEXT,
  counted_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  open INTEGER CHECK (open = 1),
  created_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE INDEX approval_requests_open ON approval_requests (expires_at_ms) WHERE open = 1;

CREATE TABLE approvals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  withdrawal_id INTEGER NOT NULL REFERENCES approval_requests (withdrawal_id),
  person TEXT NOT NULL,
  approved_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX approvals_person ON approvals (withdrawal_id, person);

-- Payments count from their last approval.
CREATE INDEX approvals_time ON approvals (approved_at_ms);
