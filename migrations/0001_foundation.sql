-- The gateway's books: who may do what, which addresses are whose, what came in, went out and is owed.

-- One row. Every group of writes moves the epoch by one and fails if another writer moved it first.
CREATE TABLE write_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL,
  config_version INTEGER NOT NULL
) STRICT;

INSERT INTO write_clock (id, epoch, config_version) VALUES (1, 0, 0);

-- The last group each running program committed: tells after a lost connection whether it got through.
CREATE TABLE writers (
  instance TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  seen_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  sealed TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE networks (
  code TEXT PRIMARY KEY,
  family TEXT NOT NULL CHECK (family IN ('evm', 'tron')),
  name TEXT NOT NULL,
  native_symbol TEXT NOT NULL,
  native_decimals INTEGER NOT NULL,
  chain_id TEXT NOT NULL,
  genesis_hash TEXT,
  rpc_urls TEXT NOT NULL,
  min_confirmations INTEGER NOT NULL CHECK (min_confirmations >= 1),
  poll_interval_ms INTEGER NOT NULL CHECK (poll_interval_ms >= 50),
  start_height INTEGER NOT NULL,
  finality TEXT NOT NULL CHECK (finality IN ('none', 'finalized')),
  quorum INTEGER NOT NULL CHECK (quorum >= 1),
  traces TEXT NOT NULL CHECK (traces IN ('auto', 'on', 'off')),
  fee_model TEXT NOT NULL CHECK (fee_model IN ('l1', 'op_stack', 'arbitrum')),
  -- The most that a unit of gas may cost, in base units of the native coin, null: no limit.
  gas_price_max_raw TEXT,
  -- What a hot wallet is filled up to from the gas wallet, in whole coins, '0': never.
  hot_gas_target TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

-- How far each chain has been read. top_height never goes back, so confirmations never count down.
CREATE TABLE network_cursors (
  network TEXT PRIMARY KEY REFERENCES networks (code),
  scan_height INTEGER NOT NULL,
  top_height INTEGER NOT NULL,
  -- What the node called its tip when it was last asked.
  tip_height INTEGER NOT NULL,
  finalized_height INTEGER,
  -- How much older than the tip the finalized block was, a tag that stands still decides nothing.
  finalized_age_ms INTEGER,
  halted_reason TEXT,
  updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE network_blocks (
  network TEXT NOT NULL REFERENCES networks (code),
  height INTEGER NOT NULL,
  hash TEXT NOT NULL,
  parent_hash TEXT NOT NULL,
  PRIMARY KEY (network, height)
) STRICT, WITHOUT ROWID;

CREATE TABLE currencies (
  network TEXT NOT NULL REFERENCES networks (code),
  symbol TEXT NOT NULL,
  name TEXT NOT NULL,
  contract_address TEXT,
  decimals INTEGER NOT NULL,
  min_deposit_amount TEXT NOT NULL,
  min_withdrawal_amount TEXT NOT NULL,
  fee_flat TEXT NOT NULL,
  fee_percent TEXT NOT NULL,
  -- Less than this waits for more before it is swept.
  sweep_min_amount TEXT NOT NULL,
  -- About how many native coins one unit is worth, null: unknown. Tells when a sweep costs too much.
  native_rate TEXT,
  is_active INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (network, symbol)
) STRICT;

CREATE UNIQUE INDEX currencies_contract ON currencies (network, contract_address);

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE account_currencies (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  is_deposit_enabled INTEGER NOT NULL,
  is_withdrawal_enabled INTEGER NOT NULL,
  PRIMARY KEY (account_id, network, currency),
  FOREIGN KEY (network, currency) REFERENCES currencies (network, symbol)
) STRICT;

CREATE TABLE receiving_wallets (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL REFERENCES networks (code),
  address TEXT NOT NULL,
  PRIMARY KEY (account_id, network)
) STRICT;

CREATE TABLE api_keys (
  key_id TEXT PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  label TEXT NOT NULL,
  secret_sealed TEXT NOT NULL,
  permissions TEXT NOT NULL,
  ip_list TEXT NOT NULL,
  rate_limit INTEGER NOT NULL CHECK (rate_limit >= 1),
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER
) STRICT;

CREATE INDEX api_keys_account ON api_keys (account_id);

-- Every address whose key this installation holds. account_id is null for the operator's own.
CREATE TABLE addresses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER REFERENCES accounts (id),
  network TEXT NOT NULL REFERENCES networks (code),
  purpose TEXT NOT NULL CHECK (purpose IN ('deposit', 'hot', 'gas')),
  address TEXT NOT NULL,
  key_coin_type INTEGER NOT NULL,
  key_account INTEGER NOT NULL,
  key_branch INTEGER NOT NULL,
  key_index INTEGER NOT NULL,
  user_identifier TEXT,
  -- Pool addresses only: when the next request may have it. Null for all others.
  reusable_at_ms INTEGER,
  current_request_id INTEGER,
  halted_reason TEXT,
  -- Nonces below this were used elsewhere, and an operator has looked at that.
  nonce_floor INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX addresses_address ON addresses (network, address);
CREATE UNIQUE INDEX addresses_key ON addresses (key_coin_type, key_account, key_branch, key_index);
CREATE UNIQUE INDEX addresses_sticky ON addresses (account_id, network, user_identifier)
  WHERE user_identifier IS NOT NULL;
CREATE UNIQUE INDEX addresses_hot ON addresses (account_id, network) WHERE purpose = 'hot';
CREATE UNIQUE INDEX addresses_gas ON addresses (network) WHERE purpose = 'gas';
CREATE INDEX addresses_idle ON addresses (account_id, network, reusable_at_ms)
  WHERE reusable_at_ms IS NOT NULL;
CREATE INDEX addresses_purpose ON addresses (purpose, network);

CREATE TABLE deposit_requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id TEXT NOT NULL REFERENCES api_keys (key_id),
  idempotency_key TEXT,
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  contract_address TEXT,
  address_id INTEGER NOT NULL REFERENCES addresses (id),
  address TEXT NOT NULL,
  user_identifier TEXT,
  display_expires_at_ms INTEGER NOT NULL,
  monitored_until_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX deposit_requests_idempotency ON deposit_requests (key_id, idempotency_key);
CREATE INDEX deposit_requests_address ON deposit_requests (address_id, currency, id);

CREATE TABLE withdrawals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id TEXT NOT NULL REFERENCES api_keys (key_id),
  client_reference TEXT,
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  to_address TEXT NOT NULL,
  amount TEXT NOT NULL,
  fee TEXT NOT NULL,
  status TEXT NOT NULL,
  -- The signed bytes that may pay it. Set before any node sees them, null again once given up for certain.
  transfer_id INTEGER,
  tx_hash TEXT,
  error_message TEXT,
  failure_reason TEXT,
  requested_at_ms INTEGER NOT NULL,
  broadcast_at_ms INTEGER,
  confirmed_at_ms INTEGER
) STRICT;

CREATE UNIQUE INDEX withdrawals_reference ON withdrawals (key_id, client_reference);
CREATE INDEX withdrawals_open ON withdrawals (network, status, id) WHERE status IN ('pending', 'broadcasted');
CREATE INDEX withdrawals_status ON withdrawals (status, id);

-- One row for each time that what an address collected in one currency is moved to the receiving wallet.
CREATE TABLE sweeps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  address_id INTEGER NOT NULL REFERENCES addresses (id),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'funding', 'sweeping', 'parked', 'done')),
  -- 1 until it is done, then null: one open sweep for an address and currency.
  open INTEGER CHECK (open = 1),
  -- What it waits for, in words.
  reason TEXT,
  failures INTEGER NOT NULL,
  next_try_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX sweeps_open ON sweeps (address_id, currency, open);
