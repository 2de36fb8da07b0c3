-- What a halted wallet needs is decided by a code, and each reader of an alert gets advice in own words.

ALTER TABLE addresses ADD COLUMN halted_code TEXT
  CHECK (halted_code IN ('restored', 'made_again', 'used_elsewhere'));
ALTER TABLE alerts ADD COLUMN advice TEXT;

-- Sealed rows get their code from the program, which can seal them anew: those that have none yet.
CREATE INDEX addresses_uncoded ON addresses (id)
WHERE halted_reason IS NOT NULL AND halted_code IS NULL;
