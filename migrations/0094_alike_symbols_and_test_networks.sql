-- Symbols are compared without case from here on, and coins of test networks don't count as real money.

-- Null: its chain id says what it is.
ALTER TABLE networks ADD COLUMN is_test INTEGER;

-- 1: the coins of a test network, which pay nothing where real ones do.
ALTER TABLE invoice_payments ADD COLUMN is_worthless INTEGER;

-- Rules that were kept for one of several spellings cover more than before.

INSERT INTO alerts (kind, subject, message, open, created_at_ms)
SELECT 'rule_spelling', 'policy:' || p.id,
  'Rule ' || p.id || ' (' || p.label || ') was kept for ' || p.currency || ' and did not cover ' ||
  (
    SELECT group_concat(symbol, ', ')
    FROM (SELECT DISTINCT symbol FROM currencies)
    WHERE upper(symbol) = upper(p.currency) AND symbol <> p.currency
  ) || '. From now on it covers every spelling: check that its limit is right for all of them, ' ||
  'and whether payouts were made that it should have stopped.',
  1, CAST(strftime('%s', 'now') AS INTEGER) * 1000
FROM policies AS p
WHERE p.network IS NULL AND EXISTS (
  SELECT 1
  FROM currencies AS c
  WHERE upper(c.symbol) = upper(p.currency) AND c.symbol <> p.currency
);

INSERT INTO notices (topic, title, text, created_at_ms)
SELECT 'alerts', 'Alert: rule spelling (' || subject || ')', message, created_at_ms
FROM alerts
WHERE kind = 'rule_spelling';
