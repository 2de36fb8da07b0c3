export const PERMISSIONS = [
  "request_deposit_address",
  "request_withdrawal_funding_address",
  "withdraw",
  "read_balance",
  "read_deposit_status",
  "read_withdrawal_status",
  "list_transactions",
  "list_currencies",
  "manage_webhooks",
  "manage_invoices",
  "read_invoices",
] as const;

export type Permission = typeof PERMISSIONS[number];

export function isPermission(text: string): text is Permission {
  return PERMISSIONS.some((one) => one === text);
}
