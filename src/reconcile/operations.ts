import { first } from "../base/lists.ts";
import { creditSurplus } from "../deposits/credit_surplus.ts";
import { reverseDeposit } from "../deposits/reverse.ts";
import { creditShape } from "../deposits/shapes.ts";
import * as kind from "../domain/kinds.ts";
import {
  operation,
  optional,
  required,
  type Screen,
  UsageError,
  withFallback,
} from "../operations/operation.ts";
import { showStages } from "../operations/screen/progress.ts";
import { renderAnswer } from "../operations/screen/render.ts";
import { paragraph } from "../operations/screen/screen.ts";
import { silenced } from "../operations/silenced.ts";
import { unfreeze } from "./manage_freezes.ts";
import { reconcile, type Reconciled } from "./reconcile.ts";
import { differenceShape, freezeShape, surplusShape, wrongSumsShape } from "./shapes.ts";
import { allFreezes } from "../store/reads/few_rows.ts";

const network = required(kind.networkCode, { help: "the network's code", example: "ETH" });
const note = required(kind.text({ max: 500 }), {
  help: "why",
  example: '"paid by a contract"',
  label: "Reason",
});
const currency = required(kind.symbol, { help: "the currency's symbol", example: "USDT" });

const RECONCILE = operation({
  words: ["reconcile"],
  changes: "operate",
  summary: "Checks the books and compares them with the chains; exit code 1 if they differ",
  flags: {
    network: optional(kind.networkCode, { help: "only this network", example: "ETH" }),
    everywhere: withFallback(kind.onOff, {
      help: "on: check every currency on every deposit address, even where the books have none",
      example: "on",
      fallback: false,
    }),
  },
  examples: ["reconcile", "reconcile --network ETH", "reconcile --everywhere on"],
  run: async (context, { flags }) => {
    // The alerts it raises are printed below, so they aren't logged too.
    const quiet = silenced(await context.deps());
    const { network, everywhere: isEverywhere } = flags;
    const found = await showStages(context.tally(), (stages) => {
      const onPart = (parts: readonly string[]) => stages.next(`Checking ${parts.join(", ")}`);
      return reconcile(quiet, { network, isEverywhere, onPart });
    });
    for (const { network: code, reason } of found.skipped) {
      context.warn(`${code} was not compared with its chain: ${reason}`);
    }
    if (found.differences.length + found.invoices.length > 0) context.exitWith(1);
    const shape = { ...reconciledShape(found), everywhere: isEverywhere };
    context.answer(shape, (screen) => forPeople(found, { isEverywhere, screen }));
  },
});

const LIST_FREEZES = operation({
  words: ["account", "freezes"],
  reads: "see_gateway",
  summary: "Lists where withdrawals are paused because the books differ",
  flags: {},
  examples: ["account freezes"],
  columns: ["account_id", "network", "currency", "created_at", "reason"],
  run: async (context) => (await allFreezes((await context.deps()).db)).map(freezeShape),
});

const UNFREEZE_ACCOUNT = operation({
  words: ["account", "unfreeze"],
  changes: "operate",
  summary: "Resumes withdrawals once books and chain agree again; exit code 1 if they differ",
  flags: {
    account: required(kind.recordId, { help: "the account's id", example: "1" }),
    network,
    currency,
  },
  examples: ["account unfreeze --account 1 --network ETH --currency USDT"],
  run: async (context, { flags }) => {
    const { freeze, isLifted, found } = await unfreeze(await context.deps(), {
      accountId: flags.account,
      network: flags.network,
      currency: flags.currency,
      actor: context.actor,
    });
    for (const { network: code, reason } of found.skipped) {
      context.warn(`${code} was not compared with its chain: ${reason}`);
    }
    if (!isLifted) context.exitWith(1);
    const shape = {
      ...freezeShape(freeze),
      unfrozen: isLifted,
      ...reconciledShape(found),
      everywhere: false,
    };
    const headline = isLifted
      ? `Withdrawals of ${freeze.currency} on ${freeze.network} have resumed.\n\n`
      : `Withdrawals of ${freeze.currency} on ${freeze.network} stay paused.\n\n`;
    context.answer(
      shape,
      (screen) => headline + forPeople(found, { isEverywhere: false, screen }),
    );
  },
});

