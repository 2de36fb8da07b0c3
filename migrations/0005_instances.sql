-- Several programs on one database: who lives, who does which job, what is left of each key's rate, and
-- which master key seals the secrets.

CREATE TABLE instances (
  instance TEXT PRIMARY KEY,
  -- Rises while it lives. Others watch whether it moves, so their clocks need not agree.
  beat INTEGER NOT NULL,
  -- The newest master key it has.
  master_key_id TEXT NOT NULL,
  started_at_ms INTEGER NOT NULL,
  seen_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who does a job that only one may do. The fence rises with each holder, and is checked in every unit of
-- the job, so that a holder which was stopped for a while can write nothing when it wakes up.
CREATE TABLE leases (
  job TEXT NOT NULL,
  -- Empty for a job that is of no network.
  network TEXT NOT NULL,
  instance TEXT,
  fence INTEGER NOT NULL,
  PRIMARY KEY (job, network)
) STRICT, WITHOUT ROWID;

-- What is left of a key's rate limit, in millionths of a request. Instances take from it in portions.
CREATE TABLE rate_buckets (
  key_id TEXT PRIMARY KEY,
  tokens_micro INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row: the master key that secrets are sealed with. While it is being changed, each of the two keys
-- opens the other one here, so that every program gets on with either.
CREATE TABLE master_keys (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  key_id TEXT NOT NULL,
  old_key_id TEXT,
  new_by_old TEXT,
  old_by_new TEXT,
  changed_at_ms INTEGER NOT NULL
) STRICT;
