-- A changed receiving wallet waits before it is used, and a second factor can be required.

ALTER TABLE receiving_wallets ADD COLUMN next_address TEXT;
ALTER TABLE receiving_wallets ADD COLUMN next_at_ms INTEGER;

-- Null: 24 hours.
ALTER TABLE accounts ADD COLUMN cooling_ms INTEGER;
ALTER TABLE accounts ADD COLUMN requires_second_factor INTEGER;

-- One row, once anything was set.
CREATE TABLE settings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  requires_second_factor INTEGER NOT NULL,
  seal TEXT
) STRICT;
