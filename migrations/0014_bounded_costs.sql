-- What others can make a payment cost is bounded: gas for foreign code, payments that fail, sweeps of dust.

-- Gas that a recipient's or a token's code may use on top of a plain payment, null: no code ever runs.
ALTER TABLE currencies ADD COLUMN gas_max INTEGER;

UPDATE currencies
SET gas_max = iif(contract_address IS NULL, 100000, 300000)
WHERE contract_address IS NOT NULL
  OR network IN (SELECT code FROM networks WHERE family = 'evm');

-- Payments that stand in a block and moved nothing.
CREATE INDEX signed_transfers_failed ON signed_transfers (network, sender, to_address)
  WHERE is_successful = 0 AND purpose = 'withdrawal';

-- An operator has looked: failures from before that count no longer.
CREATE TABLE allowed_recipients (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL REFERENCES networks (code),
  address TEXT NOT NULL,
  allowed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, network, address)
) STRICT, WITHOUT ROWID;

-- What a sweep may start with, however much dust lies around.
CREATE INDEX transactions_sweepable ON transactions (network, account_id, address_id, currency)
  WHERE status = 'confirmed' AND direction = 'deposit' AND sweep_id IS NULL AND is_below_minimum = 0;
