-- What is decided by why a currency is paused or a sweep waits is decided by a code, not by its text.

ALTER TABLE freezes ADD COLUMN code TEXT NOT NULL DEFAULT 'tampered'
  CHECK (code IN ('books_differ', 'tampered'));
ALTER TABLE sweeps ADD COLUMN code TEXT;

UPDATE freezes SET code = 'books_differ' WHERE substr(reason, 1, 15) <> 'Tampered with: ';

UPDATE sweeps SET code = CASE
  WHEN reason = 'the account has no receiving wallet' THEN 'no_receiving_wallet'
  WHEN reason = 'its rows were tampered with' THEN 'tampered'
  WHEN reason GLOB '* is less than the sweep minimum *' THEN 'below_minimum'
  WHEN reason GLOB 'sweeps of * are paused: * of them are parked' THEN 'others_parked'
  WHEN reason GLOB 'moving * would cost too much*now' THEN 'not_worth_it'
  WHEN reason GLOB 'an earlier sweep has moved *' THEN 'moved_before'
  WHEN reason = 'gas is on its way to the address' THEN 'gas_on_its_way'
  WHEN reason GLOB '* gas top-ups were not enough: *' THEN 'gas_not_enough'
  WHEN reason GLOB '* holds *, its deposits came to *' THEN 'tokens_missing'
  WHEN state = 'parked' AND reason GLOB '* was mined and *' THEN 'failed_on_chain'
  WHEN state = 'parked' THEN 'reverts'
  WHEN EXISTS (SELECT 1 FROM addresses WHERE id = address_id AND halted_reason = reason)
    THEN 'wallet_halted'
  ELSE 'not_answered'
END
WHERE reason IS NOT NULL;

-- No value of these columns: where a row is left, nothing of this is done.
UPDATE freezes SET code = 'none'
WHERE (substr(reason, 1, 15) = 'Tampered with: ') <> (code = 'tampered');
UPDATE sweeps SET state = 'none' WHERE (reason IS NULL) <> (code IS NULL);
