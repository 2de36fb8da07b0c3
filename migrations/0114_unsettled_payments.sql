-- A transaction of many is settled though a row of one of its owners isn't as this gateway wrote it.
-- That one is settled once somebody has looked at the row. So is what a batch moved that restored
-- books have taken on, where it went to a wallet that they don't know as its account's.

-- Why its owner isn't settled yet, though it was mined for good.
ALTER TABLE signed_payments ADD COLUMN unsettled TEXT CHECK (unsettled IN ('tampered', 'other_wallet'));

CREATE INDEX signed_payments_unsettled ON signed_payments (network, id)
WHERE unsettled IS NOT NULL;
