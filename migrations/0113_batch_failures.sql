-- A sweep whose order failed in a transaction of many is tried alone from then on. What failed for
-- other reasons says nothing about that, so it is counted apart.
ALTER TABLE sweeps ADD COLUMN batch_failures INTEGER NOT NULL DEFAULT 0;
