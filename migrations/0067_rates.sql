-- What coins are worth: sources that operators add, and the newest price that each gave.

CREATE TABLE rate_sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  -- manual, chainlink or http.
  kind TEXT NOT NULL,
  value TEXT,
  network TEXT,
  feed TEXT,
  url TEXT,
  pointer TEXT,
  -- Null: a price that somebody set doesn't get old.
  max_age_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

-- By feed or source, so that every program and a restart know them.
CREATE TABLE rate_readings (
  source TEXT PRIMARY KEY,
  value TEXT,
  at_ms INTEGER,
  error TEXT,
  failing_since_ms INTEGER,
  seal TEXT
) STRICT;

-- A rule may limit amounts by their value in this currency.
ALTER TABLE policies ADD COLUMN quote TEXT;
-- What each currency was worth when the rule was set: for payments without a value of their own.
ALTER TABLE policies ADD COLUMN rates TEXT;
-- Its value when it was requested, in each currency that rules then limited it in.
ALTER TABLE withdrawals ADD COLUMN policy_values TEXT;
