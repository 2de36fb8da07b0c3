import { invariant } from "../base/assert.ts";
import { OperatorError, Refused } from "../domain/refusal.ts";
import { read } from "../store/engine/workspace.ts";
import { PayoutBatches, type PayoutBatchRow } from "../withdrawals/table.ts";
import { recordAudit } from "../books/records.ts";
import { isGenuine } from "../books/tampered.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { batchState, type LineState } from "./batch_state.ts";
import { batchSums, isCovered } from "./check_batch.ts";
import { type Paid, payByHand } from "./pay.ts";

interface Sending {
  readonly batch: PayoutBatchRow;
  readonly actor: Actor;
  /** No other line is begun after this time, because a person is waiting for the page. */
  readonly budgetMs?: number;
  /** Words for the refusal of a line. */
  wordsOf(refusal: LineRefusal): string;
}

export type LineRefusal = Exclude<Paid, { kind: "paid" }> | {
  readonly kind: "refused";
  readonly error: OperatorError | Refused;
};

const BUDGET_MS = 6_000;
const AT_ONCE = 4;

/**
 * Pays the lines that aren't paid yet, as far as the time allows; called again, it goes on. Each is
 * paid under its own reference, so it makes no difference whether this was interrupted, runs twice
 * at once, or is repeated. Returns how many lines were not tried.
 */
export async function sendBatch(deps: Deps, sending: Sending): Promise<number> {
  const { batch, actor, wordsOf, budgetMs = BUDGET_MS } = sending;
  await start(deps, { batch, actor });
  const open = (await batchState(deps, batch)).filter(({ withdrawal }) => !withdrawal);
  const untilMs = performance.now() + budgetMs;
  const refusals = new Map<number, string | undefined>();
  const left = [...open];
  const work = async () => {
    for (let line = left.shift(); line; line = left.shift()) {
      const refusal = await payLine(deps, { ...sending, line });
      refusals.set(line.line, refusal && wordsOf(refusal));
      // Each would wait as long.
      if (refusal?.kind === "not_payable" && refusal.why.code === "node_silent") left.length = 0;
      if (performance.now() >= untilMs) return;
    }
  };
  try {
    await Promise.all(Array.from({ length: await workersFor(deps, { batch, open }) }, work));
  } finally {
    await noteRefusals(deps, { batch, refusals });
  }
  return left.length;
}

/** If the hot wallet may run dry, one at a time, so that each sees what the ones before it left. */
async function workersFor(
  deps: Deps,
  { batch: { accountId }, open }: { batch: PayoutBatchRow; open: readonly LineState[] },
): Promise<number> {
  const sums = await batchSums(deps, { accountId, lines: open });
  const isPlenty = sums.every((sum) => isCovered({ ...sum, amount: sum.amount.plus(sum.amount) }));
  return isPlenty ? AT_ONCE : 1;
}

async function start(
  deps: Deps,
  { batch, actor }: Pick<Sending, "batch" | "actor">,
): Promise<void> {
  invariant(await isGenuine(deps, PayoutBatches, batch), "A batch is as it was checked");
  await deps.db.write({
    reads: [read(PayoutBatches, [batch.id])],
    decide: (view) => {
      const row = view.get(PayoutBatches, [batch.id]);
      if (row.startedAtMs !== null) return;
      const nowMs = deps.clock.nowMs();
      view.update(PayoutBatches, row, { startedAtMs: nowMs });
      const subject = `batch:${batch.id}`;
      const detail = { from: "checked", to: "started" };
      recordAudit(view, { actor, action: "batch.started", subject, detail, nowMs });
    },
  });
}

/** Undefined: it is paid. */
async function payLine(
  deps: Deps,
  { batch: { accountId }, actor, line }: Sending & { line: LineState },
): Promise<LineRefusal | undefined> {
  const { network, currency, toAddress, amount, reference: clientReference } = line;
  const order = { accountId, network, currency, toAddress, amount, clientReference, actor };
  try {
    const paid = await payByHand(deps, order);
    return paid.kind === "paid" ? undefined : paid;
  } catch (error) {
    if (!(error instanceof OperatorError || error instanceof Refused)) throw error;
    return { kind: "refused", error };
  }
}

/** Only for people: whether a line is paid is never read from here. */
async function noteRefusals(
  deps: Deps,
  { batch, refusals }: {
    batch: PayoutBatchRow;
    refusals: ReadonlyMap<number, string | undefined>;
  },
): Promise<void> {
  if (refusals.size === 0) return;
  await deps.db.write({
    reads: [read(PayoutBatches, [batch.id])],
    decide: (view) => {
      const row = view.get(PayoutBatches, [batch.id]);
      const before = Object.entries(row.refusals).filter(([line]) => !refusals.has(Number(line)));
      const now = [...refusals].flatMap(([line, text]) =>
        text === undefined ? [] : [[line, text] as const]
      );
      view.update(PayoutBatches, row, { refusals: Object.fromEntries([...before, ...now]) });
    },
  });
}
