-- What of a token's transfer reached its recipient, as the logs of its transaction tell. Null where
-- nothing tells: coins, what no block has, and chains whose verdict on a transaction covers it.
ALTER TABLE signed_transfers ADD COLUMN arrived_raw TEXT;