export const CREDIT_DEPOSIT = operation({
  words: ["deposit", "credit"],
  changes: "operate",
  summary: "Credits coins that reconcile found on a deposit address and no transaction explains",
  flags: {
    network,
    address: required(kind.text({ max: 100, word: "ADDRESS" }), {
      help: "the deposit address",
      example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    }),
    currency,
    amount: required(kind.amount, { help: "at most what was found", example: "1.5" }),
    note,
    "tx-hash": optional(kind.text({ max: 100 }), {
      help: "the transaction that paid it, shown to the merchant",
      example: "0x2f1c…",
    }),
  },
  examples: [
    "deposit credit --network ETH --address 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 " +
    '--currency ETH --amount 1.5 --note "paid by a contract"',
  ],
  run: async (context, { flags }) => {
    if (flags.amount === "0") throw new UsageError("--amount 0 credits nothing");
    const { "tx-hash": txHash, ...order } = flags;
    return creditShape(
      await creditSurplus(await context.deps(), { ...order, txHash, actor: context.actor }),
    );
  },
});

export const REVERSE_DEPOSIT = operation({
  words: ["deposit", "reverse"],
  changes: "operate",
  summary: "Takes back the credit of a deposit whose money has left its address for good",
  positionals: [{ name: "ID", help: "the transaction's id" }],
  flags: { note },
  examples: ['deposit reverse 7 --note "burnt by the token"'],
  run: async (context, { flags, positionals }) => {
    const id = kind.recordId.read(first(positionals));
    if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a transaction id`);
    const order = { id, note: flags.note, actor: context.actor };
    return creditShape(await reverseDeposit(await context.deps(), order));
  },
});

export const RECONCILE_COMMANDS = [
  RECONCILE,
  LIST_FREEZES,
  UNFREEZE_ACCOUNT,
  CREDIT_DEPOSIT,
  REVERSE_DEPOSIT,
];

/** Omits empty lists, so that matching books give a short answer. */
function reconciledShape({ differences, surplus, invoices, skipped }: Reconciled) {
  return {
    ok: differences.length + invoices.length === 0,
    differences: differences.map(differenceShape),
    ...surplus.length > 0 ? { surplus: surplus.map(surplusShape) } : {},
    ...invoices.length > 0 ? { invoices: invoices.map(wrongSumsShape) } : {},
    ...skipped.length > 0 ? { skipped } : {},
  };
}

/** Says what was not checked, so that nobody relies on it. */
const REACH =
  "Tokens were checked where the books have some, and coins also on every address of a network " +
  "without traces. To check everything else too, use --everywhere on.";

const DIFFERENCE_COLUMNS = [
  ...["account_id", "network", "currency", "kind", "expected", "found", "detail"],
];
const INVOICE_COLUMNS = ["invoice_id", "account_id", "currency", "expected", "found"];
const SURPLUS_COLUMNS = ["account_id", "network", "currency", "address", "amount"];

function forPeople(
  { differences, surplus, invoices, skipped }: Reconciled,
  { isEverywhere, screen }: { isEverywhere: boolean; screen: Screen },
): string {
  const parts: string[] = [];
  if (differences.length > 0) {
    parts.push(
      renderAnswer(differences.map(differenceShape), { columns: DIFFERENCE_COLUMNS, screen }),
      paragraph("Withdrawals of these are paused. Find the cause, then resume them with", screen) +
        "  account unfreeze --account ID --network CODE --currency SYMBOL\n",
    );
  } else {
    const unasked = skipped.map(({ network }) => network).join(", ");
    const chains = unasked === "" ? " and match the chains" : `, but not compared with ${unasked}`;
    parts.push(
      paragraph(`The books are consistent${chains}.`, screen),
      ...isEverywhere ? [] : [paragraph(REACH, screen)],
    );
  }
  if (invoices.length > 0) {
    parts.push(
      "What was kept of these invoices differed from their payments and refunds, and is right now:\n",
      renderAnswer(invoices.map(wrongSumsShape), { columns: INVOICE_COLUMNS, screen }),
    );
  }
  if (surplus.length > 0) {
    parts.push(
      "These addresses hold an unexplained surplus:\n",
      renderAnswer(surplus.map(surplusShape), { columns: SURPLUS_COLUMNS, screen }),
      "Credit it to the account with\n" +
        "  deposit credit --network CODE --address 0x… --currency SYMBOL --amount N --note TEXT\n",
    );
  }
  return parts.join("\n");
}
