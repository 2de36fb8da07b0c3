-- What our addresses hold on chains where money lies in outputs.
CREATE TABLE outputs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  network TEXT NOT NULL,
  tx_hash TEXT NOT NULL,
  -- Its index in its transaction.
  position INTEGER NOT NULL,
  address TEXT NOT NULL,
  amount_raw TEXT NOT NULL,
  -- The lowest height of a block that may spend it; null: any.
  matures_at INTEGER,
  -- Made by a transaction that we signed, so that it may be spent before it is in a block.
  is_own INTEGER NOT NULL,
  block_number INTEGER NOT NULL,
  -- Null while it is in no block.
  block_hash TEXT,
  -- 1 until what spends it is so deep that it stays; then null.
  open INTEGER,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX outputs_outpoint ON outputs (network, tx_hash, position);

CREATE INDEX outputs_open ON outputs (network, address) WHERE open = 1;

CREATE INDEX outputs_block ON outputs (network, block_number);

-- Which families there are, the program knows.
ALTER TABLE networks ADD COLUMN family_next TEXT NOT NULL DEFAULT '';

UPDATE networks SET family_next = family;

ALTER TABLE networks DROP COLUMN family;

ALTER TABLE networks RENAME COLUMN family_next TO family;
