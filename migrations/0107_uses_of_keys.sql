-- Keys with a role are in a table of their own, and their use is noted like that of other keys.

CREATE TABLE api_key_uses_next (
  key_id TEXT PRIMARY KEY,
  used_at_ms INTEGER NOT NULL,
  ip TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO api_key_uses_next (key_id, used_at_ms, ip)
SELECT key_id, used_at_ms, ip
FROM api_key_uses;

DROP TABLE api_key_uses;
ALTER TABLE api_key_uses_next RENAME TO api_key_uses;
