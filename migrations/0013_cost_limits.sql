-- What a payment may cost at most, and who may make one more expensive after it was sent.
ALTER TABLE accounts ADD COLUMN may_push INTEGER NOT NULL DEFAULT 0;
