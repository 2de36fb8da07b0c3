-- What sweeps cost, added up by the hour in which their transactions were signed, and how many
-- calls a day each node answers.

CREATE INDEX signed_transactions_costs ON signed_transactions (network, created_at_ms)
  WHERE state = 'settled';

CREATE TABLE cost_hours (
  network TEXT NOT NULL,
  starts_at_ms INTEGER NOT NULL,
  -- Empty: for no sweep of one currency.
  currency TEXT NOT NULL,
  way TEXT NOT NULL CHECK (way IN ('single', 'batch', 'lent')),
  sweeps INTEGER NOT NULL,
  -- Of them, the first ones of their addresses.
  first_sweeps INTEGER NOT NULL,
  deposits INTEGER NOT NULL,
  fee_raw TEXT NOT NULL,
  PRIMARY KEY (network, starts_at_ms, currency, way)
) STRICT, WITHOUT ROWID;

-- Something of this hour became final, or isn't any more: the hour isn't added up yet.
CREATE TABLE cost_marks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  network TEXT NOT NULL,
  starts_at_ms INTEGER NOT NULL
) STRICT;

CREATE TRIGGER cost_marks_settled AFTER UPDATE OF state, is_foreign ON signed_transactions
WHEN (NEW.state = 'settled') <> (OLD.state = 'settled')
  OR (NEW.state = 'settled' AND NEW.is_foreign <> OLD.is_foreign)
BEGIN
  INSERT INTO cost_marks (network, starts_at_ms)
  VALUES (NEW.network, NEW.created_at_ms - NEW.created_at_ms % 3600000);
END;

CREATE TRIGGER cost_marks_removed AFTER DELETE ON signed_transactions WHEN OLD.state = 'settled'
BEGIN
  INSERT INTO cost_marks (network, starts_at_ms)
  VALUES (OLD.network, OLD.created_at_ms - OLD.created_at_ms % 3600000);
END;

INSERT INTO cost_marks (network, starts_at_ms)
SELECT DISTINCT network, created_at_ms - created_at_ms % 3600000
FROM signed_transactions
WHERE state = 'settled';

CREATE INDEX coin_sums_network ON coin_sums (network, currency);

CREATE TABLE node_calls (
  network TEXT NOT NULL,
  day_ms INTEGER NOT NULL,
  host TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (network, day_ms, host)
) STRICT, WITHOUT ROWID;
