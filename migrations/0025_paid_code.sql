-- A payment remembers that its recipient is a contract: another program, or the next one, counts it too.

ALTER TABLE signed_transfers ADD COLUMN calls_code INTEGER;
