-- What the migrations make of an empty database; `deno task baseline` writes it.
-- version 120

CREATE TABLE write_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL,
  config_version INTEGER NOT NULL
, deposit_index_from INTEGER NOT NULL DEFAULT 0, audit_id INTEGER, audit_hash TEXT, audit_seal TEXT, balances_sum TEXT) STRICT;

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
, fee_max TEXT, seal TEXT, is_test INTEGER, test_changes INTEGER, ws_urls TEXT, collect TEXT CHECK (collect IN ('single', 'batch', 'auto')), collect_wait_ms INTEGER CHECK (collect_wait_ms > 0), family TEXT NOT NULL DEFAULT '', final_blocks INTEGER CHECK (final_blocks > 0), fee_target INTEGER CHECK (fee_target > 0), rpc_urls_sealed TEXT, ws_urls_sealed TEXT) STRICT;

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
, paid_raw TEXT, paid_at_ms INTEGER, refused_gas TEXT, tip_at_ms INTEGER) STRICT, WITHOUT ROWID;

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
  created_at_ms INTEGER NOT NULL, gas_max INTEGER, seal TEXT,
  PRIMARY KEY (network, symbol)
) STRICT;

CREATE UNIQUE INDEX currencies_contract ON currencies (network, contract_address);

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
, may_push INTEGER NOT NULL DEFAULT 0, seal TEXT, suspended_at_ms INTEGER, suspended_reason TEXT, cooling_ms INTEGER, requires_second_factor INTEGER, dual_control INTEGER, reporting TEXT, quota_mb INTEGER, delegates_native INTEGER) STRICT;

CREATE TABLE account_currencies (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  is_deposit_enabled INTEGER NOT NULL,
  is_withdrawal_enabled INTEGER NOT NULL, seal TEXT, is_deposit_barred INTEGER NOT NULL DEFAULT 0, is_withdrawal_barred INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, network, currency),
  FOREIGN KEY (network, currency) REFERENCES currencies (network, symbol)
) STRICT;

CREATE TABLE receiving_wallets (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL REFERENCES networks (code),
  address TEXT NOT NULL, seal TEXT, next_address TEXT, next_at_ms INTEGER,
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
, seal TEXT, own_rate_limit INTEGER) STRICT;

CREATE INDEX api_keys_account ON api_keys (account_id);

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
, seal TEXT, halted_code TEXT
  CHECK (halted_code IN ('restored', 'made_again', 'used_elsewhere'))) STRICT;

CREATE UNIQUE INDEX addresses_address ON addresses (network, address);

CREATE UNIQUE INDEX addresses_key ON addresses (key_coin_type, key_account, key_branch, key_index);

CREATE UNIQUE INDEX addresses_sticky ON addresses (account_id, network, user_identifier)
  WHERE user_identifier IS NOT NULL;

CREATE UNIQUE INDEX addresses_hot ON addresses (account_id, network) WHERE purpose = 'hot';

CREATE UNIQUE INDEX addresses_gas ON addresses (network) WHERE purpose = 'gas';

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
, seal TEXT, shared_with_id INTEGER REFERENCES deposit_requests (id)) STRICT;

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
, seal TEXT, approval TEXT, policy_values TEXT) STRICT;

CREATE UNIQUE INDEX withdrawals_reference ON withdrawals (key_id, client_reference);

CREATE INDEX withdrawals_status ON withdrawals (status, id);

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
, seal TEXT, code TEXT, batch_failures INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE UNIQUE INDEX sweeps_open ON sweeps (address_id, currency, open);

CREATE INDEX sweeps_due ON sweeps (network, next_try_at_ms) WHERE state = 'waiting';

CREATE INDEX sweeps_state ON sweeps (state, id);

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
, seal TEXT, mined_at_ms INTEGER, seen_at_ms INTEGER, credit_from INTEGER) STRICT;

CREATE UNIQUE INDEX transactions_movement ON transactions (network, tx_hash, position, live);

CREATE INDEX transactions_account ON transactions (account_id, id);

CREATE INDEX transactions_account_direction ON transactions (account_id, direction, id);

CREATE INDEX transactions_account_network ON transactions (account_id, network, id);

CREATE INDEX transactions_account_currency ON transactions (account_id, currency, id);

CREATE INDEX transactions_account_status ON transactions (account_id, status, id);

CREATE INDEX transactions_detected ON transactions (network, block_number) WHERE status = 'detected';

CREATE INDEX transactions_block ON transactions (network, block_number);

CREATE INDEX transactions_unswept ON transactions (network, account_id, address_id, currency)
  WHERE status = 'confirmed' AND direction = 'deposit' AND sweep_id IS NULL;

CREATE INDEX transactions_sweep ON transactions (sweep_id) WHERE sweep_id IS NOT NULL;

CREATE INDEX transactions_orphaned ON transactions (network, id)
  WHERE block_hash IS NULL AND live = 1 AND direction = 'deposit';

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
, arrived_raw TEXT, seal TEXT, calls_code INTEGER) STRICT;

CREATE UNIQUE INDEX signed_transfers_hash ON signed_transfers (network, tx_hash);

CREATE UNIQUE INDEX signed_transfers_nonce ON signed_transfers (network, sender, live_nonce);

CREATE INDEX signed_transfers_open ON signed_transfers (network, sender, nonce) WHERE state = 'open';

CREATE INDEX signed_transfers_sender ON signed_transfers (network, sender, nonce);

CREATE INDEX signed_transfers_block ON signed_transfers (network, block_number);

CREATE INDEX signed_transfers_withdrawal ON signed_transfers (withdrawal_id);

