import { findAccount, findNetwork } from "../../books/find.ts";
import { first } from "../../base/lists.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { filterGenuine } from "../../books/tampered.ts";
import * as kind from "../../domain/kinds.ts";
import {
  type Asking,
  operation,
  optional,
  repeated,
  required,
  UsageError,
} from "../../operations/operation.ts";
import { adoptAll, adoptByHash, type LeftSpend } from "../../restore/adopt_spends.ts";
import { renderAnswer } from "../../operations/screen/render.ts";
import { resumeWallet } from "../../restore/resume_wallet.ts";
import { leftSpendShape } from "../../restore/shapes.ts";
import { wallets } from "../../store/reads/pages/lists.ts";
import { changeOrPropose } from "../../operations/propose.ts";
import { revokeOfGasWallet } from "../../transfers/revoke.ts";
import { gasWithdrawnShape, transferShapes } from "../../transfers/shapes.ts";
import type { Signed } from "../../transfers/table.ts";
import { ALL, gasWithdraw } from "../../transfers/withdraw_gas.ts";
import { CLIENT_REFERENCE_MAX } from "../../withdrawals/rules/fields.ts";
import { walletsOf } from "../reads/addresses.ts";
import { lookAtWallets } from "../look.ts";
import { holdsText, missingText, walletLookShape, walletShape } from "../shapes.ts";
import { Addresses } from "../tables/addresses.ts";

const PAID: kind.Kind<number | "new"> = {
  word: "ID|new",
  is: 'a withdrawal\'s id, or "new"',
  read: (text) => text === "new" ? text : kind.recordId.read(text),
};

const REFERENCE = kind.text({ max: CLIENT_REFERENCE_MAX });

interface PaidOutput {
  readonly output: number;
  readonly withdrawal: number | "new" | undefined;
  readonly keyId: string | undefined;
  readonly reference: string | undefined;
}

const PAID_OUTPUT: kind.Kind<PaidOutput> = {
  word: "N=ID|new|[new/]KEY/REFERENCE",
  is: 'an output\'s number, "=", and a withdrawal\'s id, "new", or a key, "/" and a reference',
  read: (text) => {
    const [, number, what] = /^(\d{1,6})=(.+)$/s.exec(text) ?? [];
    const output = Number(number);
    const [, isNew, keyId, reference] = /^(new\/)?([^/]{1,100})\/(.+)$/s.exec(what ?? "") ?? [];
    const isNamed = reference !== undefined;
    if (isNamed && REFERENCE.read(reference) === undefined) return undefined;
    const withdrawal = PAID.read(isNew ? "new" : what ?? "");
    return withdrawal === undefined && !isNamed
      ? undefined
      : { output, withdrawal, keyId, reference };
  },
};

const COLUMNS = [
  "network",
  "account_id",
  "purpose",
  "address",
  "state",
  "holds",
  "needs",
  "outputs",
  "halted_reason",
];
/** One question to each network's node has room for them. */
const LOOKED_AT_MAX = 200;
/** A node that hangs must not delay the list. */
const LOOKING_MS = 3_000;

/** The newest blocks are read within seconds. */
const READING_MS = 20_000;

const COINS: kind.Kind<string> = {
  word: `AMOUNT|${ALL}`,
  is: `a positive amount, or "${ALL}"`,
  read: (text) => text === ALL ? text : kind.amount.read(text),
};

export const WITHDRAW_GAS = operation({
  words: ["wallet", "withdraw-gas"],
  changes: "operate",
  summary: "Takes the operator's coins out of a network's gas wallet",
  positionals: [{ name: "NETWORK", help: "the network's code" }],
  flags: {
    to: required(kind.text({ max: 100, word: "ADDRESS" }), {
      help: "where they go: no address of this gateway",
      hint: "No address of this gateway",
      example: "0x52908400098527886E0F7030069857D2E4169EE7",
    }),
    amount: required(COINS, {
      help: `how much; ${ALL}: what is signed stays covered, and some for fees stays there`,
      hint: `Coins, or ${ALL}`,
      example: "0.5",
    }),
    yes: optional(kind.present, { help: "don't ask for confirmation (for scripts)", example: "" }),
  },
  examples: [
    "wallet withdraw-gas ETH --to 0x52908400098527886E0F7030069857D2E4169EE7 --amount 0.5",
    "wallet withdraw-gas ETH --to 0x52908400098527886E0F7030069857D2E4169EE7 --amount all",
  ],
  run: async (context, { flags: { to, amount, yes: isSure = false }, positionals }) => {
    const deps = await context.deps();
    const { code, nativeSymbol } = await findNetwork(deps, first(positionals));
    const coins = amount === ALL ? "All coins" : `${amount} ${nativeSymbol}`;
    const warning = `${coins} of the gas wallet of ${code} are sent to ${to}. Sweeps and gas for ` +
      "hot wallets wait while too little is left there.";
    if (isSure || context.caller !== null) context.note(warning);
    else if (context.isAsked) await context.confirm({ word: code, warning });
    else throw refuse("gas_unconfirmed", { code });
    const wanted = { network: code, to, amount };
    return await changeOrPropose(context, gasWithdraw, { wanted, shape: gasWithdrawnShape });
  },
});

