-- How many blocks are final where the chain doesn't say it, and in how many a payment should be
-- mined. Null: the chain's default.
ALTER TABLE networks ADD COLUMN final_blocks INTEGER CHECK (final_blocks > 0);
ALTER TABLE networks ADD COLUMN fee_target INTEGER CHECK (fee_target > 0);
