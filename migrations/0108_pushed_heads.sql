-- Nodes may push new heads over sockets: their URLs, as a JSON list beside those of the nodes, and
-- what was last seen of each socket.

ALTER TABLE networks ADD COLUMN ws_urls TEXT;

-- Null: the endpoint has no socket.
ALTER TABLE network_endpoints ADD COLUMN is_pushing INTEGER;
ALTER TABLE network_endpoints ADD COLUMN push_error TEXT;
