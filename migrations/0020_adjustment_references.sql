-- A manual entry that is repeated with its reference is booked once: it answers what it answered first.
CREATE TABLE adjustment_references (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  reference TEXT NOT NULL,
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount TEXT NOT NULL,
  balance_after TEXT NOT NULL,
  held_after TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, reference)
) STRICT, WITHOUT ROWID;
