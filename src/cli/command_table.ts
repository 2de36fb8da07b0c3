import type { Command } from "./command.ts";
import { ACCOUNT_COMMANDS } from "./commands/account.ts";
import { ALERT_COMMANDS } from "./commands/alert.ts";
import { APPROVAL_COMMANDS } from "./commands/control/approval.ts";
import { AUDIT_COMMANDS } from "./commands/audit.ts";
import { BACKUP_COMMANDS } from "./commands/backup.ts";
import { CURRENCY_COMMANDS } from "./commands/networks/currency.ts";
import { DELIVERY_COMMANDS } from "./commands/webhooks/delivery.ts";
import { DEPOSIT_COMMANDS } from "./commands/deposit.ts";
import { INTEGRITY_COMMANDS } from "./commands/integrity.ts";
import { CHECKOUT_COMMANDS } from "./commands/checkout/checkout.ts";
import { INVOICE_COMMANDS } from "./commands/checkout/invoice.ts";
import { KEY_COMMANDS } from "./commands/key.ts";
import { MASTER_KEY_COMMANDS } from "./commands/master_key.ts";
import { NETWORK_COMMANDS } from "./commands/networks/network.ts";
import { NOTIFY_COMMANDS } from "./commands/notify.ts";
import { PAYEE_COMMANDS } from "./commands/control/payee.ts";
import { PAYMENT_LINK_COMMANDS } from "./commands/checkout/payment_link.ts";
import { POLICY_COMMANDS } from "./commands/control/policy.ts";
import { RATE_COMMANDS } from "./commands/control/rate.ts";
import { PROPOSAL_COMMANDS } from "./commands/control/proposal.ts";
import { RECIPIENT_COMMANDS } from "./commands/recipient.ts";
import { RECONCILE_COMMANDS } from "./commands/reconcile.ts";
import { SEED_COMMANDS } from "./commands/seed.ts";
import {
  HELP_COMMAND,
  MIGRATE_COMMAND,
  RESCAN_COMMAND,
  SERVE_COMMAND,
  VERSION_COMMAND,
} from "./commands/server.ts";
import { ROLE_COMMANDS } from "./commands/control/role.ts";
import { SETTING_COMMANDS } from "./commands/control/setting.ts";
import { SIGN_COMMAND } from "./sign/sign.ts";
import { STOP_COMMANDS } from "./commands/stop.ts";
import { SWEEP_COMMANDS } from "./commands/sweep.ts";
import { USER_COMMANDS } from "./commands/user.ts";
import { WALLET_COMMANDS } from "./commands/wallet.ts";
import { WEBHOOK_COMMANDS } from "./commands/webhooks/webhook.ts";
import { WITHDRAWAL_COMMANDS } from "./commands/withdrawal.ts";
import { DOCTOR_COMMAND } from "./health/doctor.ts";
import { STATUS_COMMAND } from "./health/status.ts";
import { BALANCE_COMMANDS } from "./lists/balances.ts";
import { TRANSACTION_COMMANDS } from "./lists/transactions.ts";
import { COMPLETIONS_COMMAND } from "./completions/completions.ts";
import { DEMO_COMMAND } from "./demo/demo.ts";

/** Every command, in the order in which help lists it. */
export const COMMANDS: readonly Command[] = [
  SERVE_COMMAND,
  DEMO_COMMAND,
  MIGRATE_COMMAND,
  STATUS_COMMAND,
  DOCTOR_COMMAND,
  ...NETWORK_COMMANDS,
  ...CURRENCY_COMMANDS,
  ...RATE_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...KEY_COMMANDS,
  SIGN_COMMAND,
  ...WEBHOOK_COMMANDS,
  ...DELIVERY_COMMANDS,
  ...BALANCE_COMMANDS,
  ...TRANSACTION_COMMANDS,
  ...INVOICE_COMMANDS,
  ...CHECKOUT_COMMANDS,
  ...PAYMENT_LINK_COMMANDS,
  ...WITHDRAWAL_COMMANDS,
  ...APPROVAL_COMMANDS,
  ...RECIPIENT_COMMANDS,
  ...POLICY_COMMANDS,
  ...PAYEE_COMMANDS,
  ...PROPOSAL_COMMANDS,
  ...SWEEP_COMMANDS,
  ...WALLET_COMMANDS,
  ...STOP_COMMANDS,
  ...ALERT_COMMANDS,
  ...NOTIFY_COMMANDS,
  ...USER_COMMANDS,
  ...ROLE_COMMANDS,
  ...SETTING_COMMANDS,
  ...AUDIT_COMMANDS,
  ...INTEGRITY_COMMANDS,
  RESCAN_COMMAND,
  ...RECONCILE_COMMANDS,
  ...BACKUP_COMMANDS,
  ...DEPOSIT_COMMANDS,
  ...SEED_COMMANDS,
  ...MASTER_KEY_COMMANDS,
  COMPLETIONS_COMMAND,
  VERSION_COMMAND,
  HELP_COMMAND,
];
