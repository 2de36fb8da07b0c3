import { one, zip } from "../../base/lists.ts";
import { findCurrency, findNetwork } from "../../books/find.ts";
import { rulesOf } from "../../chains/registry.ts";
import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { checkDecimals } from "../check_nodes.ts";
import { addCurrency, setCurrency } from "../currencies.ts";
import { mustHaveTokens } from "../fitting.ts";
import { currencyShape } from "../shapes.ts";
import type { CurrencyRow, NetworkRow } from "../table.ts";
import { given } from "../../operations/given.ts";
import {
  type Asking,
  operation,
  optional,
  required,
  UsageError,
  withFallback,
} from "../../operations/operation.ts";
import { freeOfCharge } from "../../withdrawals/free_of_charge.ts";

/** A hint isn't worth a longer wait. */
const NODE_MS = 2_000;
const NAME = kind.text({ max: 100 });

const network = required(kind.networkCode, { help: "its network", example: "ETH" });
const symbol = required(kind.symbol, { help: "its name in the API", example: "USDT" });

const HELP = {
  "min-deposit": "smaller deposits are credited but flagged, and never swept on their own",
  "min-withdrawal": "smaller withdrawals are refused",
  "fee-flat": "added to each withdrawal, in the currency itself",
  "fee-percent": "of the amount, added to each withdrawal",
  "sweep-min": "less than this stays on deposit addresses until more arrives",
};

const RATE = {
  help:
    "roughly how many native coins one unit is worth, so that no sweep costs too much; 0: unknown",
  example: "0.0003",
};

const GAS_MAX = {
  help: "gas (energy on TRON) that the recipient's or the token's code may use on top of a plain " +
    "payment; if not set, 100000 for native coins and 300000 for tokens",
  example: "200000",
};