CREATE INDEX sweeps_due ON sweeps (network, next_try_at_ms) WHERE state = 'waiting';
CREATE INDEX sweeps_state ON sweeps (state, id);

-- One row for each movement on a chain that an account sees (spec 2.6).
CREATE TABLE transactions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  direction TEXT NOT NULL,
  status TEXT NOT NULL,
  tx_hash TEXT NOT NULL,
  position INTEGER NOT NULL,
  -- 1 while this row stands for its movement, null once it failed: mined again, it is a new row.
  live INTEGER CHECK (live = 1),
  from_address TEXT NOT NULL,
  to_address TEXT NOT NULL,
  amount TEXT NOT NULL,
  -- The block it was last seen in, block_hash is null while it is in none.
  block_number INTEGER NOT NULL,
  block_hash TEXT,
  sender TEXT NOT NULL,
  sender_nonce INTEGER NOT NULL,
  address_id INTEGER REFERENCES addresses (id),
  deposit_request_id INTEGER REFERENCES deposit_requests (id),
  withdrawal_id INTEGER REFERENCES withdrawals (id),
  -- A deposit: what takes it to the receiving wallet. A sweep or top-up: what it is part of.
  sweep_id INTEGER,
  is_below_minimum INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  confirmed_at_ms INTEGER
) STRICT;

CREATE UNIQUE INDEX transactions_movement ON transactions (network, tx_hash, position, live);
CREATE INDEX transactions_account ON transactions (account_id, id);
CREATE INDEX transactions_account_direction ON transactions (account_id, direction, id);
CREATE INDEX transactions_account_network ON transactions (account_id, network, id);
CREATE INDEX transactions_account_currency ON transactions (account_id, currency, id);
CREATE INDEX transactions_account_status ON transactions (account_id, status, id);
CREATE INDEX transactions_address ON transactions (address_id, currency, id);
CREATE INDEX transactions_request ON transactions (deposit_request_id, currency, id);
CREATE INDEX transactions_detected ON transactions (network, block_number) WHERE status = 'detected';
CREATE INDEX transactions_block ON transactions (network, block_number);
CREATE INDEX transactions_unswept ON transactions (network, account_id, address_id, currency)
  WHERE status = 'confirmed' AND direction = 'deposit' AND sweep_id IS NULL;
