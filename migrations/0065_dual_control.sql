-- Under dual control, changes of rules, payees, wallets, keys and logins wait for a second person.

-- Null: off.
ALTER TABLE accounts ADD COLUMN dual_control INTEGER;
ALTER TABLE settings ADD COLUMN dual_control INTEGER;

CREATE TABLE proposals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- What is to be done, as one of the kinds in the code, with everything that it needs.
  kind TEXT NOT NULL,
  wanted TEXT NOT NULL,
  -- Null: it concerns the whole installation.
  account_id INTEGER REFERENCES accounts (id),
  before TEXT,
  after TEXT,
  -- Of a new password or set-up link, which takes effect with the approval.
  password_hash TEXT,
  link_hash TEXT,
  -- Of a new API key.
  key_id TEXT NOT NULL,
  secret_sealed TEXT,
  asked_by TEXT NOT NULL,
  asked_ip TEXT,
  -- waiting, approved, rejected or expired.
  state TEXT NOT NULL,
  decided_by TEXT,
  decided_at_ms INTEGER,
  reason TEXT,
  -- 1 while it waits, then null.
  open INTEGER CHECK (open = 1),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE INDEX proposals_open ON proposals (expires_at_ms) WHERE open = 1;
CREATE INDEX proposals_account ON proposals (account_id, id);
-- What waits for the people of one account.
CREATE INDEX proposals_waiting ON proposals (account_id, expires_at_ms) WHERE open = 1;
CREATE INDEX approval_requests_account ON approval_requests (account_id, expires_at_ms)
WHERE open = 1;

-- An old row with a valid seal may be put back: what the log says last of it is looked up where it counts.
CREATE INDEX audit_log_dual_control ON audit_log (subject, id)
WHERE action IN (
  'dual_control.switched',
  'proposal.made',
  'proposal.approved',
  'proposal.rejected',
  'proposal.expired'
);

-- The same for a role that was changed.
DROP INDEX audit_log_last_words;

CREATE INDEX audit_log_last_words ON audit_log (subject, id)
WHERE action IN (
  'account.receiving_wallet_set',
  'key.changed',
  'key.revoked',
  'user.disabled',
  'user.enabled',
  'user.password_changed',
  'user.password_set',
  'user.reset',
  'user.role_changed',
  'user.second_factor_off',
  'user.second_factor_on'
);
