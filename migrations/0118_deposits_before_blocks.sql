-- When a deposit left the chain, or a node last showed it in no block; null: when it was detected.
ALTER TABLE transactions ADD COLUMN seen_at_ms INTEGER;

-- The lowest height at which a deposit may be credited; null: once it is deep enough.
ALTER TABLE transactions ADD COLUMN credit_from INTEGER;

-- What deposits spend that aren't credited yet. Once something else has spent one, they never come.
CREATE TABLE deposit_inputs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  network TEXT NOT NULL,
  -- The deposit's transaction.
  tx_hash TEXT NOT NULL,
  outpoint TEXT NOT NULL,
  -- It, or the one of its ancestors that spends this.
  spender TEXT NOT NULL,
  -- What spent it instead, and in which block. The hash is null if nothing did, or does no more.
  spent_by TEXT,
  spent_height INTEGER,
  spent_hash TEXT,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX deposit_inputs_input ON deposit_inputs (network, tx_hash, outpoint);

CREATE INDEX deposit_inputs_outpoint ON deposit_inputs (network, outpoint);

CREATE INDEX deposit_inputs_spent ON deposit_inputs (network, spent_height)
WHERE spent_hash IS NOT NULL;
