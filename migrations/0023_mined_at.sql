-- A deposit remembers when its block was made: only what was credited since can have been the same money.

ALTER TABLE transactions ADD COLUMN mined_at_ms INTEGER;