CREATE INDEX signed_transfers_sweep ON signed_transfers (sweep_id) WHERE sweep_id IS NOT NULL;

CREATE UNIQUE INDEX signed_transfers_top_up ON signed_transfers (network, to_address)
  WHERE purpose = 'gas_topup' AND state = 'open' AND live_nonce IS NOT NULL AND block_number = 0;

CREATE INDEX signed_transfers_gas ON signed_transfers (network, to_address) WHERE purpose = 'gas_topup';

CREATE TABLE balances (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  balance TEXT NOT NULL,
  held TEXT NOT NULL, seal TEXT,
  PRIMARY KEY (account_id, network, currency)
) STRICT;

CREATE TABLE freezes (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL, code TEXT NOT NULL DEFAULT 'tampered'
  CHECK (code IN ('books_differ', 'tampered')),
  PRIMARY KEY (account_id, network, currency)
) STRICT;

CREATE TABLE ledger_checks (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  entry_id INTEGER NOT NULL,
  balance TEXT NOT NULL,
  held TEXT NOT NULL, seal TEXT,
  PRIMARY KEY (account_id, network, currency)
) STRICT;

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
, seal TEXT, value TEXT, value_currency TEXT) STRICT;

CREATE INDEX ledger_entries_asset ON ledger_entries (account_id, network, currency, id);

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
, seal TEXT) STRICT;

CREATE INDEX events_account ON events (account_id, id);

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
, ip TEXT, hash TEXT) STRICT;

CREATE TABLE alerts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  message TEXT NOT NULL,
  -- 1 until it is resolved, then null: one open alert for a kind and subject.
  open INTEGER CHECK (open = 1),
  created_at_ms INTEGER NOT NULL,
  resolved_at_ms INTEGER
, advice TEXT, account_id INTEGER, noticed_at_ms INTEGER) STRICT;

CREATE UNIQUE INDEX alerts_open ON alerts (kind, subject, open);

CREATE TABLE used_signatures (
  signature TEXT PRIMARY KEY,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX used_signatures_expiry ON used_signatures (expires_at_ms);

CREATE TABLE webhook_endpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  url TEXT NOT NULL,
  -- The chosen types as JSON, null: all.
  event_types TEXT,
  -- The sealed secrets open under this name only.
  secret_name TEXT NOT NULL UNIQUE,
  secret_sealed TEXT NOT NULL,
  -- The one before it, for as long as both sign.
  old_secret_sealed TEXT,
  old_secret_until_ms INTEGER,
  -- Who sends to it now.
  lease_owner TEXT,
  lease_until_ms INTEGER NOT NULL,
  -- Attempts that failed since the last that did not.
  failures INTEGER NOT NULL,
  paused_until_ms INTEGER NOT NULL,
  disabled_at_ms INTEGER,
  disabled_reason TEXT,
  created_at_ms INTEGER NOT NULL
, seal TEXT, failing_since_ms INTEGER, failed_event_id INTEGER) STRICT;

CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id, id);

CREATE TABLE webhook_deliveries (
  event_id INTEGER NOT NULL REFERENCES events (id),
  endpoint_id INTEGER NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL,
  next_try_at_ms INTEGER NOT NULL,
  settled_at_ms INTEGER,
  PRIMARY KEY (event_id, endpoint_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_try_at_ms, event_id)
WHERE state = 'pending';

CREATE INDEX webhook_deliveries_state ON webhook_deliveries (state, event_id);

CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, event_id);

CREATE TABLE webhook_attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id INTEGER NOT NULL,
  endpoint_id INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  latency_ms INTEGER NOT NULL,
  -- Null where no answer came.
  status INTEGER,
  error TEXT,
  response TEXT
) STRICT;

CREATE INDEX webhook_attempts_delivery ON webhook_attempts (event_id, endpoint_id, id);

CREATE INDEX events_created ON events (created_at_ms);

CREATE TRIGGER events_fan_out AFTER INSERT ON events
BEGIN
  INSERT INTO webhook_deliveries (event_id, endpoint_id, state, attempts, next_try_at_ms)
  SELECT NEW.id, e.id, 'pending', 0, NEW.created_at_ms
  FROM webhook_endpoints AS e
  WHERE e.account_id = NEW.account_id
    AND (e.event_types IS NULL
      OR EXISTS (SELECT 1 FROM json_each(e.event_types) AS t WHERE t.value = NEW.type));
END;

CREATE INDEX audit_log_actor ON audit_log (actor, id);

CREATE INDEX audit_log_subject ON audit_log (subject, id);

CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE (ABORT, 'audit rows are never changed');
END;

CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE (ABORT, 'audit rows are never deleted');
END;

CREATE TABLE set_up_links (
  -- 'first' makes the first operator, 'user:7' is for that user. A new link takes the place of the last.
  slot TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL,
  ends_at_ms INTEGER NOT NULL
, seal TEXT) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX set_up_links_token ON set_up_links (token_hash);

CREATE TABLE throttles (
  name TEXT PRIMARY KEY,
  tries INTEGER NOT NULL,
  -- When the tries are forgotten.
  ends_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX throttles_end ON throttles (ends_at_ms);

CREATE TABLE volumes (
  -- 0: all accounts together.
  account_id INTEGER NOT NULL,
  span TEXT NOT NULL CHECK (span IN ('hour', 'day')),
  starts_at_ms INTEGER NOT NULL,
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  direction TEXT NOT NULL CHECK (direction IN ('deposit', 'withdrawal')),
  amount TEXT NOT NULL,
  movements INTEGER NOT NULL,
  PRIMARY KEY (account_id, span, starts_at_ms, network, currency, direction)
) STRICT, WITHOUT ROWID;

CREATE TABLE volume_cursor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  entry_id INTEGER NOT NULL
) STRICT;

