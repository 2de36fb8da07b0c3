import type { Permission } from "./permissions.ts";

interface KeyPreset {
  readonly name: string;
  /** What a key like that is for. */
  readonly words: string;
  readonly permissions: readonly Permission[];
}

const READS = ["read_balance", "list_currencies", "list_transactions"] as const;

/** Each can make a first call that changes nothing. */
export const KEY_PRESETS: readonly KeyPreset[] = [
  {
    name: "shop",
    words: "Shop: addresses, invoices and payments",
    permissions: [
      "request_deposit_address",
      "read_deposit_status",
      "manage_invoices",
      "read_invoices",
      ...READS,
    ],
  },
  {
    name: "payouts",
    words: "Payouts: sends withdrawals and follows them",
    permissions: [
      "withdraw",
      "read_withdrawal_status",
      "request_withdrawal_funding_address",
      ...READS,
    ],
  },
  {
    name: "read_only",
    words: "Read-only: sees everything, changes nothing",
    permissions: ["read_deposit_status", "read_withdrawal_status", "read_invoices", ...READS],
  },
];
