import { familyOf } from "../../chains/registry.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { gasWalletOf } from "../../store/reads/addresses.ts";
import { Currencies, Networks } from "../../store/tables/setup.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import { NetworkCursors } from "../../store/tables/following.ts";
import { Addresses } from "../../store/tables/addresses.ts";
import { read, type View } from "../../store/engine/workspace.ts";
import { alertRead, closeAlert, tracesGone } from "../books/alerts.ts";
import { findCurrency, findNetwork } from "../books/find.ts";
import { makeWallet } from "../wallets/make.ts";
import { recordAudit } from "../books/records.ts";
import { isSameToken, whileUnbooked } from "../books/unbooked.ts";
import { genuine } from "../books/tampered.ts";
import type { Actor, Deps } from "../deps.ts";

type NetworkFallbacks = Pick<NetworkRow, "feeModel" | "gasPriceMaxRaw" | "feeMax" | "hotGasTarget">;
type CurrencyFallbacks = Pick<CurrencyRow, "sweepMinAmount" | "nativeRate" | "gasMax">;

const NETWORK_FALLBACKS: NetworkFallbacks = {
  feeModel: "l1",
  gasPriceMaxRaw: null,
  feeMax: null,
  hotGasTarget: "0",
};

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

/** A limit where no code is called would have no effect. */
function checkGasMax(
  { family }: Pick<NetworkRow, "family">,
  { symbol, contractAddress, gasMax }: {
    symbol: string;
    contractAddress: string | null;
    gasMax?: number | null | undefined;
  },
): void {
  if (contractAddress !== null && gasMax === 0) {
    throw refuse("gas_max_zero", { symbol });
  }
  const isMeant = contractAddress !== null || familyOf(family).gasMax.coins !== null;
  if (isMeant || gasMax === undefined || gasMax === null) return;
  throw refuse("gas_max_without_code", { symbol });
}

export interface NewNetwork
  extends
    Omit<NetworkRow, "isActive" | "createdAtMs" | keyof NetworkFallbacks>,
    Partial<NetworkFallbacks> {
  /** Native coin first, then the tokens of a preset. */
  readonly currencies: readonly Omit<NewCurrency, "network">[];
}

type NewCurrency =
  & Omit<CurrencyRow, "isActive" | "createdAtMs" | keyof CurrencyFallbacks>
  & Partial<CurrencyFallbacks>;

/** Adds a network with its native coin and the block from which it is read. */
export async function addNetwork(
  deps: Deps,
  { network, actor }: { network: NewNetwork; actor: Actor },
): Promise<NetworkRow> {
  const { currencies, ...fields } = network;
  const nowMs = deps.clock.nowMs();
  const catalog = await deps.catalog.current();
  if (catalog.network(network.code)) {
    throw refuse("network_taken", { code: network.code });
  }
  return await deps.db.write({
    reads: [
      read(Networks, [network.code]),
      read(NetworkCursors, [network.code]),
      ...currencies.map((currency) => read(Currencies, [network.code, currency.symbol])),
    ],
    decide: (view) => {
      if (view.find(Networks, [network.code])) {
        throw refuse("network_taken", { code: network.code });
      }
      const row = view.insertKeyed(Networks, {
        ...NETWORK_FALLBACKS,
        ...fields,
        isActive: true,
        createdAtMs: nowMs,
      });
      view.insertKeyed(NetworkCursors, {
        network: network.code,
        scanHeight: network.startHeight - 1,
        topHeight: network.startHeight - 1,
        tipHeight: network.startHeight - 1,
        finalizedHeight: null,
        finalizedAgeMs: null,
        haltedReason: null,
        paidRaw: null,
        paidAtMs: null,
        refusedGas: null,
        updatedAtMs: nowMs,
      });
      for (const currency of currencies) {
        view.insertKeyed(Currencies, {
          ...currencyFallbacks(network, currency),
          ...currency,
          network: network.code,
          isActive: true,
          createdAtMs: nowMs,
        });
      }
      recordAudit(view, {
        actor,
        action: "network.added",
        subject: `network:${row.code}`,
        detail: row,
        nowMs,
      });
      return row;
    },
  });
}

type NetworkChange = Partial<Omit<NetworkRow, "code" | "family" | "createdAtMs">>;

export async function setNetwork(
  deps: Deps,
  { code, change, actor }: { code: string; change: NetworkChange; actor: Actor },
): Promise<NetworkRow> {
  const network = await findNetwork(deps, code);
  const gone = tracesGone(network.code);
  return await deps.db.write({
    reads: [read(Networks, [network.code]), alertRead(gone.kind, gone.subject)],
    decide: (view) => {
      const before = view.get(Networks, [network.code]);
      const nowMs = deps.clock.nowMs();
      const subject = `network:${network.code}`;
      recordAudit(view, {
        actor,
        action: "network.changed",
        subject,
        detail: { before, change },
        nowMs,
      });
      if (change.traces || change.rpcUrls) closeAlert(view, { ...gone, nowMs });
      return view.update(Networks, before, change);
    },
  });
}

export async function addCurrency(
  deps: Deps,
  { currency, actor }: { currency: NewCurrency; actor: Actor },
): Promise<CurrencyRow> {
  const catalog = await deps.catalog.current();
  const { network, symbol, contractAddress } = currency;
  const its = await findNetwork(deps, network);
  checkGasMax(its, currency);
  const taken = catalog.currency(network, symbol) ??
    catalog.currencyByContract(network, contractAddress);
  const refusal = () => {
    const its = { network, symbol: taken?.symbol ?? symbol };
    return contractAddress === null
      ? refuse("native_coin_taken", its)
      : refuse("currency_taken", { ...its, contract: contractAddress });
  };
  if (taken) throw refusal();
  const nowMs = deps.clock.nowMs();
  return await deps.db.write({
    reads: [
      read(Currencies, [network, symbol]),
      read(Currencies, [network, contractAddress], "contract"),
    ],
    decide: (view) => {
      if (view.find(Currencies, [network, symbol])) throw refusal();
      const row = view.insertKeyed(Currencies, {
        ...currencyFallbacks(its, currency),
        ...currency,
        isActive: true,
        createdAtMs: nowMs,
      });
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
  checkGasMax(await findNetwork(deps, network), { ...currency, gasMax: change.gasMax });
  const apply = (view: View) => {
    const before = view.get(Currencies, [network, symbol]);
    const nowMs = deps.clock.nowMs();
    const subject = `currency:${network}/${symbol}`;
    const detail = { before, change };
    recordAudit(view, { actor, action: "currency.changed", subject, detail, nowMs });
    return view.update(Currencies, before, change);
  };
  const reads = [read(Currencies, [network, symbol])];
  return isSameToken(currency, change)
    ? await deps.db.write({ reads, decide: apply })
    : await whileUnbooked(deps, {
      currency,
      contract: change.contractAddress,
      reads,
      decide: apply,
    });
}

/** The operator's wallet for gas top-ups; created on first use, then always the same. */
export async function gasWallet(
  deps: Deps,
  { actor, ...order }: { network: string; actor: Actor },
): Promise<{ network: string; address: string }> {
  const network = await findNetwork(deps, order.network);
  const stored = await gasWalletOf(deps.db, network.code);
  if (stored) await genuine(deps, Addresses, [stored]);
  if (stored) return { network: network.code, address: stored.address };
  const plan = { network, accountId: null, purpose: "gas", actor } as const;
  return { network: network.code, address: (await makeWallet(deps, plan)).address };
}
