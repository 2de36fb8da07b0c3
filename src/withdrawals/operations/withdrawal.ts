import { first, one, zip } from "../../base/lists.ts";
import { genuine } from "../../books/tampered.ts";
import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { isUnsigned } from "../../integrity/never_signed.ts";
import { listCommand } from "../../operations/lists/command.ts";
import { operation, optional, required, UsageError } from "../../operations/operation.ts";
import { ownerOfId } from "../../operations/owners.ts";
import { whyUnsignedText } from "../../operations/words/why_unsigned.ts";
import { whyNotAllowed } from "../../payouts/why_unsigned.ts";
import { revokedWithdrawals } from "../../transfers/reads/transfers.ts";
import { cancelWithdrawal } from "../cancel.ts";
import { WITHDRAWALS } from "../list.ts";
import { bumpWithdrawal, resendWithdrawal, revokeWithdrawal } from "../push.ts";
import { settleByHand } from "../settle_by_hand.ts";
import { withdrawalShape } from "../shapes.ts";
import { type WithdrawalRow, Withdrawals } from "../table.ts";

const ID = { name: "ID", help: "the withdrawal's id" };

const ANYWAY = optional(kind.present, {
  help: "even after many bids; --fee-max still applies",
  example: "",
});

const LIST_WITHDRAWALS = listCommand(WITHDRAWALS, {
  words: ["withdrawal", "list"],
  summary: "Lists withdrawals, newest first",
  limit: { fallback: 1_000, max: 1_000_000 },
  examples: ["withdrawal list --status pending", "withdrawal list --reference order-7"],
  columns: [
    ...["id", "account_id", "network", "currency", "amount", "fee", "status"],
    ...["client_reference", "why_unsigned", "revoking", "to_address", "tx_hash", "requested_at"],
    "error_message",
  ],
  shapes: shapesOf,
});

const SHOW_WITHDRAWAL = operation({
  words: ["withdrawal", "show"],
  reads: "see",
  of: ownerOfId(Withdrawals),
  summary: "Shows a withdrawal, which pages call a payout",
  positionals: [ID],
  flags: {},
  examples: ["withdrawal show 7"],
  run: async (context, { positionals }) => {
    const id = idOf(positionals);
    const deps = await context.deps();
    const row = await deps.db.find(Withdrawals, [id]);
    if (!row) throw refuse("withdrawal_unknown", { id });
    await genuine(deps, Withdrawals, [row]);
    return await shapeOf(deps, row);
  },
});

export const CANCEL_WITHDRAWAL = operation({
  words: ["withdrawal", "cancel"],
  changes: "pay",
  of: ownerOfId(Withdrawals),
  isUrgent: true,
  summary: "Cancels a pending withdrawal that is not signed yet",
  positionals: [ID],
  flags: {},
  examples: ["withdrawal cancel 7"],
  run: async (context, { positionals }) => {
    const order = { id: idOf(positionals), actor: context.actor };
    const deps = await context.deps();
    return await shapeOf(deps, await cancelWithdrawal(deps, order));
  },
});

export const BUMP_WITHDRAWAL = operation({
  words: ["withdrawal", "bump"],
  changes: "pay",
  of: ownerOfId(Withdrawals),
  isUrgent: true,
  summary: "Sends an unmined withdrawal again at a higher price; it is paid only once",
  positionals: [ID],
  flags: { anyway: ANYWAY },
  examples: ["withdrawal bump 7", "withdrawal bump 7 --anyway"],
  run: async (context, { positionals, flags: { anyway: isAnyway } }) => {
    const order = { id: idOf(positionals), isAnyway: isAnyway === true, actor: context.actor };
    const deps = await context.deps();
    const shape = await shapeOf(deps, await bumpWithdrawal(deps, order));
    if (shape.revoking) {
      context.note(
        "It is being revoked, so this outbid the empty transaction, not the payment",
      );
    }
    return shape;
  },
});

export const RESEND_WITHDRAWAL = operation({
  words: ["withdrawal", "resend"],
  changes: "pay",
  of: ownerOfId(Withdrawals),
  isUrgent: true,
  summary:
    "Sends the same signed bytes to every node again; the worker also does this automatically",
  positionals: [ID],
  flags: {},
  examples: ["withdrawal resend 7"],
  run: async (context, { positionals }) => {
    const order = { id: idOf(positionals), actor: context.actor };
    const deps = await context.deps();
    const { row, result } = await resendWithdrawal(deps, order);
    return { ...await shapeOf(deps, row), result };
  },
});

export const REVOKE_WITHDRAWAL = operation({
  words: ["withdrawal", "revoke"],
  changes: "pay",
  of: ownerOfId(Withdrawals),
  isUrgent: true,
  summary: "Tries to replace an unmined withdrawal with an empty transaction",
  positionals: [ID],
  flags: { anyway: ANYWAY },
  examples: ["withdrawal revoke 7", "withdrawal revoke 7 --anyway"],
  run: async (context, { positionals, flags: { anyway: isAnyway } }) => {
    const order = { id: idOf(positionals), isAnyway: isAnyway === true, actor: context.actor };
    const deps = await context.deps();
    const row = await revokeWithdrawal(deps, order);
    context.note(
      "Whichever is mined first counts: the withdrawal fails as dropped, or is paid after all",
    );
    return await shapeOf(deps, row);
  },
});

export const SETTLE_WITHDRAWAL = operation({
  words: ["withdrawal", "settle"],
  changes: "operate",
  summary: "Settles a withdrawal that was mined without a payment log",
  positionals: [ID],
  flags: {
    as: required(kind.choice(["paid", "unpaid"]), {
      help: "whether the recipient received it; if not, the money goes back to the balance",
      example: "unpaid",
    }),
  },
  examples: ["withdrawal settle 7 --as unpaid"],
  run: async (context, { positionals, flags }) => {
    const order = { id: idOf(positionals), isPaid: flags.as === "paid", actor: context.actor };
    return withdrawalShape(await settleByHand(await context.deps(), order));
  },
});

export const WITHDRAWAL_COMMANDS = [
  LIST_WITHDRAWALS,
  SHOW_WITHDRAWAL,
  CANCEL_WITHDRAWAL,
  BUMP_WITHDRAWAL,
  RESEND_WITHDRAWAL,
  REVOKE_WITHDRAWAL,
  SETTLE_WITHDRAWAL,
];

async function shapesOf(deps: Deps, rows: readonly WithdrawalRow[]) {
  const [revoked, whys] = await Promise.all([
    revokedWithdrawals(deps.db, rows.map(({ id }) => id)),
    Promise.all(rows.map((row) => isUnsigned(row) ? whyNotAllowed(deps, row) : [])),
  ]);
  return zip(rows, whys).map(([row, whys]) => ({
    ...withdrawalShape(row),
    why_unsigned: whys.length === 0 ? null : whys.map(whyUnsignedText).join("; "),
    revoking: row.status === "broadcasted" && revoked.has(row.id),
  }));
}

async function shapeOf(deps: Deps, row: WithdrawalRow) {
  return one(await shapesOf(deps, [row]));
}

function idOf(positionals: readonly string[]): number {
  const id = kind.recordId.read(first(positionals));
  if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a withdrawal id`);
  return id;
}
