-- Where money lies in outputs, the fee of a sweep is a part of what was swept.
DROP TRIGGER coin_moves_fee;
DROP TRIGGER coin_moves_fee_undone;

CREATE TRIGGER coin_moves_fee AFTER UPDATE OF state ON signed_transactions
WHEN (NEW.state = 'settled') <> (OLD.state = 'settled')
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  SELECT a.account_id, NEW.network, n.native_symbol,
    CASE WHEN a.purpose = 'hot' THEN 'fees_hot' WHEN n.family = 'bitcoin' THEN 'fees_inside'
    ELSE 'fees' END,
    iif(NEW.state = 'settled', 1, -1), iif(NEW.state = 'settled', NEW.fee_raw, OLD.fee_raw),
    NEW.created_at_ms
  FROM addresses AS a
  CROSS JOIN networks AS n
  WHERE a.network = NEW.network AND a.address = NEW.sender AND a.account_id IS NOT NULL
    AND n.code = NEW.network AND iif(NEW.state = 'settled', NEW.fee_raw, OLD.fee_raw) IS NOT NULL;
END;

CREATE TRIGGER coin_moves_fee_undone AFTER DELETE ON signed_transactions
WHEN OLD.state = 'settled' AND OLD.fee_raw IS NOT NULL
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  SELECT a.account_id, OLD.network, n.native_symbol,
    CASE WHEN a.purpose = 'hot' THEN 'fees_hot' WHEN n.family = 'bitcoin' THEN 'fees_inside'
    ELSE 'fees' END,
    -1, OLD.fee_raw, OLD.created_at_ms
  FROM addresses AS a
  CROSS JOIN networks AS n
  WHERE a.network = OLD.network AND a.address = OLD.sender AND a.account_id IS NOT NULL
    AND n.code = OLD.network;
END;

-- Merchants' own keys, from which deposit addresses were or may be derived.
CREATE TABLE xpubs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- In no encoding: the public key and its chain code.
  key_id TEXT NOT NULL,
  -- Whose it is from its first use on.
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  created_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX xpubs_key ON xpubs (key_id);

-- What arrives at addresses of such a key is in its wallet at once.
CREATE TRIGGER coin_moves_arrived AFTER UPDATE OF status ON transactions
WHEN (NEW.status = 'swept') <> (OLD.status = 'swept') AND NEW.direction = 'deposit' AND EXISTS (
  SELECT 1 FROM addresses WHERE id = NEW.address_id AND key_branch > 2
)
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  VALUES (NEW.account_id, NEW.network, NEW.currency, 'swept', iif(NEW.status = 'swept', 1, -1),
    NEW.amount, NEW.created_at_ms);
END;

-- Idle addresses of one source: 0 is our seed.
DROP INDEX addresses_idle;

CREATE INDEX addresses_idle ON addresses (
  account_id, network, iif(key_branch > 2, 8 * key_account + key_branch, 0), reusable_at_ms
) WHERE reusable_at_ms IS NOT NULL;
