import { present } from "../base/assert.ts";
import { amountOf } from "../books/address_books.ts";
import { filterGenuine } from "../books/tampered.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { spendableCounts } from "../outputs/reads.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import { balancesLately } from "./balances.ts";
import { balancesOfAccounts, withdrawableOf } from "./reads/wallets.ts";
import { type WalletLevel, worstLevel } from "./rules/wallet_level.ts";
import {
  type CurrencyStock,
  fillsOf,
  isShown,
  needsOf,
  ownerOf,
  type Purse,
  stockOf,
} from "./stocks.ts";
import { Addresses, type AddressRow } from "./tables/addresses.ts";

/** A hot or gas wallet, with what is known of its holdings and needs. */
export interface WalletLook {
  readonly row: AddressRow;
  readonly network: NetworkRow;
  readonly level: WalletLevel;
  /** Outputs that it may spend; null where money isn't kept in them. */
  readonly outputs: number | null;
  /** The native coin first, then tokens that it holds or will have to pay. */
  readonly stocks: readonly CurrencyStock[];
}

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
  const needs = await needsOf(deps, group);
  // A payment that was just mined has left the wallet, and the books already say so.
  const paid = [...needs.last.values()].map(({ tx: { id } }) => id);
  const pending = [...needs.unmined.values()].flat().map(({ place }) => place);
  const stamp = [...paid, "", ...pending].join();
  const found = await balancesLately(deps, { network, asked, stamp, waitMs });
  const held = new Map(purses.map((purse, i) => {
    const raw = found?.[i];
    return [purse, raw === undefined ? undefined : amountOf(raw, purse.currency)];
  }));
  const fills = fillsOf(network, held);
  const outputs = await outputsOf(deps, group);
  const byWallet = Map.groupBy(purses, ({ wallet }) => wallet);
  return wallets.map((row) => {
    const stocks = (byWallet.get(row) ?? []).map((purse) =>
      stockOf(purse, { network, held: held.get(purse), needs, fills })
    );
    const shown = stocks.filter(isShown);
    const levels = shown.map(({ level }) => level);
    if (row.haltedReason !== null) levels.push("halted");
    const count = outputs && (outputs.get(row.address) ?? 0);
    return { row, network, stocks: shown, level: worstLevel(levels), outputs: count };
  });
}

async function outputsOf(
  { db }: Deps,
  { network: { code, family }, wallets }: Group,
): Promise<ReadonlyMap<string, number> | null> {
  if (familyOf(family).holdings === "balances") return null;
  const addresses = wallets.map(({ address }) => address);
  return await spendableCounts(db, { network: code, addresses });
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
    const { accountId } = wallet;
    const tokens = (enabledOf.get(accountId ?? 0) ?? [])
      .map((row) => ({
        row,
        currency: present(catalog.currency(network.code, row.currency), "Currencies stay"),
      }))
      .filter(({ currency }) => currency.contractAddress !== null)
      .toSorted((a, b) => a.currency.symbol < b.currency.symbol ? -1 : 1);
    return [
      {
        wallet,
        currency: native,
        isOwed: owed.has(ownerOf({ accountId, currency: native.symbol })),
      },
      ...tokens.map(({ row, currency }) => ({ wallet, currency, isOwed: owed.has(ownerOf(row)) })),
    ];
  });
}
