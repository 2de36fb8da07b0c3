-- Where merchants want to be told of events, and what became of telling them.

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
) STRICT;

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

-- In the transaction that writes the event, whoever writes it: none is without its deliveries.
CREATE TRIGGER events_fan_out AFTER INSERT ON events
BEGIN
  INSERT INTO webhook_deliveries (event_id, endpoint_id, state, attempts, next_try_at_ms)
  SELECT NEW.id, e.id, 'pending', 0, NEW.created_at_ms
  FROM webhook_endpoints AS e
  WHERE e.account_id = NEW.account_id
    AND (e.event_types IS NULL
      OR EXISTS (SELECT 1 FROM json_each(e.event_types) AS t WHERE t.value = NEW.type));
END;
