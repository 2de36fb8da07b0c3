-- An operator's word is stronger than a merchant's: what he switched off stays off, accounts can be
-- suspended, and all signing can be stopped.

ALTER TABLE accounts ADD COLUMN suspended_at_ms INTEGER;
ALTER TABLE accounts ADD COLUMN suspended_reason TEXT;

-- Switched off by an operator: then it is not enabled, and no merchant enables it.
ALTER TABLE account_currencies ADD COLUMN is_deposit_barred INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account_currencies ADD COLUMN is_withdrawal_barred INTEGER NOT NULL DEFAULT 0;

-- What is off today was the operator's decision if the audit log says so: on the command line, which
-- always named both switches, or in the dashboard, where he switched off what was on. All else was
-- never on, or a merchant switched it off and may switch it on again.
WITH barred AS (
  SELECT CAST(substr(subject, 9) AS INTEGER) AS account_id, network, currency, field
  FROM (
    SELECT
      id, subject, network, currency, field, actor, is_on,
      lag(is_on) OVER (PARTITION BY subject, network, currency, field ORDER BY id) AS was_on,
      max(iif(is_on, id, 0)) OVER (PARTITION BY subject, network, currency, field) AS last_on
    FROM (
      SELECT
        a.id, a.subject, a.actor,
        a.detail ->> '$.network' AS network,
        a.detail ->> '$.currency' AS currency,
        s.value AS field,
        a.detail ->> ('$.' || s.value) AS is_on
      FROM audit_log AS a
      CROSS JOIN json_each('["isDepositEnabled", "isWithdrawalEnabled"]') AS s
      WHERE a.action = 'account.currency_enabled'))
  WHERE is_on = 0 AND id > last_on
    AND (actor = 'cli'
      OR (was_on = 1 AND actor IN (SELECT 'user:' || id FROM users WHERE role = 'operator'))))
UPDATE account_currencies
SET
  is_deposit_barred = is_deposit_enabled = 0 AND
    (account_id, network, currency, 'isDepositEnabled') IN (SELECT * FROM barred),
  is_withdrawal_barred = is_withdrawal_enabled = 0 AND
    (account_id, network, currency, 'isWithdrawalEnabled') IN (SELECT * FROM barred)
WHERE is_deposit_enabled = 0 OR is_withdrawal_enabled = 0;

-- Its one row is there while nothing is signed.
CREATE TABLE stops (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  reason TEXT,
  stopped_at_ms INTEGER NOT NULL
) STRICT;