CREATE INDEX transactions_direction ON transactions (direction, id);

CREATE INDEX transactions_status ON transactions (status, id);

CREATE INDEX transactions_network ON transactions (network, id);

CREATE INDEX transactions_currency ON transactions (currency, id);

CREATE INDEX transactions_below_minimum ON transactions (id) WHERE is_below_minimum = 1;

CREATE INDEX transactions_account_below_minimum ON transactions (account_id, id)
  WHERE is_below_minimum = 1;

CREATE INDEX withdrawals_account ON withdrawals (account_id, id);

CREATE INDEX addresses_user_identifier ON addresses (user_identifier, id)
  WHERE user_identifier IS NOT NULL;

CREATE INDEX alerts_waiting ON alerts (id) WHERE open = 1;

CREATE TABLE instances (
  instance TEXT PRIMARY KEY,
  -- Rises while it lives. Others watch whether it moves, so their clocks need not agree.
  beat INTEGER NOT NULL,
  -- The newest master key it has.
  master_key_id TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL,
  seen_at_ms INTEGER NOT NULL
, public_url TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
  job TEXT NOT NULL,
  -- Empty for a job that is of no network.
  network TEXT NOT NULL,
  instance TEXT,
  fence INTEGER NOT NULL,
  PRIMARY KEY (job, network)
) STRICT, WITHOUT ROWID;

