import { enableCurrency } from "../enable_currency.ts";
import { bookAdjustment, createAccount } from "../manage_accounts.ts";
import { RECEIVING_WALLET_COMMAND } from "./receiving_wallet.ts";
import { storageUses } from "../reads/accounts.ts";
import { PAY_OUT } from "../rules/usable.ts";
import { accountSet, setAccount } from "../set_account.ts";
import { accountShape, enabledShape, storageShape } from "../shapes.ts";
import { suspendAccount, unsuspendAccount } from "../suspend.ts";
import { one } from "../../base/lists.ts";
import { findCurrency } from "../../books/find.ts";
import { storedIn } from "../../books/quota.ts";
import { balanceShape } from "../../books/shapes.ts";
import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import { given } from "../../operations/given.ts";
import {
  type Asking,
  isOwn,
  operation,
  optional,
  required,
  UsageError,
  withFallback,
} from "../../operations/operation.ts";
import { changeOrPropose, DUAL_CONTROL } from "../../operations/propose.ts";
import { hasRates } from "../../rates/current.ts";
import { allAccounts } from "../../store/reads/pages/lists.ts";
import { freeOfCharge } from "../../withdrawals/free_of_charge.ts";
import { toFund } from "../../withdrawals/to_fund.ts";

const QUOTA_MB_MAX = 1_000_000;
const COOLING_MAX_MS = 30 * 86_400_000;
const account = required(kind.recordId, { help: "the account's id", example: "1" });
const network = required(kind.networkCode, { help: "the network's code", example: "ETH" });
const currency = required(kind.symbol, { help: "the currency's symbol", example: "USDT" });

const NAME = required(kind.text({ max: 200 }), { help: "for display", example: "Acme" });

function accountIdOf([text = ""]: readonly string[]): number {
  const id = kind.recordId.read(text);
  if (id === undefined) throw new UsageError(`"${text}" is not an account id`);
  return id;
}

export const CREATE_ACCOUNT = operation({
  words: ["account", "create"],
  changes: "operate",
  summary: "Creates a merchant's account",
  flags: { name: NAME },
  examples: ["account create --name Acme"],
  run: async (context, { flags }) =>
    accountShape(
      await createAccount(await context.deps(), { name: flags.name, actor: context.actor }),
    ),
});

const LIST_ACCOUNTS = operation({
  words: ["account", "list"],
  reads: "see_gateway",
  summary: "Lists the accounts",
  flags: {},
  examples: ["account list"],
  columns: ["account_id", "name", "may_push", "suspended", "created_at"],
  run: async (context) => (await allAccounts((await context.deps()).db)).map(accountShape),
});

const ACCOUNT_STORAGE = operation({
  words: ["account", "storage"],
  reads: "see_gateway",
  summary: "Shows how much each account has stored today, and how much it may",
  flags: {},
  examples: ["account storage"],
  columns: ["account_id", "name", "stored_mb", "payouts_mb", "quota_mb", "ends_at"],
  run: async (context) => {
    const { db, clock } = await context.deps();
    const [accounts, uses] = await Promise.all([allAccounts(db), storageUses(db)]);
    const nowMs = clock.nowMs();
    return accounts.map((account) =>
      storageShape(account, storedIn(uses.get(account.id), { account, nowMs }))
    );
  },
});

const RENAME_ACCOUNT = operation({
  words: ["account", "rename"],
  changes: "operate",
  summary: "Gives an account another name; it is only shown, and its id stays",
  positionals: [{ name: "ACCOUNT", help: "the account's id" }],
  flags: { name: NAME },
  examples: ["account rename 1 --name Acme"],
  run: async (context, { flags: { name }, positionals }) => {
    const order = { id: accountIdOf(positionals), change: { name }, actor: context.actor };
    return accountShape(await setAccount(await context.deps(), order));
  },
});

