-- What each ledger entry was worth when it was written, in the currency its account reports in.

-- Null: in none.
ALTER TABLE accounts ADD COLUMN reporting TEXT;
CREATE INDEX accounts_reporting ON accounts (id) WHERE reporting IS NOT NULL;

-- Both null: the account reported in none, or there was no rate.
ALTER TABLE ledger_entries ADD COLUMN value TEXT;
ALTER TABLE ledger_entries ADD COLUMN value_currency TEXT;