CREATE TABLE rate_buckets (
  key_id TEXT PRIMARY KEY,
  tokens_micro INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE master_keys (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  key_id TEXT NOT NULL,
  old_key_id TEXT,
  new_by_old TEXT,
  old_by_new TEXT,
  changed_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX sweeps_account ON sweeps (account_id, id);

CREATE INDEX sweeps_account_state ON sweeps (account_id, state, id);

CREATE INDEX webhook_deliveries_endpoint_state ON webhook_deliveries (endpoint_id, state, event_id);

CREATE INDEX volumes_hours ON volumes (starts_at_ms) WHERE span = 'hour';

CREATE INDEX transactions_kind ON transactions (account_id, direction, status, network, currency, id);

CREATE TABLE network_endpoints (
  network TEXT NOT NULL,
  place INTEGER NOT NULL,
  -- Without the rest of the URL, which may hold a key.
  host TEXT NOT NULL,
  is_reachable INTEGER NOT NULL,
  height INTEGER,
  finalized_height INTEGER,
  -- Null while it was not asked.
  is_tracing INTEGER,
  last_error TEXT,
  failed_at_ms INTEGER,
  answered_at_ms INTEGER, is_pushing INTEGER, push_error TEXT,
  PRIMARY KEY (network, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_log_self ON audit_log (actor, id) WHERE subject = actor;

CREATE UNIQUE INDEX ledger_entries_transaction ON ledger_entries (transaction_id, kind)
WHERE transaction_id IS NOT NULL;

CREATE UNIQUE INDEX ledger_entries_withdrawal ON ledger_entries (withdrawal_id, kind)
WHERE withdrawal_id IS NOT NULL;

CREATE INDEX signed_transfers_failed ON signed_transfers (network, sender, to_address)
  WHERE is_successful = 0 AND purpose = 'withdrawal';

CREATE TABLE allowed_recipients (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL REFERENCES networks (code),
  address TEXT NOT NULL,
  allowed_at_ms INTEGER NOT NULL, seal TEXT,
  PRIMARY KEY (account_id, network, address)
) STRICT, WITHOUT ROWID;

CREATE INDEX transactions_sweepable ON transactions (network, account_id, address_id, currency)
  WHERE status = 'confirmed' AND direction = 'deposit' AND sweep_id IS NULL AND is_below_minimum = 0;

CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE OF
  id, account_id, network, currency, kind, amount, balance_after, held_after,
  transaction_id, withdrawal_id, note, created_at_ms ON ledger_entries
BEGIN
  SELECT RAISE (ABORT, 'ledger entries are never changed');
END;

CREATE TABLE stops (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  reason TEXT,
  stopped_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX audit_log_references ON audit_log (subject, json_extract(detail, '$.reference'))
WHERE action = 'account.adjusted' AND json_extract(detail, '$.reference') IS NOT NULL;

CREATE INDEX deposit_requests_owner ON deposit_requests (address_id, created_at_ms, id);

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

CREATE INDEX addresses_uncoded ON addresses (id)
WHERE halted_reason IS NOT NULL AND halted_code IS NULL;

CREATE INDEX ledger_entries_kind ON ledger_entries (account_id, network, currency, kind, id)
WHERE kind <> 'hold';

CREATE INDEX withdrawals_kind ON withdrawals (account_id, status, network, currency, id);

CREATE INDEX deposit_requests_asset ON deposit_requests (account_id, network, currency, id);

CREATE INDEX addresses_begin ON addresses (substr(lower(address), 1, 14), account_id);

CREATE INDEX addresses_end ON addresses (substr(lower(address), -6), account_id);

CREATE INDEX addresses_customer ON addresses (lower(user_identifier), id)
WHERE user_identifier IS NOT NULL;

CREATE INDEX addresses_account_customer ON addresses (account_id, lower(user_identifier), id)
WHERE user_identifier IS NOT NULL;

CREATE INDEX receiving_wallets_begin ON receiving_wallets (substr(lower(address), 1, 14), account_id);

CREATE INDEX receiving_wallets_end ON receiving_wallets (substr(lower(address), -6), account_id);

CREATE INDEX deposit_requests_key ON deposit_requests (lower(idempotency_key), id)
WHERE idempotency_key IS NOT NULL;

CREATE INDEX deposit_requests_account_key ON deposit_requests (account_id, lower(idempotency_key), id)
WHERE idempotency_key IS NOT NULL;

CREATE INDEX accounts_name ON accounts (lower(name));

CREATE INDEX api_keys_label ON api_keys (lower(label));

CREATE INDEX api_keys_search ON api_keys (lower(key_id));

CREATE INDEX webhook_endpoints_host
ON webhook_endpoints (replace(replace(lower(url), 'https://', ''), 'http://', ''));

CREATE INDEX addresses_newest_customers ON addresses (id) WHERE user_identifier IS NOT NULL;

CREATE INDEX addresses_account_newest_customers ON addresses (account_id, id)
WHERE user_identifier IS NOT NULL;

CREATE INDEX transactions_hash_end ON transactions (substr(tx_hash, -6), account_id)
WHERE direction = 'deposit';

CREATE INDEX transactions_payer_begin ON transactions (substr(lower(from_address), 1, 14), account_id)
WHERE direction = 'deposit';

CREATE INDEX transactions_payer_end ON transactions (substr(lower(from_address), -6), account_id)
WHERE direction = 'deposit';

CREATE INDEX signed_transfers_hash_end ON signed_transfers (substr(tx_hash, -6));

CREATE TABLE payout_batches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  created_by TEXT NOT NULL,
  size INTEGER NOT NULL,
  lines TEXT NOT NULL,
  refusals TEXT NOT NULL,
  started_at_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE INDEX payout_batches_account ON payout_batches (account_id, id);

CREATE TABLE request_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  code TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  reason TEXT NOT NULL,
  ip TEXT NOT NULL,
  request_id TEXT NOT NULL,
  query TEXT NOT NULL,
  message TEXT NOT NULL,
  skew_s INTEGER,
  -- What the signature should have covered; only where it was wrong.
  canonical TEXT,
  -- Its beginning; null where it isn't text.
  body TEXT,
  body_bytes INTEGER NOT NULL
) STRICT;

CREATE INDEX request_log_listed ON request_log (account_id, at_ms, id, key_id, code, path);

CREATE TABLE request_counts (
  account_id INTEGER NOT NULL,
  hour_ms INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  route TEXT NOT NULL,
  succeeded INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  PRIMARY KEY (account_id, hour_ms, key_id, route)
) STRICT, WITHOUT ROWID;

CREATE INDEX request_counts_hour ON request_counts (hour_ms);

CREATE TABLE request_log_days (
  account_id INTEGER NOT NULL,
  day_ms INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  unproven INTEGER NOT NULL,
  PRIMARY KEY (account_id, day_ms)
) STRICT, WITHOUT ROWID;

CREATE INDEX request_log_days_day ON request_log_days (day_ms);

CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (account_id, id) WHERE failures > 0;

CREATE TABLE policies (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  label TEXT NOT NULL,
  account_id INTEGER REFERENCES accounts (id),
  key_id TEXT REFERENCES api_keys (key_id),
  network TEXT,
  currency TEXT,
  each TEXT,
  condition TEXT NOT NULL,
  cap TEXT,
  outcome TEXT NOT NULL,
  approvals INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  set_by TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  -- 0 while earlier payments are still being counted for it.
  is_ready INTEGER NOT NULL,
  meter_id INTEGER,
  metered_from_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  seal TEXT
, quote TEXT, rates TEXT) STRICT;

CREATE TABLE policy_books (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL,
  rules_hash TEXT NOT NULL,
  seal TEXT
) STRICT;

CREATE TABLE policy_cursor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  entry_id INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE TABLE policy_meters (
  meter_id INTEGER NOT NULL,
  split TEXT NOT NULL,
  added TEXT NOT NULL,
  added_count INTEGER NOT NULL,
  removed TEXT NOT NULL,
  removed_count INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  last_mark_ms INTEGER NOT NULL,
  seal TEXT, released_to INTEGER,
  PRIMARY KEY (meter_id, split)
) STRICT, WITHOUT ROWID;

CREATE TABLE policy_marks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  meter_id INTEGER NOT NULL,
  split TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  added TEXT NOT NULL,
  added_count INTEGER NOT NULL,
  seal TEXT
, previous_at_ms INTEGER) STRICT;

CREATE INDEX policy_marks_time ON policy_marks (meter_id, split, at_ms, added_count);

CREATE TABLE policy_removals (
  meter_id INTEGER NOT NULL,
  split TEXT NOT NULL,
  span_ms INTEGER NOT NULL,
  starts_at_ms INTEGER NOT NULL,
  amount TEXT NOT NULL,
  payments INTEGER NOT NULL,
  seal TEXT,
  PRIMARY KEY (meter_id, split, span_ms, starts_at_ms)
) STRICT, WITHOUT ROWID;

CREATE INDEX ledger_entries_releases ON ledger_entries (id) WHERE kind = 'release';

CREATE INDEX audit_log_policies ON audit_log (subject, id) WHERE action = 'policies.changed';

CREATE TABLE payees (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  network TEXT NOT NULL,
  address TEXT NOT NULL,
  label TEXT NOT NULL,
  usable_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  removed_at_ms INTEGER,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX payees_recipient ON payees (account_id, network, address);

CREATE TABLE approval_requests (
  withdrawal_id INTEGER PRIMARY KEY REFERENCES withdrawals (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  needed INTEGER NOT NULL,
  given INTEGER NOT NULL,
  rules TEXT NOT NULL,
  decided_by TEXT NOT NULL,
  requested_by TEXT,
  requested_ip TEXT,
  counted_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  open INTEGER CHECK (open = 1),
  created_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE INDEX approval_requests_open ON approval_requests (expires_at_ms) WHERE open = 1;

CREATE TABLE approvals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  withdrawal_id INTEGER NOT NULL REFERENCES approval_requests (withdrawal_id),
  person TEXT NOT NULL,
  approved_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX approvals_person ON approvals (withdrawal_id, person);

CREATE INDEX approvals_time ON approvals (approved_at_ms);

CREATE TABLE "users" (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- In lower case.
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (
    role IN ('operator', 'approver', 'auditor', 'merchant', 'finance', 'developer', 'viewer')
  ),
  account_id INTEGER REFERENCES accounts (id),
  -- Null until it is chosen through a set-up link.
  password_hash TEXT,
  totp_sealed TEXT,
  -- The time step of the last code that was used: none opens twice.
  totp_step INTEGER NOT NULL,
  recovery_hashes TEXT NOT NULL,
  -- Sessions of an earlier generation are over.
  generation INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  disabled_at_ms INTEGER,
  -- 'account': its own users enable it again. Null: only operators do.
  disabled_by TEXT,
  seal TEXT, passkeys TEXT,
  CHECK ((role IN ('operator', 'approver', 'auditor')) = (account_id IS NULL))
) STRICT;

CREATE TABLE "sessions" (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token_hash TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES "users" (id),
  generation INTEGER NOT NULL,
  -- code: the password was right, the code is still to come.
  stage TEXT NOT NULL CHECK (stage IN ('code', 'open')),
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  -- When password or code were last given: what sensitive acts ask for.
  proven_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL,
  seal TEXT
, challenge_used_ms INTEGER) STRICT;

CREATE INDEX users_account ON users (account_id, id);

CREATE UNIQUE INDEX sessions_token ON sessions (token_hash);

CREATE INDEX sessions_user ON sessions (user_id, id);

CREATE INDEX sessions_end ON sessions (ends_at_ms);

CREATE TABLE settings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  requires_second_factor INTEGER NOT NULL,
  seal TEXT
, dual_control INTEGER) STRICT;

CREATE INDEX transactions_credited_address ON transactions (address_id, currency, id)
WHERE address_id IS NOT NULL AND confirmed_at_ms IS NOT NULL;

CREATE INDEX transactions_credited_request ON transactions (deposit_request_id, currency, id)
WHERE deposit_request_id IS NOT NULL AND confirmed_at_ms IS NOT NULL;

CREATE TABLE notices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- alerts, approvals, payouts or security.
  topic TEXT NOT NULL,
  -- Null: it concerns operators only.
  account_id INTEGER,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE notice_receivers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- email, telegram or webhook.
  kind TEXT NOT NULL,
  address TEXT NOT NULL,
  -- Null: an operator's, for everything.
  account_id INTEGER REFERENCES accounts (id),
  topics TEXT NOT NULL,
  -- Only webhooks have a secret.
  secret_name TEXT NOT NULL UNIQUE,
  secret_sealed TEXT,
  -- The last notice that was delivered, or that doesn't concern this receiver.
  read_to INTEGER NOT NULL,
  -- The last one of the message being sent; it stays the same until that message has arrived.
  sending_to INTEGER,
  failures INTEGER NOT NULL,
  failing_since_ms INTEGER,
  last_error TEXT,
  next_try_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
, decided_to INTEGER) STRICT;

CREATE INDEX withdrawals_recipient ON withdrawals (account_id, lower(to_address), id)
WHERE status NOT IN ('pending', 'broadcasted');

CREATE INDEX withdrawals_recipient_begin
ON withdrawals (substr(lower(to_address), 1, 14), account_id)
WHERE status NOT IN ('pending', 'broadcasted');

CREATE INDEX withdrawals_recipient_end ON withdrawals (substr(lower(to_address), -6), account_id)
WHERE status NOT IN ('pending', 'broadcasted');

CREATE INDEX withdrawals_text ON withdrawals (lower(client_reference), id)
WHERE client_reference IS NOT NULL AND status NOT IN ('pending', 'broadcasted');

CREATE INDEX withdrawals_account_text ON withdrawals (account_id, lower(client_reference), id)
WHERE client_reference IS NOT NULL AND status NOT IN ('pending', 'broadcasted');

CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  -- deposit, withdrawal or customer.
  about TEXT NOT NULL,
  -- Its id, or what the account calls its customer.
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  -- As in the audit log.
  author TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX notes_subject ON notes (account_id, about, name, id);

CREATE INDEX payout_batches_time ON payout_batches (account_id, created_at_ms);

CREATE TABLE proposals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- What is to be done, as one of the kinds in the code, with everything that it needs.
  kind TEXT NOT NULL,
  wanted TEXT NOT NULL,
  -- Null: it concerns the whole installation.
  account_id INTEGER REFERENCES accounts (id),
  before TEXT,
  after TEXT,
  -- Of a new password or set-up link, which takes effect with the approval.
  password_hash TEXT,
  link_hash TEXT,
  -- Of a new API key.
  key_id TEXT NOT NULL,
  secret_sealed TEXT,
  asked_by TEXT NOT NULL,
  asked_ip TEXT,
  -- waiting, approved, rejected or expired.
  state TEXT NOT NULL,
  decided_by TEXT,
  decided_at_ms INTEGER,
  reason TEXT,
  -- 1 while it waits, then null.
  open INTEGER CHECK (open = 1),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE INDEX proposals_open ON proposals (expires_at_ms) WHERE open = 1;

CREATE INDEX proposals_account ON proposals (account_id, id);

CREATE INDEX proposals_waiting ON proposals (account_id, expires_at_ms) WHERE open = 1;

CREATE INDEX approval_requests_account ON approval_requests (account_id, expires_at_ms)
WHERE open = 1;

CREATE TABLE rate_sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  base TEXT NOT NULL,
  quote TEXT NOT NULL,
  -- manual, chainlink or http.
  kind TEXT NOT NULL,
  value TEXT,
  network TEXT,
  feed TEXT,
  url TEXT,
  pointer TEXT,
  -- Null: a price that somebody set doesn't get old.
  max_age_ms INTEGER,
  created_at_ms INTEGER NOT NULL,
  seal TEXT
) STRICT;

CREATE TABLE rate_readings (
  source TEXT PRIMARY KEY,
  value TEXT,
  at_ms INTEGER,
  error TEXT,
  failing_since_ms INTEGER,
  seal TEXT
) STRICT;

CREATE TABLE invoices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id TEXT NOT NULL,
  idempotency_key TEXT,
  token TEXT NOT NULL,
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  tolerance_percent TEXT NOT NULL,
  methods TEXT NOT NULL,
  reference TEXT,
  description TEXT,
  customer TEXT,
  metadata TEXT NOT NULL,
  redirect_url TEXT,
  language TEXT,
  status TEXT NOT NULL
    CHECK (status IN ('open', 'processing', 'paid', 'underpaid', 'expired', 'cancelled')),
  expires_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  paid_at_ms INTEGER,
  cancelled_at_ms INTEGER,
  accepted_value TEXT,
  -- When it is looked at next; null: only once a payment comes or changes.
  judge_at_ms INTEGER,
  seal TEXT
, accepted_coins TEXT, sums TEXT) STRICT;

CREATE UNIQUE INDEX invoices_token ON invoices (token);

CREATE UNIQUE INDEX invoices_idempotency ON invoices (key_id, idempotency_key);

CREATE INDEX invoices_account ON invoices (account_id, id);

CREATE INDEX invoices_status ON invoices (account_id, status, id);

CREATE INDEX invoices_reference ON invoices (account_id, reference, id) WHERE reference IS NOT NULL;

CREATE INDEX invoices_customer ON invoices (account_id, customer, id) WHERE customer IS NOT NULL;

CREATE INDEX invoices_due ON invoices (judge_at_ms, id) WHERE judge_at_ms IS NOT NULL;

CREATE TABLE invoice_addresses (
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  network TEXT NOT NULL,
  -- Without references: both may be replaced by rows of the same transaction, which come later.
  address_id INTEGER NOT NULL,
  address TEXT NOT NULL,
  deposit_request_id INTEGER NOT NULL,
  allocated_at_ms INTEGER NOT NULL,
  seal TEXT,
  PRIMARY KEY (invoice_id, network)
) STRICT;

CREATE UNIQUE INDEX invoice_addresses_request ON invoice_addresses (deposit_request_id);

CREATE TABLE invoice_payments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  transaction_id INTEGER NOT NULL REFERENCES transactions (id),
  -- The price of one coin when the payment was seen; null: there was none, or nobody has looked yet.
  later_rate TEXT,
  rated_at_ms INTEGER,
  seal TEXT
, is_worthless INTEGER, test_changes INTEGER) STRICT;

CREATE UNIQUE INDEX invoice_payments_transaction ON invoice_payments (transaction_id);

CREATE INDEX invoice_payments_invoice ON invoice_payments (invoice_id, id);

CREATE TRIGGER invoices_paid AFTER INSERT ON invoice_payments
BEGIN
  UPDATE invoices SET judge_at_ms = 0 WHERE id = NEW.invoice_id;
END;

CREATE TRIGGER invoices_payment_moved AFTER UPDATE OF status ON transactions
WHEN NEW.status IS NOT OLD.status
BEGIN
  UPDATE invoices SET judge_at_ms = 0
  WHERE id = (SELECT invoice_id FROM invoice_payments WHERE transaction_id = NEW.id);
END;

CREATE TABLE refunds (
  withdrawal_id INTEGER PRIMARY KEY,
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  seal TEXT
, counted TEXT, returned TEXT) STRICT;

CREATE INDEX refunds_invoice ON refunds (invoice_id, withdrawal_id);

CREATE TABLE refund_totals (
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  asked TEXT NOT NULL,
  seal TEXT,
  PRIMARY KEY (invoice_id, network, currency)
) STRICT;

CREATE TABLE refund_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  network TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  -- Null until it is used.
  withdrawal_id INTEGER,
  seal TEXT
, made_by TEXT) STRICT;

