-- Each index is written with each row: those that hold rows which nobody looks for there cost the most.

DROP INDEX audit_log_actor_subject;

-- What users did with their own login.
CREATE INDEX audit_log_self ON audit_log (actor, id) WHERE subject = actor;

DROP INDEX ledger_entries_transaction;

CREATE UNIQUE INDEX ledger_entries_transaction ON ledger_entries (transaction_id, kind)
WHERE transaction_id IS NOT NULL;

DROP INDEX ledger_entries_withdrawal;

CREATE UNIQUE INDEX ledger_entries_withdrawal ON ledger_entries (withdrawal_id, kind)
WHERE withdrawal_id IS NOT NULL;
