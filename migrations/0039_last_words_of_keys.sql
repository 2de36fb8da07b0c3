-- A key's permissions can be changed since now, and an old row with more of them may be put back.

DROP INDEX audit_log_last_words;

CREATE INDEX audit_log_last_words ON audit_log (subject, id)
WHERE action IN (
  'account.receiving_wallet_set',
  'key.changed',
  'key.revoked',
  'user.disabled',
  'user.enabled',
  'user.password_changed',
  'user.password_set',
  'user.reset',
  'user.second_factor_off',
  'user.second_factor_on'
);
