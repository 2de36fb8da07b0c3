import { present } from "../../base/assert.ts";
import { at } from "../../base/lists.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import {
  levelOf,
  type Stock,
  type WalletLevel,
  worstLevel,
} from "../../domain/money/wallet_level.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { Addresses, type AddressRow } from "../../store/tables/addresses.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import type { SignedTransferRow } from "../../store/tables/signed_transfers.ts";
import { Alerts } from "../../store/tables/alerts.ts";
import {
  balancesOfAccounts,
  lastPaymentsOf,
  unminedOf,
  type Unsigned,
  unsignedPayouts,
  withdrawableOf,
} from "../../store/reads/wallets.ts";
import { amountOf } from "../books/address_books.ts";
import { Commitments } from "./funds.ts";
import { gasMissingOf } from "../books/alerts.ts";
import { balancesLately } from "./_balances.ts";
import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";

/** A hot or gas wallet, with what is known of its holdings and needs. */
export interface WalletLook {
  readonly row: AddressRow;
  readonly network: NetworkRow;
  readonly level: WalletLevel;
  /** The native coin first, then tokens that it holds or will have to pay. */
  readonly stocks: readonly CurrencyStock[];
}

export interface CurrencyStock extends Stock {
  readonly symbol: string;
  readonly level: WalletLevel;
}

const PAYMENTS_MAX = 1_000;

/**
 * One question per network, however many wallets, and a node that hangs delays nobody. Wallets that
 * somebody else wrote to the database are left out, so that nobody sends money there.
 */
export async function lookAtWallets(
  deps: Deps,
  { rows, waitMs }: { rows: readonly AddressRow[]; waitMs: number },
): Promise<WalletLook[]> {
  const catalog = await deps.catalog.current();
  const ours = await filterGenuine(deps, Addresses, rows);
  const groups = [...Map.groupBy(ours, ({ network }) => network)];
  const looks = await Promise.all(
    groups.map(([code, wallets]) =>
      lookAtNetwork(deps, {
        catalog,
        network: present(catalog.network(code), "Networks stay"),
        wallets,
        waitMs,
      })
    ),
  );
  return looks.flat();
}

interface Group {
  readonly catalog: Catalog;
  readonly network: NetworkRow;
  readonly wallets: readonly AddressRow[];
}

interface Purse {
  readonly wallet: AddressRow;
  readonly currency: CurrencyRow;
  /** The account has some of it that may be withdrawn. */
  readonly isOwed: boolean;
}

async function lookAtNetwork(
  deps: Deps,
  { waitMs, ...group }: Group & { waitMs: number },
): Promise<WalletLook[]> {
  const { network, wallets } = group;
  const purses = await pursesOf(deps, group);
  const asked = purses.map(({ wallet: { address }, currency: { contractAddress: contract } }) => ({
    address,
    contract,
  }));
  const [found, needs] = await Promise.all([
    balancesLately(deps, { network, asked, waitMs }),
    needsOf(deps, group),
  ]);
  const held = new Map(purses.map((purse, i) => [
    purse,
    found && amountOf(at(found, i), purse.currency),
  ]));
  const fills = fillsOf(network, held);
  const byWallet = Map.groupBy(purses, ({ wallet }) => wallet);
  return wallets.map((row) => {
    const stocks = (byWallet.get(row) ?? []).map((purse) =>
      stockOf(purse, { network, held: held.get(purse), needs, fills })
    );
    const shown = stocks.filter(isShown);
    const levels = shown.map(({ level }) => level);
    if (row.haltedReason !== null) levels.push("halted");
    return { row, network, stocks: shown, level: worstLevel(levels) };
  });
}

/** The coin of each wallet, plus what its account can withdraw. */
async function pursesOf({ db }: Deps, { catalog, network, wallets }: Group): Promise<Purse[]> {
  const accountIds = wallets.flatMap(({ accountId }) => accountId ?? []);
  const asked = { network: network.code, accountIds };
  const [enabled, balances] = await Promise.all([
    withdrawableOf(db, asked),
    balancesOfAccounts(db, asked),
  ]);
  const owed = new Set(balances.filter(({ balance }) => balance !== "0").map(ownerOf));
  const enabledOf = Map.groupBy(enabled, ({ accountId }) => accountId);
  const native = present(catalog.currencyByContract(network.code, null), "Networks have a coin");
  return wallets.flatMap((wallet) => {
    const tokens = (enabledOf.get(wallet.accountId ?? 0) ?? [])
      .map((row) => ({
        row,
        currency: present(catalog.currency(network.code, row.currency), "Currencies stay"),
      }))
      .filter(({ currency }) => currency.contractAddress !== null)
      .toSorted((a, b) => a.currency.symbol < b.currency.symbol ? -1 : 1);
    return [
      { wallet, currency: native, isOwed: true },
      ...tokens.map(({ row, currency }) => ({ wallet, currency, isOwed: owed.has(ownerOf(row)) })),
    ];
  });
}

