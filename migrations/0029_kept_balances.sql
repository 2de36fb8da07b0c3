-- What all balances come to, kept under the seal of the log's head: an old row that is put back is missed.

ALTER TABLE write_clock ADD COLUMN balances_sum TEXT;