const SET_ACCOUNT = operation({
  words: ["account", "set"],
  changes: "operate",
  summary: "Changes what an account's own users may and must do, and its reports, quota and sweeps",
  positionals: [{ name: "ACCOUNT", help: "the account's id" }],
  flags: {
    "may-push": optional(kind.onOff, {
      help: "whether its users may bump, resend and revoke its withdrawals",
      example: "on",
    }),
    cooling: optional(kind.duration({ maxMs: COOLING_MAX_MS }), {
      help: "how long a changed receiving wallet waits before it is used",
      example: "48h",
    }),
    "require-second-factor": optional(kind.onOff, {
      help: "whether its users without one must set it up before anything else",
      example: "on",
    }),
    "dual-control": optional(kind.onOff, {
      help: `whether a second person must approve ${DUAL_CONTROL}`,
      example: "on",
    }),
    reporting: optional(kind.symbolOrOff, {
      help: "the currency in which each ledger entry stores its value; rates give it",
      example: "EUR",
    }),
    "quota-mb": optional(kind.integer({ min: 1, max: QUOTA_MB_MAX }), {
      help: "how many megabytes are stored for it a day at most",
      example: "128",
    }),
    "delegate-native": optional(kind.onOff, {
      help:
        "whether deposit addresses that take native coins delegate to the network's collector " +
        "too; nobody can pay those with exactly 21,000 gas any more",
      example: "on",
    }),
  },
  examples: [
    "account set 1 --may-push on",
    "account set 1 --cooling 48h",
    "account set 1 --reporting EUR",
    "account set 1 --quota-mb 128",
    "account set 1 --delegate-native on",
  ],
  run: async (context, { flags, positionals }) => {
    const id = accountIdOf(positionals);
    const change = given({
      mayPush: flags["may-push"],
      coolingMs: flags.cooling,
      requiresSecondFactor: flags["require-second-factor"],
      dualControl: flags["dual-control"],
      reporting: flags.reporting,
      quotaMb: flags["quota-mb"],
      delegatesNative: flags["delegate-native"],
    });
    if (Object.keys(change).length === 0) throw new UsageError("account set: nothing to change");
    await warnOfNoRates(context, change.reporting);
    const wanted = { id, change };
    return await changeOrPropose(context, accountSet, { wanted, shape: accountShape });
  },
});

export const SUSPEND_ACCOUNT = operation({
  words: ["account", "suspend"],
  changes: "operate",
  summary: "Makes an account read-only and pays nothing out of it; deposits are still credited",
  positionals: [{ name: "ACCOUNT", help: "the account's id" }],
  flags: {
    reason: required(kind.text({ max: 500 }), {
      help: "shown to its users",
      hint: "Shown to the account's users",
      example: '"unpaid invoice"',
    }),
  },
  examples: ['account suspend 1 --reason "unpaid invoice"'],
  run: async (context, { flags: { reason }, positionals }) => {
    const order = { accountId: accountIdOf(positionals), reason, actor: context.actor };
    return accountShape(await suspendAccount(await context.deps(), order));
  },
});

export const UNSUSPEND_ACCOUNT = operation({
  words: ["account", "unsuspend"],
  changes: "operate",
  summary: "Ends a suspension and pays the withdrawals that waited",
  positionals: [{ name: "ACCOUNT", help: "the account's id" }],
  flags: {},
  examples: ["account unsuspend 1"],
  run: async (context, { positionals }) => {
    const order = { accountId: accountIdOf(positionals), actor: context.actor };
    return accountShape(await unsuspendAccount(await context.deps(), order));
  },
});