CREATE UNIQUE INDEX refund_links_token ON refund_links (token_hash);

CREATE TABLE payment_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id TEXT NOT NULL REFERENCES api_keys (key_id),
  idempotency_key TEXT,
  slug TEXT NOT NULL,
  title TEXT NOT NULL,
  -- Null: the payer chooses.
  amount TEXT,
  min TEXT,
  max TEXT,
  currency TEXT NOT NULL,
  redirect_url TEXT,
  created_at_ms INTEGER NOT NULL,
  deactivated_at_ms INTEGER,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX payment_links_slug ON payment_links (slug);

CREATE UNIQUE INDEX payment_links_idempotency ON payment_links (key_id, idempotency_key);

CREATE INDEX payment_links_account ON payment_links (account_id, id);

CREATE INDEX invoices_text ON invoices (lower(reference), id) WHERE reference IS NOT NULL;

CREATE INDEX invoices_account_text ON invoices (account_id, lower(reference), id)
WHERE reference IS NOT NULL;

CREATE INDEX events_invoice ON events (account_id, payload ->> '$.data.invoice_id', id)
WHERE type >= 'invoice.' AND type < 'invoice/';

CREATE INDEX accounts_reporting ON accounts (id) WHERE reporting IS NOT NULL;

CREATE TABLE checkouts (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  -- Each null: the default.
  expires_in_s INTEGER,
  tolerance_percent TEXT,
  digits INTEGER,
  name TEXT,
  colour TEXT,
  -- Of the logo that is shown.
  logo_hash TEXT,
  seal TEXT
) STRICT;

