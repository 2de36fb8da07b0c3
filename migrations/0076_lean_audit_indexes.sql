-- Most rows are of payments, and comparing each with all these names took half of its insert.

DROP INDEX audit_log_dual_control;

CREATE INDEX audit_log_dual_control ON audit_log (subject, id)
WHERE action NOT GLOB 'withdrawal.*' AND action IN (
  'dual_control.switched',
  'proposal.made',
  'proposal.approved',
  'proposal.rejected',
  'proposal.expired'
);

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
  'user.reset',
  'user.role_changed',
  'user.second_factor_off',
  'user.second_factor_on'
);
