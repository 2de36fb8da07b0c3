import type { Command } from "../operations/command.ts";

/** The first words of its commands, and how they are loaded. */
type Group = readonly [names: readonly string[], load: () => Promise<readonly Command[]>];

/**
 * In the order in which help lists them. Each is loaded when it is used: all of them would take a
 * quarter of the time in which any of them starts.
 */
const GROUPS: readonly Group[] = [
  [["serve"], async () => [(await import("./commands/server.ts")).SERVE_COMMAND]],
  [["demo"], async () => [(await import("../sandbox/demo/demo.ts")).DEMO_COMMAND]],
  [["migrate"], async () => [(await import("./commands/server.ts")).MIGRATE_COMMAND]],
  [
    ["install-service"],
    async () => [(await import("./service/install.ts")).INSTALL_COMMAND],
  ],
  [["status"], async () => [(await import("./health/status.ts")).STATUS_COMMAND]],
  [["doctor"], async () => [(await import("./health/doctor.ts")).DOCTOR_COMMAND]],
  [["network"], async () => (await import("../networks/operations/network.ts")).NETWORK_COMMANDS],
  [["network"], async () => [(await import("../collectors/operations.ts")).NETWORK_COLLECTOR]],
  [["network"], async () => [(await import("../costs/operations.ts")).NETWORK_COSTS]],
  [
    ["currency"],
    async () => (await import("../networks/operations/currency.ts")).CURRENCY_COMMANDS,
  ],
  [["rate"], async () => (await import("../rates/operations.ts")).RATE_COMMANDS],
  [["account"], async () => (await import("../accounts/operations/account.ts")).ACCOUNT_COMMANDS],
  [["key"], async () => (await import("../access/operations/key.ts")).KEY_COMMANDS],
  [["sign"], async () => [(await import("./sign/sign.ts")).SIGN_COMMAND]],
  [["webhook"], async () => (await import("../webhooks/operations/webhook.ts")).WEBHOOK_COMMANDS],
  [["webhook"], async () => (await import("../webhooks/operations/delivery.ts")).DELIVERY_COMMANDS],
  [["balance"], async () => (await import("../books/operations/balances.ts")).BALANCE_COMMANDS],
  [
    ["transaction", "deposit"],
    async () => (await import("../deposits/operations/transactions.ts")).TRANSACTION_COMMANDS,
  ],
  [["invoice"], async () => (await import("../invoices/operations/invoice.ts")).INVOICE_COMMANDS],
  [["checkout"], async () => (await import("../checkout/operations.ts")).CHECKOUT_COMMANDS],
  [
    ["payment-link"],
    async () => (await import("../invoices/operations/payment_link.ts")).PAYMENT_LINK_COMMANDS,
  ],
  [
    ["withdrawal"],
    async () => (await import("../withdrawals/operations/withdrawal.ts")).WITHDRAWAL_COMMANDS,
  ],
  [
    ["approval", "withdrawal"],
    async () => (await import("../approvals/operations.ts")).APPROVAL_COMMANDS,
  ],
  [
    ["recipient"],
    async () => (await import("../withdrawals/operations/recipient.ts")).RECIPIENT_COMMANDS,
  ],
  [["policy"], async () => (await import("../policies/operations/policy.ts")).POLICY_COMMANDS],
  [["payee"], async () => (await import("../payees/operations.ts")).PAYEE_COMMANDS],
  [["proposal"], async () => (await import("../proposals/operations.ts")).PROPOSAL_COMMANDS],
  [["sweep"], async () => (await import("../sweeps/operations.ts")).SWEEP_COMMANDS],
  [["wallet"], async () => (await import("../wallets/operations/wallet.ts")).WALLET_COMMANDS],
  [["stop", "resume"], async () => (await import("../integrity/operations/stop.ts")).STOP_COMMANDS],
  [["alert"], async () => (await import("../alerts/operations.ts")).ALERT_COMMANDS],
  [["notify"], async () => (await import("../notifications/operations.ts")).NOTIFY_COMMANDS],
  [["user"], async () => (await import("../access/operations/user.ts")).USER_COMMANDS],
  [["role"], async () => (await import("../access/operations/role.ts")).ROLE_COMMANDS],
  [["setting"], async () => (await import("../access/operations/setting.ts")).SETTING_COMMANDS],
  [["audit"], async () => (await import("../audit/operations.ts")).AUDIT_COMMANDS],
  [
    ["integrity"],
    async () => (await import("../integrity/operations/integrity.ts")).INTEGRITY_COMMANDS,
  ],
  [["rescan"], async () => [(await import("../following/operations.ts")).RESCAN_COMMAND]],
  [
    ["reconcile", "account", "deposit"],
    async () => (await import("../reconcile/operations.ts")).RECONCILE_COMMANDS,
  ],
  [
    ["backup", "drill", "restore", "move"],
    async () => (await import("../restore/operations.ts")).BACKUP_COMMANDS,
  ],
  [["deposit"], async () => (await import("../deposits/operations.ts")).DEPOSIT_COMMANDS],
  [["seed"], async () => (await import("../wallets/operations/seed.ts")).SEED_COMMANDS],
  [
    ["rotate-master-key"],
    async () => (await import("../upkeep/operations/master_key.ts")).MASTER_KEY_COMMANDS,
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
