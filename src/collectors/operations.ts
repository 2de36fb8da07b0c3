import { first } from "../base/lists.ts";
import { findNetwork } from "../books/find.ts";
import type { Deps } from "../deps/deps.ts";
import * as kind from "../domain/kinds.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import { type Asking, operation, optional, UsageError } from "../operations/operation.ts";
import { nativeAmount } from "../transfers/price.ts";
import { deployAgain, deployCollector, planDeployment } from "./deploy.ts";
import { collectorOf } from "./known.ts";
import { collectingFees, collectorRows, deploymentOf, depositAddresses } from "./reads.ts";
import { releaseAddress } from "./release.ts";
import { usableCollector } from "./usable.ts";

export const NETWORK_COLLECTOR = operation({
  words: ["network", "collector"],
  changes: "operate",
  summary: "Shows, deploys or takes back what lets the sweeps of an EVM chain share transactions",
  positionals: [{ name: "CODE", help: "the network's code, such as ETH" }],
  flags: {
    deploy: optional({ ...kind.onOff, word: "on", values: ["on"] }, {
      help: "the gas wallet deploys the contract, once; it says the cost and asks",
      example: "on",
    }),
    release: optional(kind.text({ max: 100, word: "ADDRESS" }), {
      help: "this deposit address delegates to no contract any more",
      example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    }),
    yes: optional(kind.present, { help: "don't ask for confirmation (for scripts)", example: "" }),
  },
  examples: [
    "network collector ETH",
    "network collector ETH --deploy on",
    "network collector ETH --release 0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  ],
  run: async (context, { flags: { deploy, release, yes: isSure = false }, positionals }) => {
    if (deploy === false) {
      throw new UsageError("--deploy can only be on: --release takes back what delegates");
    }
    if (deploy && release !== undefined) {
      throw new UsageError("--deploy and --release are two commands: give one of them");
    }
    const deps = await context.deps();
    const network = await findNetwork(deps, first(positionals));
    if (!deps.chains.of(network).collector) throw refuse("no_collectors", { code: network.code });
    if (deploy) await deployHere(context, { deps, network, isSure });
    if (release !== undefined) {
      const released = await releaseAddress(deps, {
        network,
        address: release,
        actor: context.actor,
      });
      const { address, txHash, isNew } = released;
      context.note(`${address} is released by ${txHash}${isNew ? "" : ", which was sent before"}`);
    }
    return await collectorShape(context, { deps, network });
  },
});

interface Here {
  readonly deps: Deps;
  readonly network: NetworkRow;
}

async function deployHere(
  context: Asking,
  { deps, network, isSure }: Here & { isSure: boolean },
): Promise<void> {
  const plan = await planDeployment(deps, network);
  if (plan.kind === "there") {
    context.note(`${plan.row.address} is there: nothing is deployed`);
    return await deployAgain(deps, { network, tx: plan.tx });
  }
  const { deploying } = plan;
  const { now, most } = deploying.cost;
  const warning = `The gas wallet ${deploying.wallet.address} deploys a contract on ` +
    `${network.code}, for about ${now} ${network.nativeSymbol}, at most ${most} ${network.nativeSymbol}.`;
  if (isSure || context.caller !== null) context.note(warning);
  else if (context.isAsked) await context.confirm({ word: "deploy", warning });
  else {
    const cost = `${now} ${network.nativeSymbol}`;
    throw refuse("collector_unconfirmed", { code: network.code, cost });
  }
  await deployCollector(deps, { deploying, actor: context.actor });
}

async function collectorShape(context: Asking, { deps, network }: Here) {
  const row = await collectorOf(deps, network);
  const tx = row && await deploymentOf(deps.db, row);
  const delegated = await countDelegated(deps, network);
  const feesRaw = await collectingFees(deps.db, network.code);
  if (row || feesRaw > 0n) {
    context.note(
      `Collecting has cost ${nativeAmount(network, feesRaw)} ${network.nativeSymbol} so far`,
    );
  }
  if (!row) {
    context.note(
      `No contract is deployed: "network collector ${network.code} --deploy on" deploys it`,
    );
  }
  const isOnItsWay = tx !== undefined && tx.blockHash === null;
  if (isOnItsWay) context.note(`${tx.txHash} deploys it, and wasn't seen in a block yet`);
  else if (row) {
    const now = await usableCollector(deps, { network, chain: deps.chains.of(network) });
    if (now.kind === "none") context.warn(`it can't be used: ${now.why}`);
  }
  return {
    network: network.code,
    mode: network.collect ?? "single",
    contract: row?.address ?? null,
    delegated,
  };
}

/** As the chain says it: restored books may not know. */
async function countDelegated(deps: Deps, network: NetworkRow): Promise<number> {
  const rows = await collectorRows(deps.db, network.code);
  const { collector } = deps.chains.of(network);
  if (rows.length === 0 || !collector) return 0;
  const ours = new Set(rows.map(({ address }) => address));
  const codes = await collector.codeAt(await depositAddresses(deps.db, network.code));
  return codes.filter((code) => code.kind === "delegated" && ours.has(code.to)).length;
}