CREATE TABLE checkout_logos (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  media_type TEXT NOT NULL,
  -- In base64.
  body TEXT NOT NULL,
  seal TEXT
) STRICT;

CREATE INDEX audit_log_dual_control ON audit_log (subject, id)
WHERE action NOT GLOB 'withdrawal.*' AND action IN (
  'dual_control.switched',
  'proposal.made',
  'proposal.approved',
  'proposal.rejected',
  'proposal.expired'
);

CREATE INDEX audit_log_action ON audit_log (action, id)
WHERE action <> 'withdrawal.requested'
  AND action <> 'withdrawal.signed'
  AND action <> 'withdrawal.sent'
  AND action <> 'withdrawal.confirmed';

CREATE INDEX audit_log_last_words ON audit_log (subject, id)
WHERE action NOT GLOB 'withdrawal.*' AND action IN (
  'account.receiving_wallet_set',
  'key.changed',
  'key.revoked',
  'user.disabled',
  'user.enabled',
  'user.password_changed',
  'user.password_set',
  'user.recovery_code_used',
  'user.recovery_codes_renewed',
  'user.reset',
  'user.role_changed',
  'user.second_factor_off',
  'user.second_factor_on'
);

CREATE INDEX payees_listed ON payees (account_id, id) WHERE removed_at_ms IS NULL;

