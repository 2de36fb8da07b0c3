-- One contract may collect from many deposit addresses in one transaction: whether a network does so,
-- for how long at most a sweep waits for company, whether addresses that take native coins delegate
-- to it too, and which contracts were deployed.

-- Null: one transaction for each sweep.
ALTER TABLE networks ADD COLUMN collect TEXT CHECK (collect IN ('single', 'batch', 'auto'));
-- Null: the default.
ALTER TABLE networks ADD COLUMN collect_wait_ms INTEGER CHECK (collect_wait_ms > 0);
-- Null: no.
ALTER TABLE accounts ADD COLUMN delegates_native INTEGER;

-- Contracts that gas wallets deployed, or are about to.
CREATE TABLE collectors (
  network TEXT NOT NULL REFERENCES networks (code),
  -- The gas wallet, which alone can use it.
  owner TEXT NOT NULL,
  -- The hash of what deploys it: another build is another contract.
  build TEXT NOT NULL,
  -- Of the transaction that deploys it. The address follows from it.
  nonce INTEGER NOT NULL,
  address TEXT NOT NULL,
  -- The hash of the code that must be there.
  code_hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  seal TEXT,
  PRIMARY KEY (network, owner, build)
) STRICT, WITHOUT ROWID;
