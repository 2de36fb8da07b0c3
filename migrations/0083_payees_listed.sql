-- The page that lists an account's payees.

CREATE INDEX payees_listed ON payees (account_id, id) WHERE removed_at_ms IS NULL;
