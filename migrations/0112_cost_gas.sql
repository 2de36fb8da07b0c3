-- What the sweeps of an hour usually take, by which their fees show what gas cost. Hours that were
-- added up before are added up again.
ALTER TABLE cost_hours ADD COLUMN gas INTEGER NOT NULL DEFAULT 0;

INSERT INTO cost_marks (network, starts_at_ms)
SELECT DISTINCT network, starts_at_ms
FROM cost_hours;
