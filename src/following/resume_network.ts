import { alertRead, closeAlert } from "../books/alerts.ts";
import { cursorOf, findNetwork } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import type { Chain } from "../chains/chain.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { hashesBack } from "./_walk_back.ts";
import { rememberedBlocks } from "./reads.ts";
import { rewindNetwork } from "./rewind_network.ts";
import { commonAncestor } from "./rules/reorganisation.ts";
import { type NetworkCursorRow, NetworkCursors } from "./table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";

interface ResumeOrder {
  readonly network: string;
  /** Everything from here on is read again; absent: from where the node's chain leaves ours. */
  readonly fromBlock: number | undefined;
  readonly actor: Actor;
}

/**
 * An operator has checked why a network halted and accepts the chain as the nodes have it now: what
 * isn't on it is in no block, credits without money are taken back, and reading continues.
 */
export async function resumeNetwork(deps: Deps, order: ResumeOrder): Promise<NetworkCursorRow> {
  const network = await findNetwork(deps, order.network);
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason === null) throw refuse("network_not_halted", { network: network.code });
  const chain = deps.chains.of(network);
  const tip = await chain.tip();
  const toHeight = order.fromBlock === undefined
    ? await forkHeight(deps, { network, chain, cursor })
    : Math.min(order.fromBlock - 1, cursor.scanHeight);
  if (toHeight < cursor.scanHeight) {
    await rewindNetwork(deps, {
      network: network.code,
      toHeight,
      fromHeight: cursor.scanHeight,
      tipHeight: tip.height,
    });
  }
  // The old final block no longer counts, so the nodes are asked again.
  const { finalizedHeight } = tip;
  return await endHalt(deps, { network, toHeight, finalizedHeight, actor: order.actor });
}

async function endHalt(
  { db, clock }: Deps,
  { network: { code }, toHeight, finalizedHeight, actor }: {
    network: NetworkRow;
    toHeight: number;
    finalizedHeight: number | null;
    actor: Actor;
  },
): Promise<NetworkCursorRow> {
  return await db.write({
    reads: [read(NetworkCursors, [code]), alertRead("network_halted", code)],
    decide: (view) => {
      const row = view.get(NetworkCursors, [code]);
      const nowMs = clock.nowMs();
      closeAlert(view, { kind: "network_halted", subject: code, nowMs });
      const subject = `network:${code}`;
      const sides = { before: { haltedReason: row.haltedReason }, after: { haltedReason: null } };
      const detail = { ...sides, from_block: toHeight + 1 };
      recordAudit(view, { actor, action: "network.resumed", subject, detail, nowMs });
      return view.update(NetworkCursors, row, { haltedReason: null, finalizedHeight });
    },
  });
}

/** The highest common block. If it is below everything remembered, only the operator can name it. */
async function forkHeight(
  deps: Deps,
  { network, chain, cursor }: { network: NetworkRow; chain: Chain; cursor: NetworkCursorRow },
): Promise<number> {
  const remembered = await rememberedBlocks(deps.db, network.code);
  const [lowest] = remembered;
  if (!lowest) return cursor.scanHeight;
  const hashes = await hashesBack(chain, remembered);
  const shared = commonAncestor(remembered, (height) => hashes.get(height));
  if (shared) return shared.height;
  if (lowest.height <= network.startHeight) return lowest.height - 1;
  throw refuse("no_block_in_common", { network: network.code, height: lowest.height });
}