export const CURRENCY_COMMANDS = [
  operation({
    words: ["currency", "add"],
    changes: "operate",
    summary: "Adds a token to a network",
    flags: {
      network,
      symbol,
      name: required(NAME, { help: "for display", example: '"Tether USD"' }),
      decimals: required(kind.decimals, { help: "as in its contract", example: "6" }),
      contract: optional(kind.text({ max: 100, word: "ADDRESS" }), {
        help: "its contract; leave it out for the native coin",
        example: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
      }),
      "min-deposit": withFallback(kind.amount, amount("min-deposit", "1")),
      "min-withdrawal": withFallback(kind.amount, amount("min-withdrawal", "5")),
      "fee-flat": withFallback(kind.amount, amount("fee-flat", "1")),
      "fee-percent": withFallback(kind.percent, amount("fee-percent", "0.5")),
      "sweep-min": withFallback(kind.amount, amount("sweep-min", "20")),
      "native-rate": optional(kind.rate, RATE),
      "gas-max": optional(kind.gasMax, GAS_MAX),
    },
    examples: [
      'currency add --network ETH --symbol USDT --name "Tether USD" --decimals 6 --contract 0xdAC17F958D2ee523a2206206994597C13D831ec7 --min-withdrawal 5 --fee-flat 1',
    ],
    run: async (context, { flags }) => {
      const deps = await context.deps();
      const row = await findNetwork(deps, flags.network);
      const contractAddress = flags.contract === undefined
        ? null
        : await checkContract(context, { ...flags, network: row, contract: flags.contract });
      const currency = await addCurrency(deps, {
        currency: {
          network: row.code,
          symbol: flags.symbol,
          name: flags.name,
          contractAddress,
          decimals: flags.decimals,
          minDepositAmount: flags["min-deposit"],
          minWithdrawalAmount: flags["min-withdrawal"],
          feeFlat: flags["fee-flat"],
          feePercent: flags["fee-percent"],
          sweepMinAmount: flags["sweep-min"],
          nativeRate: flags["native-rate"] ?? null,
          ...given({ gasMax: flags["gas-max"] }),
        },
        actor: context.actor,
      });
      return await shapeOf(deps, currency);
    },
  }),
  operation({
    words: ["currency", "set"],
    changes: "operate",
    summary: "Changes a currency's limits and fees, or switches it on and off",
    flags: {
      network,
      symbol,
      active: optional(kind.onOff, { help: "off: accepts no new payments", example: "off" }),
      name: optional(NAME, { help: "for display", example: '"Tether USD"' }),
      contract: optional(kind.text({ max: 100, word: "ADDRESS" }), {
        help: "another contract, as long as nobody has paid in this currency",
        example: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
      }),
      decimals: optional(kind.decimals, { help: "as in that contract", example: "6" }),
      "min-deposit": optional(kind.amount, amount("min-deposit", "1")),
      "min-withdrawal": optional(kind.amount, amount("min-withdrawal", "5")),
      "fee-flat": optional(kind.amount, amount("fee-flat", "1")),
      "fee-percent": optional(kind.percent, amount("fee-percent", "0.5")),
      "sweep-min": optional(kind.amount, amount("sweep-min", "20")),
      "native-rate": optional(kind.rate, RATE),
      "gas-max": optional(kind.gasMax, GAS_MAX),
    },
    examples: ["currency set --network ETH --symbol USDT --min-withdrawal 5 --fee-percent 0.5"],
    run: async (context, { flags }) => {
      const deps = await context.deps();
      const isCorrected = flags.contract !== undefined || flags.decimals !== undefined;
      const change = given({
        ...isCorrected ? await corrected(context, flags) : {},
        isActive: flags.active,
        name: flags.name,
        minDepositAmount: flags["min-deposit"],
        minWithdrawalAmount: flags["min-withdrawal"],
        feeFlat: flags["fee-flat"],
        feePercent: flags["fee-percent"],
        sweepMinAmount: flags["sweep-min"],
        nativeRate: flags["native-rate"],
        gasMax: flags["gas-max"],
      });
      if (Object.keys(change).length === 0) throw new UsageError("currency set: nothing to change");
      const order = { network: flags.network, symbol: flags.symbol, change, actor: context.actor };
      return await shapeOf(deps, await setCurrency(deps, order));
    },
  }),
  operation({
    words: ["currency", "list"],
    reads: "see_gateway",
    summary: "Lists the currencies with their limits and fees",
    flags: {
      network: optional(kind.networkCode, { help: "only this network's", example: "ETH" }),
    },
    examples: ["currency list", "currency list --network ETH"],
    columns: [
      "network",
      "currency",
      "name",
      "decimals",
      "min_deposit_amount",
      "min_withdrawal_amount",
      "withdrawal_fee_flat",
      "withdrawal_fee_percent",
      "sweep_min_amount",
      "native_rate",
      "gas_max",
      "active",
      "contract_address",
      "warning",
    ],
    run: async (context, { flags }) => {
      const deps = await context.deps();
      const only = flags.network && (await findNetwork(deps, flags.network)).code;
      const { currencies } = await deps.catalog.current();
      const rows = currencies.filter((row) => only === undefined || row.network === only);
      const warnings = await freeOfCharge(deps, { rows, waitMs: NODE_MS });
      return zip(rows, warnings).map(([row, warning]) => currencyShape(row, warning));
    },
  }),
];

async function shapeOf(deps: Deps, row: CurrencyRow) {
  const warning = one(await freeOfCharge(deps, { rows: [row], waitMs: NODE_MS }));
  return currencyShape(row, warning);
}

function amount(name: keyof typeof HELP, example: string) {
  return { help: HELP[name], example, fallback: "0" };
}

/** What wasn't given stays, and both are checked on the chain again. */
async function corrected(
  context: Asking,
  { network: code, symbol, contract, decimals }: {
    network: string;
    symbol: string;
    contract: string | undefined;
    decimals: number | undefined;
  },
) {
  const deps = await context.deps();
  const network = await findNetwork(deps, code);
  const row = await findCurrency(deps, { network: code, symbol });
  const { contractAddress } = row;
  const change = { contractAddress, decimals: decimals ?? row.decimals };
  if (contractAddress === null) return { ...change, contractAddress: contract ?? null };
  const token = { ...change, network, symbol: row.symbol, contract: contract ?? contractAddress };
  return { ...change, contractAddress: await checkContract(context, token) };
}

interface Contract {
  readonly network: NetworkRow;
  readonly symbol: string;
  readonly contract: string;
  readonly decimals: number;
}

/** The canonical address, once the token has confirmed its decimals. */
async function checkContract(context: Asking, token: Contract): Promise<string> {
  const { network, symbol, decimals } = token;
  mustHaveTokens(network, token.contract);
  const rules = rulesOf(network);
  if (!rules.isAddress(token.contract)) {
    throw refuse("address_wrong", { text: token.contract, network: network.code });
  }
  const contract = rules.canonicalAddress(token.contract);
  const chain = (await context.deps()).chains.of(network);
  await checkDecimals(context, { chain, symbol, contract, decimals });
  return contract;
}
