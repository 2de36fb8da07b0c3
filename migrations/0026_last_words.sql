-- An old row with a valid seal may be put back: what the log says last of it is looked up where it counts.

CREATE INDEX audit_log_last_words ON audit_log (subject, id)
WHERE action IN (
  'account.receiving_wallet_set',
  'key.revoked',
  'user.disabled',
  'user.enabled',
  'user.password_changed',
  'user.password_set',
  'user.reset',
  'user.second_factor_off',
  'user.second_factor_on'
);
