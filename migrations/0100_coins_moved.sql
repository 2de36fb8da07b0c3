-- What left an account's addresses, and what came to them without a deposit, is added up as it happens.

-- Not added up yet. The sign is -1 for what was taken back. Fees are in the smallest unit.
CREATE TABLE coin_moves (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  kind TEXT NOT NULL,
  sign INTEGER NOT NULL,
  amount TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX coin_moves_account ON coin_moves (account_id, id);

CREATE TABLE coin_sums (
  account_id INTEGER NOT NULL,
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  kind TEXT NOT NULL,
  amount TEXT NOT NULL,
  -- Of the first one.
  since_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, network, currency, kind)
) STRICT;

CREATE TRIGGER coin_moves_outgoing AFTER UPDATE OF status ON transactions
WHEN (NEW.status = 'confirmed') <> (OLD.status = 'confirmed')
  AND NEW.direction IN ('sweep', 'gas_topup')
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  SELECT NEW.account_id, NEW.network, NEW.currency,
    iif(NEW.direction = 'sweep', 'swept', 'gas') || iif(EXISTS (
      SELECT 1
      FROM addresses
      WHERE network = NEW.network AND address = NEW.to_address AND purpose = 'hot'
    ), '_hot', ''),
    iif(NEW.status = 'confirmed', 1, -1),
    iif(NEW.status = 'confirmed', NEW.amount, OLD.amount),
    coalesce(NEW.confirmed_at_ms, NEW.created_at_ms);
END;

-- Of coins that pay their own fee, what arrives is less than what left.
CREATE TRIGGER coin_moves_emptied AFTER UPDATE OF status ON transactions
WHEN (NEW.status = 'swept') <> (OLD.status = 'swept') AND NEW.direction = 'deposit'
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  SELECT NEW.account_id, NEW.network, NEW.currency, 'emptied', iif(NEW.status = 'swept', 1, -1),
    NEW.amount, NEW.created_at_ms
  FROM networks
  WHERE code = NEW.network AND native_symbol = NEW.currency;
END;

CREATE TRIGGER coin_moves_fee AFTER UPDATE OF state ON signed_transfers
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
CREATE TRIGGER coin_moves_fee_undone AFTER DELETE ON signed_transfers
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

CREATE TRIGGER coin_moves_adjusted AFTER INSERT ON ledger_entries WHEN NEW.kind = 'adjust'
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  VALUES (NEW.account_id, NEW.network, NEW.currency, 'booked', 1, NEW.amount, NEW.created_at_ms);
END;

CREATE TRIGGER coin_moves_charged AFTER INSERT ON ledger_entries WHEN NEW.kind = 'debit'
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  SELECT NEW.account_id, NEW.network, NEW.currency, 'charged', 1, fee, NEW.created_at_ms
  FROM withdrawals
  WHERE id = NEW.withdrawal_id AND fee <> '0';
END;

-- What happened before this.
INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
SELECT t.account_id, t.network, t.currency,
  iif(t.direction = 'sweep', 'swept', 'gas') || iif(EXISTS (
    SELECT 1
    FROM addresses AS a
    WHERE a.network = t.network AND a.address = t.to_address AND a.purpose = 'hot'
  ), '_hot', ''),
  1, t.amount, coalesce(t.confirmed_at_ms, t.created_at_ms)
FROM transactions AS t
WHERE t.status = 'confirmed' AND t.direction IN ('sweep', 'gas_topup');

INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
SELECT t.account_id, t.network, t.currency, 'emptied', 1, t.amount, t.created_at_ms
FROM transactions AS t
JOIN networks AS n ON n.code = t.network AND n.native_symbol = t.currency
WHERE t.status = 'swept' AND t.direction = 'deposit';

INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
SELECT a.account_id, s.network, n.native_symbol, iif(a.purpose = 'hot', 'fees_hot', 'fees'), 1,
  s.fee_raw, s.created_at_ms
FROM signed_transfers AS s
JOIN addresses AS a ON a.network = s.network AND a.address = s.sender
JOIN networks AS n ON n.code = s.network
WHERE s.state = 'settled' AND s.fee_raw IS NOT NULL AND a.account_id IS NOT NULL;

INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
SELECT account_id, network, currency, 'booked', 1, amount, created_at_ms
FROM ledger_entries
WHERE kind = 'adjust';

INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
SELECT l.account_id, l.network, l.currency, 'charged', 1, w.fee, l.created_at_ms
FROM ledger_entries AS l
JOIN withdrawals AS w ON w.id = l.withdrawal_id
WHERE l.kind = 'debit' AND w.fee <> '0';