CREATE INDEX transactions_sweep ON transactions (sweep_id) WHERE sweep_id IS NOT NULL;
CREATE INDEX transactions_orphaned ON transactions (network, id)
  WHERE block_hash IS NULL AND live = 1 AND direction = 'deposit';

-- Signed bytes, durable before any node sees them (sign, save, then broadcast).
CREATE TABLE signed_transfers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  network TEXT NOT NULL,
  sender TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  -- The nonce again while these are its newest bytes, null once they were outbid or given up.
  live_nonce INTEGER,
  tx_hash TEXT NOT NULL,
  raw TEXT NOT NULL,
  -- void: moves nothing, and so takes the nonce from what would have. foreign: signed elsewhere with
  -- our key, seen in a block, its bytes are not known.
  purpose TEXT NOT NULL CHECK (purpose IN ('withdrawal', 'sweep', 'gas_topup', 'void', 'foreign')),
  withdrawal_id INTEGER REFERENCES withdrawals (id),
  sweep_id INTEGER REFERENCES sweeps (id),
  -- The row that the account sees of it.
  transaction_id INTEGER,
  to_address TEXT NOT NULL,
  contract_address TEXT,
  amount_raw TEXT NOT NULL,
  native_cost_max_raw TEXT NOT NULL,
  -- open: may be mined, settled: mined for good, superseded: others of its nonce were mined for good,
  -- abandoned: certain to be in no pool.
  state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'superseded', 'abandoned')),
  block_number INTEGER NOT NULL,
  block_hash TEXT,
  is_successful INTEGER,
  fee_raw TEXT,
  -- How high the chain was when it was signed.
  signed_at_height INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  sent_at_ms INTEGER
) STRICT;

CREATE UNIQUE INDEX signed_transfers_hash ON signed_transfers (network, tx_hash);
CREATE UNIQUE INDEX signed_transfers_nonce ON signed_transfers (network, sender, live_nonce);
CREATE INDEX signed_transfers_open ON signed_transfers (network, sender, nonce) WHERE state = 'open';
CREATE INDEX signed_transfers_sender ON signed_transfers (network, sender, nonce);
CREATE INDEX signed_transfers_block ON signed_transfers (network, block_number);
CREATE INDEX signed_transfers_withdrawal ON signed_transfers (withdrawal_id);
CREATE INDEX signed_transfers_sweep ON signed_transfers (sweep_id) WHERE sweep_id IS NOT NULL;
-- One gas top-up at a time is sent to an address. Not of those that stood in a block: a reorganisation may
-- open one again while the next is on its way.
CREATE UNIQUE INDEX signed_transfers_top_up ON signed_transfers (network, to_address)
  WHERE purpose = 'gas_topup' AND state = 'open' AND live_nonce IS NOT NULL AND block_number = 0;
CREATE INDEX signed_transfers_gas ON signed_transfers (network, to_address) WHERE purpose = 'gas_topup';

CREATE TABLE balances (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  balance TEXT NOT NULL,
  held TEXT NOT NULL,
  PRIMARY KEY (account_id, network, currency)
) STRICT;

-- The books and the chain do not agree here: nothing is paid out until an operator has looked.
CREATE TABLE freezes (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, network, currency)
) STRICT;

-- Up to which entry a balance was added up and found right.
CREATE TABLE ledger_checks (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  entry_id INTEGER NOT NULL,
  balance TEXT NOT NULL,
  held TEXT NOT NULL,
  PRIMARY KEY (account_id, network, currency)
) STRICT;

-- Append-only, the sum of the entries is the balance.
CREATE TABLE ledger_entries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  kind TEXT NOT NULL,
  amount TEXT NOT NULL,
  balance_after TEXT NOT NULL,
  held_after TEXT NOT NULL,
  transaction_id INTEGER REFERENCES transactions (id),
  withdrawal_id INTEGER REFERENCES withdrawals (id),
  note TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX ledger_entries_transaction ON ledger_entries (transaction_id, kind);
CREATE UNIQUE INDEX ledger_entries_withdrawal ON ledger_entries (withdrawal_id, kind);
CREATE INDEX ledger_entries_asset ON ledger_entries (account_id, network, currency, id);

CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries
BEGIN
  SELECT RAISE (ABORT, 'ledger entries are never changed');
END;

CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries
BEGIN
  SELECT RAISE (ABORT, 'ledger entries are never deleted');
END;

CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  type TEXT NOT NULL,
  transaction_id INTEGER REFERENCES transactions (id),
  withdrawal_id INTEGER REFERENCES withdrawals (id),
  payload TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX events_account ON events (account_id, id);

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

-- What an operator must know and settle, each stays until it is resolved.
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  message TEXT NOT NULL,
  -- 1 until it is resolved, then null: one open alert for a kind and subject.
  open INTEGER CHECK (open = 1),
  created_at_ms INTEGER NOT NULL,
  resolved_at_ms INTEGER
) STRICT;

CREATE UNIQUE INDEX alerts_open ON alerts (kind, subject, open);

-- Signatures of writes that carried no idempotency key, for as long as their timestamps live.
CREATE TABLE used_signatures (
  signature TEXT PRIMARY KEY,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX used_signatures_expiry ON used_signatures (expires_at_ms);
