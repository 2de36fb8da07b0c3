-- Passkeys are second factors beside codes, kept under the seal of their user's row.

-- Null: none. As many as one person has devices.
ALTER TABLE users ADD COLUMN passkeys TEXT;
-- When the last challenge that was answered in this session was made: each counts once.
ALTER TABLE sessions ADD COLUMN challenge_used_ms INTEGER;
