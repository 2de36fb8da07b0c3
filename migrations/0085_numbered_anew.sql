-- An earlier restore didn't number these anew, so every refund link made since it seemed too old.
INSERT INTO sqlite_sequence (name, seq)
SELECT t.value, 0
FROM write_clock, json_each('["invoices", "payment_links", "refund_links"]') AS t
WHERE deposit_index_from > 0 AND t.value NOT IN (SELECT name FROM sqlite_sequence);

UPDATE sqlite_sequence
SET seq = max(seq, (SELECT deposit_index_from - 1 FROM write_clock))
WHERE name IN ('invoices', 'payment_links', 'refund_links')
  AND (SELECT deposit_index_from FROM write_clock) > 0;