interface Needs {
  /** By account and currency. */
  readonly unsigned: ReadonlyMap<string, readonly Unsigned[]>;
  readonly unmined: ReadonlyMap<string, readonly SignedTransferRow[]>;
  readonly last: ReadonlyMap<string, SignedTransferRow>;
  readonly isGasMissing: boolean;
}

async function needsOf({ db }: Deps, { network, wallets }: Group): Promise<Needs> {
  const asked = { network: network.code, senders: wallets.map(({ address }) => address) };
  const gas = gasMissingOf(network);
  const [unsigned, unmined, last, alert] = await Promise.all([
    unsignedPayouts(db, { network: network.code, limit: PAYMENTS_MAX }),
    unminedOf(db, { ...asked, limit: PAYMENTS_MAX }),
    lastPaymentsOf(db, asked),
    db.find(Alerts, [gas.kind, gas.subject, 1], "open"),
  ]);
  return {
    unsigned: Map.groupBy(unsigned, ownerOf),
    unmined: Map.groupBy(unmined, ({ sender }) => sender),
    last: new Map(last.map((row) => [row.sender, row])),
    isGasMissing: alert !== undefined,
  };
}

/** What the gas wallet owes hot wallets that are below half of the operator's target. */
function fillsOf(network: NetworkRow, held: ReadonlyMap<Purse, Amount | undefined>): Amount {
  const target = targetOf(network);
  return [...held].reduce((sum, [{ wallet, currency }, amount]) => {
    if (!amount || wallet.purpose !== "hot" || currency.contractAddress !== null) return sum;
    return amount.plus(amount).isLessThan(target) ? sum.plus(target.minus(amount)) : sum;
  }, Amount.zero(target.asset));
}

function targetOf({ code, nativeSymbol, hotGasTarget }: NetworkRow): Amount {
  return Amount.parse(hotGasTarget, assetOf({ network: code, currency: nativeSymbol }));
}

function stockOf(
  { wallet, currency, isOwed }: Purse,
  { network, held, needs, fills }: {
    network: NetworkRow;
    held: Amount | undefined;
    needs: Needs;
    fills: Amount;
  },
): CurrencyStock {
  const isGas = wallet.purpose === "gas";
  const isCoin = currency.contractAddress === null;
  const zero = amountOf(0n, currency);
  const target = targetOf(network);
  const payments = isGas ? fills.isLessThan(target) ? target : fills : zero;
  const needed = neededBy(wallet, { currency, needs }).plus(payments);
  const stock = { held, needed, target: isCoin && !isGas ? target : zero, isWanted: isOwed };
  const level = levelOf(stock);
  const isRefused = isGas && needs.isGasMissing && level === "ok";
  return { ...stock, symbol: currency.symbol, level: isRefused ? "low" : level };
}

/** What is signed or ordered and, for coins, the cost of one more payment. */
function neededBy(
  { address, accountId }: AddressRow,
  { currency, needs }: { currency: CurrencyRow; needs: Needs },
): Amount {
  const contract = currency.contractAddress;
  const unmined = needs.unmined.get(address) ?? [];
  const ordered = needs.unsigned.get(ownerOf({ accountId, currency: currency.symbol })) ?? [];
  const signedRaw = new Commitments(unmined).of(contract);
  const last = needs.last.get(address);
  const nextRaw = contract === null && last ? nextCostRaw(last) : 0n;
  return ordered.reduce(
    (sum, { amount }) => sum.plus(Amount.parse(amount, sum.asset)),
    amountOf(signedRaw + nextRaw, currency),
  );
}

function ownerOf(
  { accountId, currency }: { accountId: number | null; currency: string },
): string {
  return `${accountId} ${currency}`;
}

/** A top-up costs its amount and its fee; of a withdrawal, only the fee is sure to come again. */
function nextCostRaw(last: SignedTransferRow): bigint {
  const costRaw = BigInt(last.nativeCostMaxRaw);
  const isSame = last.purpose === "gas_topup" || last.contractAddress !== null;
  return isSame ? costRaw : costRaw - BigInt(last.amountRaw);
}

/** Leaves out tokens that are neither held nor needed. */
function isShown({ held, needed, isWanted }: CurrencyStock): boolean {
  return isWanted || !needed.isZero() || held?.isZero() === false;
}
