import { cursorOf } from "../books/find.ts";
import { filterGenuine } from "../books/tampered.ts";
import type { BlockAt, OutputFate } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { readOutpoint } from "../domain/outpoint.ts";
import { NetworkBlocks } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { hiddenDeposits } from "./reads/deposits.ts";
import { inputsOf } from "./reads/inputs.ts";
import { type DepositInputRow, DepositInputs } from "./tables/inputs.ts";

const HIDDEN_MS = 60_000;
const LOOKED_AT_PER_STEP_MAX = 20;

/**
 * Blocks tell what is spent from when a payment was first seen. A node that is late shows it after
 * the block that spent the same coins was read. So once no node shows it any more, they are asked
 * whether its coins are still there.
 */
export async function noteMissedSpends(deps: Deps, network: NetworkRow): Promise<number> {
  const { code } = network;
  const { pendingNoted, inputsSeen } = deps.memory;
  const shown = pendingNoted.get(code);
  // Nobody has looked yet, or they aren't seen there.
  if (!shown || !deps.chains.of(network).fates) return 0;
  const seen = inputsSeen.getOrInsertComputed(code, () => new Set());
  const txHashes = await hiddenDeposits(deps.db, {
    network: code,
    sinceMs: deps.clock.nowMs() - HIDDEN_MS,
    exceptHashes: [...shown.keys(), ...seen],
    limit: LOOKED_AT_PER_STEP_MAX,
  });
  if (txHashes.length === 0) return 0;
  const { scanHeight } = await cursorOf(deps, network);
  const block = await deps.db.find(NetworkBlocks, [code, scanHeight]);
  if (!block) return 0;
  try {
    for (const txHash of txHashes) {
      const { fate, lost } = await lookAtInputs(deps, { network, txHash, block });
      // It can come. If something else takes its coins, a block that is read later tells.
      if (fate === "unspent") seen.add(txHash);
      if (lost) await noteLost(deps, { lost, block });
    }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: code, error: error.message };
    deps.log.debug("it is not known whether the coins of deposits are still there", fields);
  }
  return txHashes.length;
}

interface Inputs {
  readonly fate: OutputFate;
  /** The one that makes it certain that the payment can't come, as it isn't in a block itself. */
  readonly lost?: DepositInputRow | undefined;
}

async function lookAtInputs(
  deps: Deps,
  { network, txHash, block }: { network: NetworkRow; txHash: string; block: BlockAt },
): Promise<Inputs> {
  const { fates } = deps.chains.of(network);
  const inputs = await inputsOf(deps.db, { network: network.code, txHash });
  const rows = await filterGenuine(deps, DepositInputs, inputs);
  const found = await fates!(block, rows.map(({ outpoint }) => outpoint));
  const known = new Map(rows.map(({ outpoint }, i) => [outpoint, found[i]!]));
  const bySpender = Map.groupBy(rows, ({ spender }) => spender);
  const judged = new Map<string, Inputs>();
  /** What an ancestor makes may come as long as what the ancestor spends is there. */
  const fateOf = ({ outpoint }: DepositInputRow): OutputFate => {
    const fate = known.get(outpoint)!;
    const { txHash: maker } = readOutpoint(outpoint);
    return fate === "unspent" || !bySpender.has(maker) ? fate : judge(maker).fate;
  };
  const judge = (spender: string): Inputs =>
    judged.getOrInsertComputed(spender, () => {
      const own = bySpender.get(spender) ?? [];
      const lost = own.find((row) => fateOf(row) === "gone");
      if (lost) return { fate: "gone", lost };
      return { fate: own.some((row) => fateOf(row) === "waiting") ? "waiting" : "unspent" };
    });
  return judge(txHash);
}

/** It was spent in this block or before, so it is at least as deep. */
async function noteLost(
  deps: Deps,
  { lost: { id, network, txHash }, block: { height, hash } }: {
    lost: DepositInputRow;
    block: BlockAt;
  },
): Promise<void> {
  await deps.db.write({
    reads: [read(DepositInputs, [id]), read(NetworkBlocks, [network, height])],
    decide: (view) => {
      const row = view.find(DepositInputs, [id]);
      if (view.find(NetworkBlocks, [network, height])?.hash !== hash) return;
      if (!row || row.spentHash !== null) return;
      view.update(DepositInputs, row, { spentBy: null, spentHeight: height, spentHash: hash });
    },
  });
  deps.log.info("the coins of a deposit are gone", { network, tx_hash: txHash, height });
}
