-- Rows that decide about money carry a keyed hash: who can write here and lacks the key moves nothing.

ALTER TABLE networks ADD COLUMN seal TEXT;
ALTER TABLE currencies ADD COLUMN seal TEXT;
ALTER TABLE accounts ADD COLUMN seal TEXT;
ALTER TABLE account_currencies ADD COLUMN seal TEXT;
ALTER TABLE receiving_wallets ADD COLUMN seal TEXT;
ALTER TABLE api_keys ADD COLUMN seal TEXT;
ALTER TABLE addresses ADD COLUMN seal TEXT;
ALTER TABLE withdrawals ADD COLUMN seal TEXT;
ALTER TABLE sweeps ADD COLUMN seal TEXT;
ALTER TABLE transactions ADD COLUMN seal TEXT;
ALTER TABLE signed_transfers ADD COLUMN seal TEXT;
ALTER TABLE balances ADD COLUMN seal TEXT;
ALTER TABLE ledger_entries ADD COLUMN seal TEXT;
ALTER TABLE users ADD COLUMN seal TEXT;
ALTER TABLE sessions ADD COLUMN seal TEXT;
ALTER TABLE set_up_links ADD COLUMN seal TEXT;

-- The newest row of the audit log, so that what is cut off its end is missed.
ALTER TABLE write_clock ADD COLUMN audit_id INTEGER;
ALTER TABLE write_clock ADD COLUMN audit_hash TEXT;
ALTER TABLE write_clock ADD COLUMN audit_seal TEXT;

-- Entries of before are sealed once; nothing else of them ever changes.
DROP TRIGGER ledger_entries_no_update;
CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE OF
  id, account_id, network, currency, kind, amount, balance_after, held_after,
  transaction_id, withdrawal_id, note, created_at_ms ON ledger_entries
BEGIN
  SELECT RAISE (ABORT, 'ledger entries are never changed');
END;
