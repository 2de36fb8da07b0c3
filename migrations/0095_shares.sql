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

-- How many bytes of rejected requests were kept in an hour.
CREATE TABLE request_log_hours (
  hour_ms INTEGER PRIMARY KEY,
  kept INTEGER NOT NULL,
  unproven INTEGER NOT NULL
) STRICT;
