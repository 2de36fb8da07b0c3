-- What a payment may cost at most, and who may make one more expensive after it was sent.
ALTER TABLE accounts ADD COLUMN may_push INTEGER NOT NULL DEFAULT 0;
-- In native coins. Null: what is known of the chain, or by what its blocks paid.
ALTER TABLE networks ADD COLUMN fee_max TEXT;
-- What blocks paid for a unit of gas, as it is remembered; null before any told.
ALTER TABLE network_cursors ADD COLUMN paid_raw TEXT;
ALTER TABLE network_cursors ADD COLUMN paid_at_ms INTEGER;
-- The gas of what was refused because of its fee, until that would fit again.
ALTER TABLE network_cursors ADD COLUMN refused_gas TEXT;
