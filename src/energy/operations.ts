import { first } from "../base/lists.ts";
import { findNetwork } from "../books/find.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { energyOf, type Stake } from "../domain/energy.ts";
import * as kinds from "../domain/kinds.ts";
import { Amount } from "../domain/money/amount.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { type Asking, operation, optional, UsageError } from "../operations/operation.ts";
import { gasWallet } from "../wallets/gas_wallet.ts";
import { depositAddressesAmong } from "./reads.ts";
import type { NetworkRow } from "../networks/table.ts";
import { stakeQuestion, sweepsPerDay, unstakeQuestion, whenBack } from "./rules/stakes.ts";
import { changeStake, energyOn, planStake, type StakeKind } from "./stake.ts";

export const NETWORK_ENERGY = operation({
  words: ["network", "energy"],
  changes: "operate",
  summary: "Shows what the gas wallet has staked for energy, stakes more, or unstakes",
  positionals: [{ name: "CODE", help: "the code of a TRON network, such as TRX" }],
  flags: {
    stake: optional(kinds.amount, {
      help:
        "so many coins of the gas wallet are staked for energy; it says what that gives and asks",
      example: "10000",
    }),
    unstake: optional(kinds.amount, {
      help:
        "so many staked coins give no energy any more, and come back after the chain's waiting time",
      example: "500",
    }),
    yes: optional(kinds.present, { help: "don't ask for confirmation (for scripts)", example: "" }),
  },
  examples: ["network energy TRX", "network energy TRX --stake 10000"],
  run: async (context, { flags: { stake, unstake, yes: isSure = false }, positionals }) => {
    if (stake !== undefined && unstake !== undefined) {
      throw new UsageError("--stake and --unstake are two commands: give one of them");
    }
    const deps = await context.deps();
    const network = await findNetwork(deps, first(positionals));
    energyOn(deps, network);
    const { address } = await gasWallet(deps, { network: network.code, actor: context.actor });
    const here = { deps, network, address };
    const amount = stake ?? unstake;
    if (amount !== undefined) {
      const kind = stake === undefined ? "unstake" : "stake";
      await changeHere(context, { ...here, kind, amount, isSure });
    }
    return await energyShape(context, here);
  },
});

interface Here {
  readonly deps: Deps;
  readonly network: NetworkRow;
  /** The gas wallet's. */
  readonly address: string;
}

async function changeHere(
  context: Asking,
  { deps, network, address, kind, amount, isSure }: Here & {
    kind: StakeKind;
    amount: string;
    isSure: boolean;
  },
): Promise<void> {
  const changing = await planStake(deps, { network, kind, amount });
  const { stake, amountRaw, unstakingDays: days } = changing;
  const lentToOursRaw = await lentToOurs({ deps, network, address });
  const more = kind === "stake" ? amountRaw : -amountRaw;
  const after = { ...stake, stakedRaw: stake.stakedRaw + more };
  const perDay = (one: Stake) => sweepsOf(one, { network, lentToOursRaw });
  const sweeps = { before: perDay(stake), after: perDay(after) };
  const said = { amount, symbol: network.nativeSymbol, address, days, sweeps };
  const nowMs = deps.clock.nowMs();
  const { word, warning } = kind === "stake"
    ? stakeQuestion(said)
    : unstakeQuestion({ ...said, nowMs });
  if (isSure || context.caller !== null) context.note(warning);
  else if (context.isAsked) await context.confirm({ word, warning });
  else throw refuse("stake_unconfirmed", { network: network.code });
  const txHash = await changeStake(deps, { changing, actor: context.actor });
  const then = kind === "stake" ? "" : `, and the coins come back ${whenBack(days, nowMs)}`;
  context.note(`${txHash} was sent: it counts once it is in a block${then}`);
}

async function energyShape(context: Asking, here: Here) {
  const { deps, network, address } = here;
  const [stake, lentToOursRaw] = await Promise.all([
    energyOn(deps, network).energy.stakeOf(address),
    lentToOurs(here),
  ]);
  for (const line of beside(stake, network)) context.note(line);
  return {
    network: network.code,
    staked_trx: coins(stake.stakedRaw, network),
    energy_free: Number(energyOf(stake.lendableRaw, stake.rate)),
    energy_delegated: Number(energyOf(stake.lentRaw, stake.rate)),
    sweeps_per_day: sweepsOf(stake, { network, lentToOursRaw }),
  };
}

function sweepsOf(
  stake: Stake,
  { network, lentToOursRaw }: { network: NetworkRow; lentToOursRaw: bigint },
): number {
  const energyPerSweep = familyOf(network.family).usualGas.tokens;
  return sweepsPerDay(stake, { lentToOursRaw, energyPerSweep });
}

async function lentToOurs({ deps, network, address }: Here): Promise<bigint> {
  const loans = await energyOn(deps, network).energy.loansOf(
    address,
    (borrowers) => depositAddressesAmong(deps.db, { network: network.code, borrowers }),
  );
  return loans.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
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
