-- What was last seen of each endpoint of a network, in the operator's order. For people to read; and
-- after a restart it tells which one has traced.
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
  answered_at_ms INTEGER,
  PRIMARY KEY (network, place)
) STRICT, WITHOUT ROWID;
