-- Payouts have a share of an account's storage of the day that nothing else can use up.

-- Of the day in `day_ms`; `bytes` is everything else.
ALTER TABLE storage_uses ADD COLUMN payout_bytes INTEGER NOT NULL DEFAULT 0;
