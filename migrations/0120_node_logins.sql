-- URLs of nodes with their names and passwords, encrypted with the master key. The URLs beside them
-- have *** instead. What was there before is moved when the key is known, at the next start.
ALTER TABLE networks ADD COLUMN rpc_urls_sealed TEXT;
ALTER TABLE networks ADD COLUMN ws_urls_sealed TEXT;
