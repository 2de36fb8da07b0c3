-- The ledger can be read by kind. Holds are too frequent to pay for an index, and too many to need one.

CREATE INDEX ledger_entries_kind ON ledger_entries (account_id, network, currency, kind, id)
WHERE kind <> 'hold';
