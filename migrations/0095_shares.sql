-- Nobody takes what others need: a merchant's limits count what the merchant made, and addresses
-- that never received anything delay the comparison of the others with the chain no more.

-- What the account itself gave the key; null: an operator made it.
ALTER TABLE api_keys ADD COLUMN own_rate_limit INTEGER;

UPDATE api_keys
SET own_rate_limit = rate_limit
WHERE key_id IN (
  SELECT substr(l.subject, 5)
  FROM audit_log AS l
  CROSS JOIN users AS u ON u.id = CAST(substr(l.actor, 6) AS INTEGER)
  WHERE l.action = 'key.created' AND l.action NOT GLOB 'withdrawal.*'
    AND l.actor GLOB 'user:*' AND u.account_id IS NOT NULL
    AND json_extract(l.detail, '$.accountId') = u.account_id);

-- Each address that a payment ever reached, one after the other.
CREATE INDEX transactions_received ON transactions (network, address_id)
WHERE direction = 'deposit';

-- How much was stored for an account on the day when something last was. Added to in each
-- transaction that stores anything for it.
CREATE TABLE storage_uses (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  day_ms INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;

-- What an account may store a day; null: 64 MB.
ALTER TABLE accounts ADD COLUMN quota_mb INTEGER;

-- Starts of a payment link since a time, at most an hour ago, without those that were paid.
CREATE TABLE payment_link_starts (
  link_id INTEGER PRIMARY KEY REFERENCES payment_links (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  since_ms INTEGER NOT NULL,
  unpaid INTEGER NOT NULL
) STRICT;

-- How many bytes of rejected requests were kept in an hour.
CREATE TABLE request_log_hours (
  hour_ms INTEGER PRIMARY KEY,
  kept INTEGER NOT NULL,
  unproven INTEGER NOT NULL
) STRICT;