export const WALLET_COMMANDS = [
  operation({
    words: ["wallet", "list"],
    reads: "see",
    summary: "Lists hot and gas wallets: what they hold and need, and why any of them is halted",
    flags: {
      account: optional(kind.recordId, { help: "only this account's", example: "1" }),
      network: optional(kind.networkCode, { help: "only this network's", example: "ETH" }),
    },
    examples: ["wallet list", "wallet list --network ETH"],
    columns: COLUMNS,
    run: async (context, { flags }) => {
      const deps = await context.deps();
      const { account, network } = flags;
      const only = network && (await findNetwork(deps, network)).code;
      const found = account === undefined
        ? await wallets(deps.db, only)
        : (await walletsOf(deps.db, (await findAccount(deps, account)).id))
          .filter((row) => only === undefined || row.network === only);
      const rows = await filterGenuine(deps, Addresses, found);
      const asked = rows.slice(0, LOOKED_AT_MAX);
      const looks = await lookAtWallets(deps, { rows: asked, waitMs: LOOKING_MS });
      const byId = new Map(looks.map((look) => [look.row.id, look]));
      const shapes = rows.map((row) => walletLookShape(row, byId.get(row.id)));
      if (asked.length < rows.length) {
        context.note(
          `What the first ${LOOKED_AT_MAX} hold is shown; --account shows one account's`,
        );
      }
      context.answer(shapes, (screen) => {
        const shown = shapes.map((shape) => ({
          ...shape,
          holds: holdsText(shape.holds),
          needs: missingText(shape.holds),
        }));
        return renderAnswer(shown, { columns: COLUMNS, screen });
      });
    },
  }),
  operation({
    words: ["wallet", "resume"],
    changes: "operate",
    summary: "Lets a halted wallet sign again, once you know who else used its key",
    flags: {
      network: required(kind.networkCode, { help: "its network", example: "ETH" }),
      address: required(kind.text({ max: 100, word: "ADDRESS" }), {
        help: "the wallet's address, as listed",
        example: "0x52908400098527886E0F7030069857D2E4169EE7",
      }),
      anyway: optional(kind.present, {
        help: "even if it sent what the books do not explain; none of that paid a withdrawal",
        example: "",
      }),
    },
    examples: [
      "wallet resume --network ETH --address 0x52908400098527886E0F7030069857D2E4169EE7",
      "wallet resume --network ETH --address 0x52908400098527886E0F7030069857D2E4169EE7 --anyway",
    ],
    run: async (context, { flags: { anyway: isAnyway, ...wallet } }) => {
      const order = { ...wallet, isAnyway, waitMs: READING_MS, actor: context.actor };
      return walletShape(await resumeWallet(await context.deps(), order));
    },
  }),
  operation({
    words: ["wallet", "revoke"],
    changes: "operate",
    isUrgent: true,
    summary: "Tries to replace a gas wallet's first unmined transaction with an empty one",
    flags: { network: required(kind.networkCode, { help: "its network", example: "ETH" }) },
    examples: ["wallet revoke --network ETH"],
    run: async (context, { flags: { network } }) => {
      const order = { network, actor: context.actor };
      const { revoked, bid } = await revokeOfGasWallet(await context.deps(), order);
      context.note(
        `Whichever is mined first counts: ${revoked.tx.txHash} does what it was signed for, or all ` +
          "of that is signed again",
      );
      const { tx: { sender: address, place: nonce, txHash: tx_hash } } = bid;
      return { network, address, nonce, revoked_tx_hash: revoked.tx.txHash, tx_hash };
    },
  }),
  WITHDRAW_GAS,
  operation({
    words: ["wallet", "adopt"],
    changes: "operate",
    summary: "Books what this gateway signed before its database was restored from an older backup",
    positionals: [{
      name: "TX",
      help: "transaction hashes, as shown in alerts; without any: all sweeps and top-ups, " +
        "because withdrawals have to be named",
      isRest: true,
    }],
    flags: {
      network: required(kind.networkCode, { help: "their network", example: "ETH" }),
      withdrawal: optional(PAID, {
        help: "the withdrawal that it paid; new: none of those that wait to make this payment",
        example: "7",
      }),
      fee: optional(kind.amount, {
        help: "a new withdrawal's fee, if it differs from the currency's rate",
        example: "0.5",
      }),
      key: optional(kind.text({ max: 100 }), {
        help: "the API key that requested a new withdrawal",
        example: "cpg_3fK9",
      }),
      reference: optional(REFERENCE, {
        help: "its client_reference, so that a repeated request with both finds it",
        example: "order-7",
      }),
      payout: repeated(PAID_OUTPUT, {
        help: "of a transaction that pays several: what an output paid, for each that is listed",
        example: "0=7",
      }),
    },
    examples: [
      "wallet adopt --network ETH",
      "wallet adopt 0x2a…9f --network ETH",
      "wallet adopt 0x2a…9f --network ETH --withdrawal 7",
      "wallet adopt 0x2a…9f --network ETH --key cpg_3fK9 --reference order-7",
      "wallet adopt 4c…e1 --network BTC --payout 0=7 --payout 2=cpg_3fK9/order-8",
    ],
    columns: [
      "tx_hash",
      "from_address",
      "booked_as",
      "state",
      "withdrawal_id",
      "sweep_id",
      "output",
      "to_address",
      "amount",
      "currency",
      "block_number",
      "reason",
    ],
    run: async (context, { flags: { network, ...given }, positionals: hashes }) => {
      const terms = termsOf(given, hashes);
      const deps = await context.deps();
      if (hashes.length === 0) {
        const { adopted, left } = await adoptAll(deps, { network, actor: context.actor });
        return answerAdopted(context, { adopted, left });
      }
      const adopted: Signed[] = [];
      for (const hash of hashes) {
        const order = { network, txHash: hash.toLowerCase(), terms, actor: context.actor };
        const onTermsUnused = (booked: Signed) => noteUnused(context, given, booked);
        adopted.push(await adoptByHash(deps, { ...order, onTermsUnused }));
      }
      return answerAdopted(context, { adopted, left: [] });
    },
  }),
];

