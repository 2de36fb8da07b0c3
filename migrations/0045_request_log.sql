-- Rejected requests are kept for a week, failing webhooks show since when, and actions can be found.

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

-- Everything that a page filters by, so that it reads only the rows that it shows.
CREATE INDEX request_log_listed ON request_log (account_id, at_ms, id, key_id, code, path);

-- Account 0 stands for requests of nobody's.
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

-- How many rows of the log an account has from a day; account 0: all of them together.
CREATE TABLE request_log_days (
  account_id INTEGER NOT NULL,
  day_ms INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  unproven INTEGER NOT NULL,
  PRIMARY KEY (account_id, day_ms)
) STRICT, WITHOUT ROWID;

CREATE INDEX request_log_days_day ON request_log_days (day_ms);

-- Null while it works, and where it failed before this was noted.
ALTER TABLE webhook_endpoints ADD COLUMN failing_since_ms INTEGER;
ALTER TABLE webhook_endpoints ADD COLUMN failed_event_id INTEGER;
CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (account_id, id) WHERE failures > 0;

-- What is written with each payment is in no index: there is enough of it to be found without.
CREATE INDEX audit_log_action ON audit_log (action, id)
WHERE action NOT GLOB 'withdrawal.*' AND action NOT GLOB 'deposit.*';
