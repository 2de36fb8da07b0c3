import type { Command } from "./command.ts";

/** The first words of its commands, and how they are loaded. */
type Group = readonly [names: readonly string[], load: () => Promise<readonly Command[]>];

/**
 * In the order in which help lists them. Each is loaded when it is used: all of them would take a
 * quarter of the time in which any of them starts.
 */
const GROUPS: readonly Group[] = [
  [["serve"], async () => [(await import("./commands/server.ts")).SERVE_COMMAND]],
  [["demo"], async () => [(await import("./demo/demo.ts")).DEMO_COMMAND]],
  [["migrate"], async () => [(await import("./commands/server.ts")).MIGRATE_COMMAND]],
  [["status"], async () => [(await import("./health/status.ts")).STATUS_COMMAND]],
  [["doctor"], async () => [(await import("./health/doctor.ts")).DOCTOR_COMMAND]],
  [["network"], async () => (await import("./commands/networks/network.ts")).NETWORK_COMMANDS],
  [["currency"], async () => (await import("./commands/networks/currency.ts")).CURRENCY_COMMANDS],
  [["rate"], async () => (await import("./commands/control/rate.ts")).RATE_COMMANDS],
  [["account"], async () => (await import("./commands/account.ts")).ACCOUNT_COMMANDS],
  [["key"], async () => (await import("./commands/key.ts")).KEY_COMMANDS],
  [["sign"], async () => [(await import("./sign/sign.ts")).SIGN_COMMAND]],
  [["webhook"], async () => (await import("./commands/webhooks/webhook.ts")).WEBHOOK_COMMANDS],
  [["webhook"], async () => (await import("./commands/webhooks/delivery.ts")).DELIVERY_COMMANDS],
  [["balance"], async () => (await import("./lists/balances.ts")).BALANCE_COMMANDS],
  [
    ["transaction", "deposit"],
    async () => (await import("./lists/transactions.ts")).TRANSACTION_COMMANDS,
  ],
  [["invoice"], async () => (await import("./commands/checkout/invoice.ts")).INVOICE_COMMANDS],
  [["checkout"], async () => (await import("./commands/checkout/checkout.ts")).CHECKOUT_COMMANDS],
  [
    ["payment-link"],
    async () => (await import("./commands/checkout/payment_link.ts")).PAYMENT_LINK_COMMANDS,
  ],
  [["withdrawal"], async () => (await import("./commands/withdrawal.ts")).WITHDRAWAL_COMMANDS],
  [
    ["approval", "withdrawal"],
    async () => (await import("./commands/control/approval.ts")).APPROVAL_COMMANDS,
  ],
  [["recipient"], async () => (await import("./commands/recipient.ts")).RECIPIENT_COMMANDS],
  [["policy"], async () => (await import("./commands/control/policy.ts")).POLICY_COMMANDS],
  [["payee"], async () => (await import("./commands/control/payee.ts")).PAYEE_COMMANDS],
  [["proposal"], async () => (await import("./commands/control/proposal.ts")).PROPOSAL_COMMANDS],
  [["sweep"], async () => (await import("./commands/sweep.ts")).SWEEP_COMMANDS],
  [["wallet"], async () => (await import("./commands/wallet.ts")).WALLET_COMMANDS],
  [["stop", "resume"], async () => (await import("./commands/stop.ts")).STOP_COMMANDS],
  [["alert"], async () => (await import("./commands/alert.ts")).ALERT_COMMANDS],
  [["notify"], async () => (await import("./commands/notify.ts")).NOTIFY_COMMANDS],
  [["user"], async () => (await import("./commands/user.ts")).USER_COMMANDS],
  [["role"], async () => (await import("./commands/control/role.ts")).ROLE_COMMANDS],
  [["setting"], async () => (await import("./commands/control/setting.ts")).SETTING_COMMANDS],
  [["audit"], async () => (await import("./commands/audit.ts")).AUDIT_COMMANDS],
  [["integrity"], async () => (await import("./commands/integrity.ts")).INTEGRITY_COMMANDS],
  [["rescan"], async () => [(await import("./commands/rescan.ts")).RESCAN_COMMAND]],
  [
    ["reconcile", "account", "deposit"],
    async () => (await import("./commands/reconcile.ts")).RECONCILE_COMMANDS,
  ],
  [
    ["backup", "drill", "restore"],
    async () => (await import("./commands/backup.ts")).BACKUP_COMMANDS,
  ],
  [["deposit"], async () => (await import("./commands/deposit.ts")).DEPOSIT_COMMANDS],
  [["seed"], async () => (await import("./commands/seed.ts")).SEED_COMMANDS],
  [
    ["rotate-master-key"],
    async () => (await import("./commands/master_key.ts")).MASTER_KEY_COMMANDS,
  ],
  [
    ["completions"],
    async () => [(await import("./completions/completions.ts")).COMPLETIONS_COMMAND],
  ],
  [["version"], async () => [(await import("./commands/server.ts")).VERSION_COMMAND]],
  [["help"], async () => [(await import("./commands/server.ts")).HELP_COMMAND]],
];

export async function allCommands(): Promise<readonly Command[]> {
  return await loaded(GROUPS);
}

/** Those that begin with this word, and help; all if none does. */
export async function commandsOf(word: string): Promise<readonly Command[]> {
  const named = GROUPS.filter(([names]) => names.includes(word));
  if (named.length === 0) return await allCommands();
  const help = GROUPS.filter(([names]) => names.includes("help"));
  return await loaded([...new Set([...named, ...help])]);
}

async function loaded(groups: readonly Group[]): Promise<Command[]> {
  return (await Promise.all(groups.map(([, load]) => load()))).flat();
}