CREATE INDEX audit_log_single_words ON audit_log (subject, id)
WHERE action NOT GLOB 'withdrawal.*'
  AND action IN ('account.currency_enabled', 'invoice.refunded');

CREATE INDEX invoices_customer_text ON invoices (lower(customer), id) WHERE customer IS NOT NULL;

CREATE INDEX invoices_account_customer_text ON invoices (account_id, lower(customer), id)
WHERE customer IS NOT NULL;

CREATE INDEX sweeps_due_of_account ON sweeps (network, account_id, next_try_at_ms)
WHERE state = 'waiting';

CREATE INDEX audit_log_suspensions ON audit_log (subject, id)
WHERE action NOT GLOB 'withdrawal.*' AND action IN ('account.suspended', 'account.unsuspended');

CREATE INDEX transactions_address ON transactions (address_id, currency, id)
WHERE address_id IS NOT NULL;

CREATE INDEX transactions_address_newest ON transactions (address_id, id)
WHERE address_id IS NOT NULL;

CREATE INDEX transactions_request ON transactions (deposit_request_id, currency, id)
WHERE deposit_request_id IS NOT NULL;

CREATE TRIGGER invoices_refunded AFTER INSERT ON refunds WHEN NEW.counted IS NULL
BEGIN
  UPDATE invoices SET judge_at_ms = 0 WHERE id = NEW.invoice_id;
END;

CREATE UNIQUE INDEX users_email ON users (email, account_id);

CREATE UNIQUE INDEX users_email_of_gateway ON users (email) WHERE account_id IS NULL;

CREATE INDEX transactions_received ON transactions (network, address_id)
WHERE direction = 'deposit';

