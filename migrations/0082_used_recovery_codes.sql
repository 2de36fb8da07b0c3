-- Which recovery codes are left, so that one that was used stays used.

DROP INDEX audit_log_last_words;

CREATE INDEX audit_log_last_words ON audit_log (subject, id)
WHERE action NOT GLOB 'withdrawal.*' AND action IN (
  'account.receiving_wallet_set',
  'key.changed',
  'key.revoked',
  'user.disabled',
  'user.enabled',
  'user.password_changed',
  'user.password_set',
  'user.recovery_code_used',
  'user.recovery_codes_renewed',
  'user.reset',
  'user.role_changed',
  'user.second_factor_off',
  'user.second_factor_on'
);
