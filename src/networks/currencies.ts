import { findCurrency, findNetwork } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { isSameToken, whileUnbooked } from "../books/unbooked.ts";
import { familyOf } from "../chains/registry.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { spellingIn } from "../domain/money/symbols.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { mustCountIn, mustHaveTokens } from "./fitting.ts";
import { Currencies, type CurrencyRow, type NetworkRow } from "./table.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import { read, type View } from "../store/engine/workspace.ts";

type CurrencyFallbacks = Pick<CurrencyRow, "sweepMinAmount" | "nativeRate" | "gasMax">;

export type NewCurrency =
  & Omit<CurrencyRow, "isActive" | "createdAtMs" | keyof CurrencyFallbacks>
  & Partial<CurrencyFallbacks>;

export async function addCurrency(
  deps: Deps,
  { currency, actor }: { currency: NewCurrency; actor: Actor },
): Promise<CurrencyRow> {
  const catalog = await deps.catalog.current();
  const { network, symbol, contractAddress } = currency;
  const its = await findNetwork(deps, network);
  mustHaveTokens(its, contractAddress);
  checkGasMax(its, currency);
  checkMinimums(currency, currency);
  const taken = catalog.currency(network, symbol) ??
    catalog.currencyByContract(network, contractAddress);
  const refusal = () => {
    const its = { network, symbol: taken?.symbol ?? symbol };
    return contractAddress === null
      ? refuse("native_coin_taken", its)
      : refuse("currency_taken", { ...its, contract: contractAddress });
  };
  if (taken) throw refusal();
  mustBeSpelledAlike(catalog, symbol);
  const nowMs = deps.clock.nowMs();
  return await deps.db.write({
    reads: [
      read(Currencies, [network, symbol]),
      read(Currencies, [network, contractAddress], "contract"),
    ],
    decide: (view) => {
      if (view.find(Currencies, [network, symbol])) throw refusal();
      const row = insertCurrency(view, { network: its, currency, nowMs });
      const subject = `currency:${network}/${symbol}`;
      recordAudit(view, { actor, action: "currency.added", subject, detail: row, nowMs });
      return row;
    },
  });
}

type CurrencyChange = Partial<
  Pick<
    CurrencyRow,
    | "name"
    | "contractAddress"
    | "decimals"
    | "minDepositAmount"
    | "minWithdrawalAmount"
    | "feeFlat"
    | "feePercent"
    | "sweepMinAmount"
    | "nativeRate"
    | "gasMax"
    | "isActive"
  >
>;

export async function setCurrency(
  deps: Deps,
  order: { network: string; symbol: string; change: CurrencyChange; actor: Actor },
): Promise<CurrencyRow> {
  const { change, actor } = order;
  const currency = await findCurrency(deps, order);
  const { network, symbol } = currency;
  const its = await findNetwork(deps, network);
  mustHaveTokens(its, change.contractAddress);
  if (change.decimals !== undefined) mustCountIn(its, change.decimals);
  checkGasMax(its, { ...currency, gasMax: change.gasMax });
  checkMinimums({ ...currency, ...change }, change.decimals === undefined ? change : currency);
  const unit = {
    reads: [read(Currencies, [network, symbol])],
    decide: (view: View) => {
      const before = view.get(Currencies, [network, symbol]);
      const nowMs = deps.clock.nowMs();
      const subject = `currency:${network}/${symbol}`;
      const detail = { before, change };
      recordAudit(view, { actor, action: "currency.changed", subject, detail, nowMs });
      return view.update(Currencies, before, change);
    },
  };
  if (isSameToken(currency, change)) return await deps.db.write(unit);
  return await whileUnbooked(deps, { currency, contract: change.contractAddress, ...unit });
}

/**
 * One symbol is one currency for rules, rates and reports, so it has one spelling. Networks that were
 * added with several keep theirs.
 */
export function mustBeSpelledAlike({ currencies }: Catalog, symbol: string): void {
  const known = spellingIn(currencies.map((one) => one.symbol), symbol);
  if (known !== undefined && known !== symbol) throw refuse("symbol_spelled", { symbol, known });
}

const MINIMUMS = {
  minDepositAmount: "minimum deposit",
  sweepMinAmount: "minimum sweep",
} as const;

/** Nobody can pay less than the smallest unit. What was once accepted keeps nobody from other changes. */
function checkMinimums(
  after: Pick<NewCurrency, keyof typeof MINIMUMS | "symbol" | "decimals">,
  changed: Partial<typeof after>,
): void {
  const { symbol, decimals } = after;
  for (const [field, name] of Object.entries(MINIMUMS) as [keyof typeof MINIMUMS, string][]) {
    const amount = after[field];
    if (amount === undefined || changed[field] === undefined) continue;
    const digits = (amount.split(".")[1] ?? "").length;
    if (digits > decimals) throw refuse("amount_too_precise", { name, amount, symbol, decimals });
  }
}

/** A limit where no code is called would have no effect. */
function checkGasMax(
  { family }: Pick<NetworkRow, "family">,
  { symbol, contractAddress, gasMax }: {
    symbol: string;
    contractAddress: string | null;
    gasMax?: number | null | undefined;
  },
): void {
  if (contractAddress !== null && gasMax === 0) throw refuse("gas_max_zero", { symbol });
  const runsCode = contractAddress !== null || familyOf(family).gasMax.coins !== null;
  if (runsCode || gasMax === undefined || gasMax === null) return;
  throw refuse("gas_max_without_code", { symbol });
}

/** A network's first currencies are added with it. */
export function insertCurrency(
  view: View,
  { network, currency, nowMs }: {
    network: Pick<NetworkRow, "code" | "family">;
    currency: Omit<NewCurrency, "network">;
    nowMs: number;
  },
): CurrencyRow {
  return view.insertKeyed(Currencies, {
    ...currencyFallbacks(network, currency),
    ...currency,
    network: network.code,
    isActive: true,
    createdAtMs: nowMs,
  });
}

function currencyFallbacks(
  { family }: Pick<NetworkRow, "family">,
  { contractAddress }: Pick<CurrencyRow, "contractAddress">,
): CurrencyFallbacks {
  const { coins, tokens } = familyOf(family).gasMax;
  return {
    sweepMinAmount: "0",
    nativeRate: null,
    gasMax: contractAddress === null ? coins : tokens,
  };
}
