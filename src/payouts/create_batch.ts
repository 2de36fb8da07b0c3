import type { FileLine } from "./rules/read_file.ts";
import { draftIds } from "./reads.ts";
import { PayoutBatches, type PayoutBatchRow } from "../withdrawals/table.ts";
import { readAll } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { randomToken } from "../base/bytes.ts";
import type { Actor, Deps } from "../deps/deps.ts";

interface BatchOrder {
  readonly accountId: number;
  readonly lines: readonly FileLine[];
  readonly actor: Actor;
}

const NAME_BYTES = 9;

/**
 * Keeps checked lines as a draft, of which nothing is paid yet, in place of the user's last one. Each
 * line has a reference of its own from here on, so that it is paid once.
 */
export async function createBatch(deps: Deps, order: BatchOrder): Promise<PayoutBatchRow> {
  // Or files checked at once would each leave a draft.
  const { batchTurns } = deps.memory;
  return await batchTurns.run(String(order.accountId), () => replaceDraft(deps, order));
}

async function replaceDraft(
  deps: Deps,
  { accountId, lines, actor }: BatchOrder,
): Promise<PayoutBatchRow> {
  const createdBy = typeof actor === "string" ? actor : actor.name;
  const name = `batch-${randomToken(NAME_BYTES)}`;
  const drafts = await draftIds(deps.db, { accountId, createdBy });
  return await deps.db.write({
    reads: readAll(PayoutBatches, drafts.map((id) => [id])),
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      for (const id of drafts) {
        const draft = view.find(PayoutBatches, [id]);
        if (draft?.startedAtMs === null) view.remove(PayoutBatches, draft);
      }
      const row = view.insert(PayoutBatches, {
        accountId,
        createdBy,
        size: lines.length,
        lines: lines.map(({ reference, ...line }) => ({
          ...line,
          reference: reference ?? `${name}-${line.line}`,
        })),
        refusals: {},
        startedAtMs: null,
        createdAtMs: nowMs,
      });
      const detail = { accountId, lines: lines.length };
      const subject = `batch:${row.id}`;
      recordAudit(view, { actor, action: "batch.checked", subject, detail, nowMs });
      return row;
    },
  });
}
