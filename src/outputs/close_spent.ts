import { BLOCKS_REMEMBERED } from "../books/depth.ts";
import { cursorOf } from "../books/find.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { spentForGood } from "./reads.ts";
import { outputRowReads } from "./record.ts";
import { Outputs } from "./table.ts";

const CLOSE_EVERY_BLOCKS = 12;
const CLOSED_PER_STEP_MAX = 500;

/** What is spent so deep that no reorganisation brings it back is looked at no more. */
export async function closeSpentOutputs(deps: Deps, network: NetworkRow): Promise<number> {
  if (familyOf(network.family).holdings !== "outputs") return 0;
  const { code } = network;
  const { outputsClosedAt } = deps.memory;
  const { scanHeight } = await cursorOf(deps, network);
  if (scanHeight < (outputsClosedAt.get(code) ?? -Infinity) + CLOSE_EVERY_BLOCKS) return 0;
  const height = scanHeight - BLOCKS_REMEMBERED;
  const rows = await spentForGood(deps.db, { network: code, height, limit: CLOSED_PER_STEP_MAX });
  if (rows.length > 0) {
    await deps.db.write({
      reads: outputRowReads(rows),
      decide: (view) => {
        for (const { id } of rows) {
          view.update(Outputs, view.get(Outputs, [id]), { open: null });
        }
      },
    });
  }
  // If more are left, the next round goes on.
  if (rows.length < CLOSED_PER_STEP_MAX) outputsClosedAt.set(code, scanHeight);
  return rows.length;
}