CREATE TABLE storage_uses (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  day_ms INTEGER NOT NULL,
  bytes INTEGER NOT NULL
, payout_bytes INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE payment_link_starts (
  link_id INTEGER PRIMARY KEY REFERENCES payment_links (id),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  since_ms INTEGER NOT NULL,
  unpaid INTEGER NOT NULL
) STRICT;

CREATE TABLE request_log_hours (
  hour_ms INTEGER PRIMARY KEY,
  kept INTEGER NOT NULL,
  unproven INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX deposit_requests_shared ON deposit_requests (shared_with_id, currency)
WHERE shared_with_id IS NOT NULL;

CREATE TRIGGER invoices_payment_adrift AFTER UPDATE OF block_hash ON transactions
WHEN NEW.status = 'detected' AND (NEW.block_hash IS NULL) <> (OLD.block_hash IS NULL)
BEGIN
  UPDATE invoices SET judge_at_ms = 0
  WHERE id = (SELECT invoice_id FROM invoice_payments WHERE transaction_id = NEW.id);
END;

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

CREATE TRIGGER coin_moves_emptied AFTER UPDATE OF status ON transactions
WHEN (NEW.status = 'swept') <> (OLD.status = 'swept') AND NEW.direction = 'deposit'
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  SELECT NEW.account_id, NEW.network, NEW.currency, 'emptied', iif(NEW.status = 'swept', 1, -1),
    NEW.amount, NEW.created_at_ms
  FROM networks
  WHERE code = NEW.network AND native_symbol = NEW.currency;
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

CREATE INDEX invoices_unsettled ON invoices (status, id)
WHERE status IN ('open', 'processing', 'underpaid');

CREATE TRIGGER networks_test_changed AFTER UPDATE OF test_changes ON networks
WHEN NEW.test_changes IS NOT OLD.test_changes
BEGIN
  UPDATE invoices SET judge_at_ms = 1
  WHERE judge_at_ms IS NOT 0 AND id IN (
    SELECT i.id
    FROM invoices AS i
    WHERE i.status IN ('open', 'processing', 'underpaid') AND EXISTS (
      SELECT 1
      FROM invoice_payments AS p
      CROSS JOIN transactions AS t ON t.id = p.transaction_id
      WHERE p.invoice_id = i.id AND t.network = NEW.code
    )
  );
END;

CREATE INDEX refunds_moving ON refunds (invoice_id, withdrawal_id)
WHERE returned IS NULL AND counted IS NOT '0';

CREATE TRIGGER invoices_refund_ended AFTER UPDATE OF status ON withdrawals
WHEN NEW.status IS NOT OLD.status AND NEW.status IN ('confirmed', 'failed', 'cancelled')
BEGIN
  UPDATE invoices SET judge_at_ms = 0
  WHERE id = (SELECT invoice_id FROM refunds WHERE withdrawal_id = NEW.id);
END;

CREATE TABLE role_keys (
  key_id TEXT PRIMARY KEY,
  role TEXT NOT NULL,
  -- The only account that exists for it. Null: every account does.
  account_id INTEGER REFERENCES accounts (id),
  label TEXT NOT NULL,
  secret_sealed TEXT NOT NULL,
  ip_list TEXT NOT NULL,
  rate_limit INTEGER NOT NULL CHECK (rate_limit >= 1),
  -- Whoever made it asks for what it asks for.
  made_by TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER,
  seal TEXT
) STRICT;

CREATE INDEX role_keys_account ON role_keys (account_id);

CREATE TABLE repeated_requests (
  key_id TEXT NOT NULL,
  path TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  -- Null while it is in progress, and for good if the program died meanwhile.
  status INTEGER,
  -- Sealed, because an answer may show a secret.
  answer_sealed TEXT,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (key_id, path, idempotency_key)
) STRICT;

CREATE INDEX repeated_requests_age ON repeated_requests (created_at_ms);

CREATE TABLE "api_key_uses" (
  key_id TEXT PRIMARY KEY,
  used_at_ms INTEGER NOT NULL,
  ip TEXT NOT NULL
) STRICT, WITHOUT ROWID;

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
, unsettled TEXT CHECK (unsettled IN ('tampered', 'other_wallet'))) STRICT;

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

CREATE INDEX signed_transactions_costs ON signed_transactions (network, created_at_ms)
  WHERE state = 'settled';

CREATE TABLE cost_hours (
  network TEXT NOT NULL,
  starts_at_ms INTEGER NOT NULL,
  -- Empty: for no sweep of one currency.
  currency TEXT NOT NULL,
  way TEXT NOT NULL CHECK (way IN ('single', 'batch', 'lent')),
  sweeps INTEGER NOT NULL,
  -- Of them, the first ones of their addresses.
  first_sweeps INTEGER NOT NULL,
  deposits INTEGER NOT NULL,
  fee_raw TEXT NOT NULL, gas INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (network, starts_at_ms, currency, way)
) STRICT, WITHOUT ROWID;

CREATE TABLE cost_marks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  network TEXT NOT NULL,
  starts_at_ms INTEGER NOT NULL
) STRICT;

CREATE TRIGGER cost_marks_settled AFTER UPDATE OF state, is_foreign ON signed_transactions
WHEN (NEW.state = 'settled') <> (OLD.state = 'settled')
  OR (NEW.state = 'settled' AND NEW.is_foreign <> OLD.is_foreign)
BEGIN
  INSERT INTO cost_marks (network, starts_at_ms)
  VALUES (NEW.network, NEW.created_at_ms - NEW.created_at_ms % 3600000);
END;

CREATE TRIGGER cost_marks_removed AFTER DELETE ON signed_transactions WHEN OLD.state = 'settled'
BEGIN
  INSERT INTO cost_marks (network, starts_at_ms)
  VALUES (OLD.network, OLD.created_at_ms - OLD.created_at_ms % 3600000);
END;

CREATE INDEX coin_sums_network ON coin_sums (network, currency);

CREATE TABLE node_calls (
  network TEXT NOT NULL,
  day_ms INTEGER NOT NULL,
  host TEXT NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (network, day_ms, host)
) STRICT, WITHOUT ROWID;

CREATE INDEX signed_payments_unsettled ON signed_payments (network, id)
WHERE unsettled IS NOT NULL;

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

CREATE TRIGGER coin_moves_arrived AFTER UPDATE OF status ON transactions
WHEN (NEW.status = 'swept') <> (OLD.status = 'swept') AND NEW.direction = 'deposit' AND EXISTS (
  SELECT 1 FROM addresses WHERE id = NEW.address_id AND key_branch > 2
)
BEGIN
  INSERT INTO coin_moves (account_id, network, currency, kind, sign, amount, at_ms)
  VALUES (NEW.account_id, NEW.network, NEW.currency, 'swept', iif(NEW.status = 'swept', 1, -1),
    NEW.amount, NEW.created_at_ms);
END;

CREATE INDEX addresses_idle ON addresses (
  account_id, network, iif(key_branch > 2, 8 * key_account + key_branch, 0), reusable_at_ms
) WHERE reusable_at_ms IS NOT NULL;

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

INSERT INTO write_clock (id, epoch, config_version, deposit_index_from, audit_id, audit_hash, audit_seal, balances_sum) VALUES (1, 0, 0, 0, NULL, NULL, NULL, NULL);

INSERT INTO sqlite_sequence (name, seq) VALUES ('alerts', 0);

INSERT INTO sqlite_sequence (name, seq) VALUES ('coin_moves', 0);

INSERT INTO sqlite_sequence (name, seq) VALUES ('cost_marks', 0);

INSERT INTO sqlite_sequence (name, seq) VALUES ('notices', 0);

INSERT INTO sqlite_sequence (name, seq) VALUES ('signed_payments', 0);

INSERT INTO sqlite_sequence (name, seq) VALUES ('signed_transactions', 0);
