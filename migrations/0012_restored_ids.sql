-- Where new deposit addresses begin after a restore: those given away since the backup stay their owners'.
ALTER TABLE write_clock ADD COLUMN deposit_index_from INTEGER NOT NULL DEFAULT 0;
