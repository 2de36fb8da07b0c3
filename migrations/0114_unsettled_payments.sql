-- A transaction of many is settled though a row of one of its owners isn't as this gateway wrote it.
-- That one is settled once somebody has looked at the row.

-- Why its owner isn't settled yet, though it was mined for good.
ALTER TABLE signed_payments ADD COLUMN unsettled TEXT CHECK (unsettled = 'tampered');

CREATE INDEX signed_payments_unsettled ON signed_payments (network, id)
WHERE unsettled IS NOT NULL;