const ENABLE_CURRENCY = operation({
  words: ["account", "enable"],
  changes: "set_up_account",
  summary:
    "Switches a currency on or off for an account; merchants can't undo what an operator switched off",
  flags: {
    account,
    network,
    currency,
    deposit: withFallback(kind.onOff, { help: "deposits", example: "off", fallback: true }),
    withdrawal: withFallback(kind.onOff, {
      help: "withdrawals",
      example: "off",
      fallback: true,
    }),
  },
  examples: [
    "account enable --account 1 --network ETH --currency USDT",
    "account enable --account 1 --network ETH --currency USDT --withdrawal off",
  ],
  run: async (context, { flags }) => {
    const deps = await context.deps();
    const { enabled, hotWallet, about } = await enableCurrency(deps, {
      accountId: flags.account,
      network: flags.network,
      currency: flags.currency,
      isDepositEnabled: flags.deposit,
      isWithdrawalEnabled: flags.withdrawal,
      isOperator: !isOwn(context),
      actor: context.actor,
    });
    if (about !== null) context.note(about);
    const [warning, fund] = PAY_OUT.isOn(enabled)
      ? await Promise.all([
        freeWarning(deps, enabled),
        hotWallet === null ? null : toFund(deps, { ...enabled, hotWallet }),
      ])
      : [null, null];
    return enabledShape(enabled, { hotWallet, toFund: fund, warning });
  },
});

const ADJUST_ACCOUNT = operation({
  words: ["account", "adjust"],
  changes: "operate",
  summary: "Books a manual ledger entry; a negative amount takes money away",
  flags: {
    account,
    network,
    currency,
    amount: required(kind.signedAmount, {
      help: "how much to add, or with a minus sign to take away",
      example: "-2.5",
    }),
    note: required(kind.text({ max: 500 }), { help: "why", example: '"refund of order 7"' }),
    reference: optional(kind.text({ max: 128 }), {
      help: "your own id for this entry; it is booked once, even if you repeat the command",
      example: "refund-7",
    }),
    "allow-negative": optional(kind.present, {
      help: "allow taking away more than is available",
      example: "",
    }),
  },
  examples: [
    'account adjust --account 1 --network ETH --currency USDT --amount -2.5 --note "refund of order 7" --reference refund-7',
  ],
  run: async (context, { flags }) => {
    if (flags.amount === "0") throw new UsageError("--amount 0 changes nothing");
    const { row, isReplay, isRepeat } = await bookAdjustment(await context.deps(), {
      accountId: flags.account,
      network: flags.network,
      currency: flags.currency,
      amount: flags.amount,
      note: flags.note,
      reference: flags.reference,
      isNegativeAllowed: flags["allow-negative"],
      actor: context.actor,
    });
    if (isReplay) {
      context.note(`"${flags.reference}" was booked before, so nothing was booked now.`);
    }
    if (isRepeat) {
      context.warn(
        "the same entry was booked less than a minute ago, and this booked it again; if that was " +
          "a mistake, book it back. With --reference, a repeated command books nothing twice.",
      );
    }
    return balanceShape(row);
  },
});

export const ACCOUNT_COMMANDS = [
  CREATE_ACCOUNT,
  LIST_ACCOUNTS,
  ACCOUNT_STORAGE,
  RENAME_ACCOUNT,
  SET_ACCOUNT,
  SUSPEND_ACCOUNT,
  UNSUSPEND_ACCOUNT,
  ENABLE_CURRENCY,
  RECEIVING_WALLET_COMMAND,
  ADJUST_ACCOUNT,
];

/** Not refused, because the sources may be added next. */
async function warnOfNoRates(context: Asking, reporting?: string | null): Promise<void> {
  if (!reporting || await hasRates(await context.deps(), reporting)) return;
  context.warn(
    `no source of rates names ${reporting.toUpperCase()}, so ledger entries get no value until ` +
      "one does: see cpg help rate source add",
  );
}

/** A hint isn't worth a longer wait. */
const NODE_MS = 2_000;

async function freeWarning(
  deps: Deps,
  { network, currency: symbol }: { network: string; currency: string },
): Promise<string | null> {
  const row = await findCurrency(deps, { network, symbol });
  return one(await freeOfCharge(deps, { rows: [row], waitMs: NODE_MS }));
}
