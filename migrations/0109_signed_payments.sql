-- A signed transaction carries payments and holds claims: several payments may share one
-- transaction, and what only one may use needn't be a nonce.

CREATE TABLE signed_transactions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  network TEXT NOT NULL,
  sender TEXT NOT NULL,
  -- Which of its sender's it is: by nonce or, where transactions expire, by expiry.
  place INTEGER NOT NULL,
  -- The newest bytes for its claims: 0 once they were outbid, given up or lost.
  is_live INTEGER NOT NULL,
  -- Signed elsewhere with our key and seen in a block: its bytes are not known.
  is_foreign INTEGER NOT NULL,
  -- How many payments it makes, so that none can go missing.
  payment_count INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  raw TEXT NOT NULL,
  native_cost_max_raw TEXT NOT NULL,
  -- open: may be mined, settled: mined for good, superseded: others with its claims were mined for
  -- good, abandoned: certain to be in no pool.
  state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'superseded', 'abandoned')),
  block_number INTEGER NOT NULL,
  block_hash TEXT,
  is_successful INTEGER,
  fee_raw TEXT,
  -- How high the chain was when it was signed.
  signed_at_height INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  sent_at_ms INTEGER,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX signed_transactions_hash ON signed_transactions (network, tx_hash);
CREATE INDEX signed_transactions_hash_end ON signed_transactions (substr(tx_hash, -6));
CREATE INDEX signed_transactions_open ON signed_transactions (network, sender, place)
  WHERE state = 'open';
CREATE INDEX signed_transactions_sender ON signed_transactions (network, sender, place);
CREATE INDEX signed_transactions_block ON signed_transactions (network, block_number);

CREATE TABLE signed_payments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  signed_id INTEGER NOT NULL REFERENCES signed_transactions (id),
  position INTEGER NOT NULL,
  network TEXT NOT NULL,
  -- void: moves nothing, and so takes the place of what would have.
  purpose TEXT NOT NULL CHECK (purpose IN ('withdrawal', 'sweep', 'gas_topup', 'void')),
  withdrawal_id INTEGER REFERENCES withdrawals (id),
  sweep_id INTEGER REFERENCES sweeps (id),
  -- The row that the account sees of it.
  transaction_id INTEGER,
  from_address TEXT NOT NULL,
  to_address TEXT NOT NULL,
  contract_address TEXT,
  amount_raw TEXT NOT NULL,
  -- Its outcome, and the block that says so.
  is_successful INTEGER,
  block_hash TEXT,
  arrived_raw TEXT,
  calls_code INTEGER,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX signed_payments_signed ON signed_payments (signed_id, position);
CREATE INDEX signed_payments_withdrawal ON signed_payments (withdrawal_id);
CREATE INDEX signed_payments_sweep ON signed_payments (sweep_id) WHERE sweep_id IS NOT NULL;
CREATE INDEX signed_payments_from ON signed_payments (network, from_address);
CREATE INDEX signed_payments_gas ON signed_payments (network, to_address)
  WHERE purpose = 'gas_topup';
CREATE INDEX signed_payments_failed ON signed_payments (network, from_address, to_address)
  WHERE is_successful = 0 AND purpose = 'withdrawal';

CREATE TABLE claims (
  signed_id INTEGER NOT NULL REFERENCES signed_transactions (id),
  claim TEXT NOT NULL,
  network TEXT NOT NULL,
  -- Only one transaction with it is ever mined.
  is_once INTEGER NOT NULL,
  -- The claim while its transaction is live, otherwise null.
  live_claim TEXT,
  seal TEXT,
  PRIMARY KEY (signed_id, claim)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX claims_live ON claims (network, live_claim);
CREATE INDEX claims_claim ON claims (network, claim);

-- Their seals are written by the program, which has the key, from the rows that they come from.
INSERT INTO signed_transactions (id, network, sender, place, is_live, is_foreign,
  payment_count, tx_hash, raw, native_cost_max_raw, state, block_number, block_hash, is_successful, fee_raw, signed_at_height,
  created_at_ms, sent_at_ms)
SELECT id, network, sender, nonce, live_nonce IS NOT NULL, purpose = 'foreign',
  purpose <> 'foreign', tx_hash, raw,
  native_cost_max_raw, state, block_number, block_hash, is_successful, fee_raw, signed_at_height,
  created_at_ms, sent_at_ms
FROM signed_transfers;

INSERT INTO signed_payments (id, signed_id, position, network, purpose, withdrawal_id, sweep_id,
  transaction_id, from_address, to_address, contract_address, amount_raw, is_successful, block_hash,
  arrived_raw, calls_code)
SELECT id, id, 0, network, purpose, withdrawal_id, sweep_id, transaction_id, sender, to_address,
  contract_address, amount_raw, is_successful, block_hash, arrived_raw, calls_code
FROM signed_transfers
WHERE purpose <> 'foreign';

INSERT INTO claims (signed_id, claim, network, is_once, live_claim)
SELECT s.id, s.sender || '/' || s.nonce, s.network, n.family = 'evm',
  iif(s.live_nonce IS NULL, NULL, s.sender || '/' || s.nonce)
FROM signed_transfers AS s
JOIN networks AS n ON n.code = s.network;

INSERT INTO claims (signed_id, claim, network, is_once, live_claim)
SELECT id, 'gas/' || to_address, network, 0,
  iif(state = 'open' AND live_nonce IS NOT NULL AND id = max(id) OVER (
    PARTITION BY network, to_address, state = 'open' AND live_nonce IS NOT NULL
  ), 'gas/' || to_address, NULL)
FROM signed_transfers
WHERE purpose = 'gas_topup';

DROP TRIGGER coin_moves_fee;
DROP TRIGGER coin_moves_fee_undone;

CREATE TRIGGER coin_moves_fee AFTER UPDATE OF state ON signed_transactions
WHEN (NEW.state = 'settled') <> (OLD.state = 'settled')
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  SELECT a.account_id, NEW.network, n.native_symbol, iif(a.purpose = 'hot', 'fees_hot', 'fees'),
    iif(NEW.state = 'settled', 1, -1), iif(NEW.state = 'settled', NEW.fee_raw, OLD.fee_raw),
    NEW.created_at_ms
  FROM addresses AS a
  CROSS JOIN networks AS n
  WHERE a.network = NEW.network AND a.address = NEW.sender AND a.account_id IS NOT NULL
    AND n.code = NEW.network AND iif(NEW.state = 'settled', NEW.fee_raw, OLD.fee_raw) IS NOT NULL;
END;

-- It is booked again as what it turned out to be.
CREATE TRIGGER coin_moves_fee_undone AFTER DELETE ON signed_transactions
WHEN OLD.state = 'settled' AND OLD.fee_raw IS NOT NULL
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  SELECT a.account_id, OLD.network, n.native_symbol, iif(a.purpose = 'hot', 'fees_hot', 'fees'),
    -1, OLD.fee_raw, OLD.created_at_ms
  FROM addresses AS a
  CROSS JOIN networks AS n
  WHERE a.network = OLD.network AND a.address = OLD.sender AND a.account_id IS NOT NULL
    AND n.code = OLD.network;
END;
