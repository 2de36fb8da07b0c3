import { first } from "../../base/lists.ts";
import { findNetwork } from "../../books/find.ts";
import { familyOf } from "../../chains/registry.ts";
import type { Deps } from "../../deps/deps.ts";
import { energyOf, type Stake } from "../../domain/energy.ts";
import { Amount } from "../../domain/money/amount.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { operation } from "../../operations/operation.ts";
import { gasWallet } from "../../wallets/gas_wallet.ts";
import { ownedAddresses } from "../../wallets/reads/addresses.ts";
import { sweepsPerDay } from "../rules/energy.ts";
import type { NetworkRow } from "../table.ts";

export const NETWORK_ENERGY = operation({
  words: ["network", "energy"],
  reads: "operate",
  summary: "Shows what the gas wallet has staked for energy, and how many sweeps that pays for",
  positionals: [{ name: "CODE", help: "the code of a TRON network, such as TRX" }],
  flags: {},
  examples: ["network energy TRX"],
  run: async (context, { positionals }) => {
    const deps = await context.deps();
    const network = await findNetwork(deps, first(positionals));
    const { energy } = deps.chains.of(network);
    if (!energy) throw refuse("no_energy", { network: network.code });
    const wallet = await gasWallet(deps, { network: network.code, actor: context.actor });
    const [stake, loans] = await Promise.all([
      energy.stakeOf(wallet.address),
      energy.loansOf(wallet.address, (borrowers) => depositAddresses(deps, { network, borrowers })),
    ]);
    for (const line of beside(stake, network)) context.note(line);
    const lentToOursRaw = loans.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
    const energyPerSweep = familyOf(network.family).usualGas.tokens;
    return {
      network: network.code,
      staked_trx: coins(stake.stakedRaw, network),
      energy_free: Number(energyOf(stake.lendableRaw, stake.rate)),
      energy_delegated: Number(energyOf(stake.lentRaw, stake.rate)),
      sweeps_per_day: sweepsPerDay(stake, { lentToOursRaw, energyPerSweep }),
    };
  },
});

/** What is lent to a hot wallet is the operator's own affair, and pays for no sweep. */
async function depositAddresses(
  deps: Deps,
  { network, borrowers }: { network: NetworkRow; borrowers: readonly string[] },
): Promise<ReadonlySet<string>> {
  const rows = await ownedAddresses(deps.db, { network: network.code, addresses: borrowers });
  return new Set(rows.flatMap(({ purpose, address }) => purpose === "deposit" ? [address] : []));
}

function beside({ bandwidth: { free, staked }, unstaking }: Stake, network: NetworkRow): string[] {
  const left = ({ limit, used }: { limit: bigint; used: bigint }) =>
    `${limit > used ? limit - used : 0n} of ${limit}`;
  const bytes = `Bandwidth left: ${left(free)} free, ${left(staked)} by stake`;
  const symbol = network.nativeSymbol;
  return [
    bytes,
    ...unstaking.map(({ amountRaw, collectableAtMs }) =>
      `${coins(amountRaw, network)} ${symbol} come back on ${
        new Date(collectableAtMs).toISOString().slice(0, 10)
      }`
    ),
  ];
}

function coins(raw: bigint, { nativeSymbol: asset, nativeDecimals: decimals }: NetworkRow): string {
  return Amount.fromRaw(raw, { asset, decimals }).toString();
}
