-- When the newest block that the nodes know was made: one that is old means that the chain, or what
-- its nodes see of it, stands still. Unknown until a network is followed again.

ALTER TABLE network_cursors ADD COLUMN tip_at_ms INTEGER;