interface Given {
  readonly withdrawal: number | "new" | undefined;
  readonly fee: string | undefined;
  readonly key: string | undefined;
  readonly reference: string | undefined;
  readonly payout: readonly PaidOutput[];
}

function termsOf(
  { withdrawal, fee, key, reference, payout }: Given,
  hashes: readonly string[],
) {
  const isOfNew = fee !== undefined || key !== undefined || reference !== undefined;
  const areSeveral = payout.length > 0;
  if ((isOfNew || withdrawal !== undefined || areSeveral) && hashes.length !== 1) {
    throw new UsageError(
      "--withdrawal, --fee, --key, --reference and --payout need exactly one TX",
    );
  }
  if (isOfNew && typeof withdrawal === "number") {
    throw new UsageError("--fee, --key and --reference only apply to a new withdrawal");
  }
  if ((key === undefined) !== (reference === undefined)) {
    throw new UsageError("--key and --reference go together: a reference belongs to a key");
  }
  if (areSeveral && (withdrawal !== undefined || key !== undefined)) {
    throw new UsageError(
      "--payout says of each what --withdrawal, --key and --reference say of one",
    );
  }
  const payouts = new Map(payout.map(({ output, ...terms }) => [output, { ...terms, fee }]));
  if (payouts.size < payout.length) throw new UsageError("--payout names an output twice");
  const named = payout.map(({ withdrawal, keyId, reference }) =>
    reference === undefined ? withdrawal : `${keyId}/${reference}`
  ).filter((one) => one !== "new");
  if (new Set(named).size < named.length) {
    throw new UsageError("--payout names a withdrawal twice, and each is paid once");
  }
  return { withdrawal, fee, keyId: key, reference, ...areSeveral && { payouts } };
}

/** Reports a flag that made no difference. */
function noteUnused(context: Asking, given: Given, booked: Signed): void {
  const { withdrawal } = given;
  const said = Object.entries(given)
    .filter(([, value]) => Array.isArray(value) ? value.length > 0 : value !== undefined);
  const { txHash } = booked.tx;
  const [{ purpose = "collector", withdrawalId = null } = {}] = booked.payments;
  if (said.length === 0 || (withdrawalId !== null && withdrawalId === withdrawal)) return;
  const flags = said.map(([name]) => `--${name}`).join(", ");
  const whose = withdrawalId === null ? purpose : `${purpose} ${withdrawalId}`;
  context.note(`${txHash}: ${flags} not used, because the books show that it is ${whose}`);
}

function answerAdopted(
  context: Asking,
  { adopted, left }: { adopted: readonly Signed[]; left: readonly LeftSpend[] },
) {
  if (left.length > 0) {
    context.note(`${adopted.length} booked, ${left.length} left: "reason" says why`);
    context.exitWith(1);
  }
  return [...adopted.flatMap(transferShapes), ...left.map(leftSpendShape)];
}
