import { cancelWithdrawal } from "../../actions/cancel_withdrawal.ts";
import {
  bumpWithdrawal,
  resendWithdrawal,
  revokeWithdrawal,
} from "../../actions/push_withdrawal.ts";
import { settleWithdrawal } from "../../actions/settle_withdrawal.ts";
import { WITHDRAWAL_STATUSES } from "../../domain/withdrawal_moves.ts";
import { ACTOR, command, optional, required, UsageError, withFallback } from "../command.ts";
import * as kind from "../../domain/kinds.ts";
import { withdrawals } from "../../store/list_reads.ts";
import { withdrawalShape } from "../shapes.ts";

const LISTED = 1000;
const ID = { name: "ID", help: "the withdrawal's id" };

export const WITHDRAWAL_COMMANDS = [
  command({
    words: ["withdrawal", "list"],
    summary: "Lists withdrawals, newest first",
    flags: {
      status: optional(kind.choice(WITHDRAWAL_STATUSES), {
        help: "only these",
        example: "pending",
      }),
      limit: withFallback(kind.integer({ min: 1, max: 1_000_000 }), {
        help: "at most so many",
        example: "50",
        fallback: LISTED,
      }),
    },
    examples: ["withdrawal list --status pending"],
    columns: [
      "id",
      "account_id",
      "network",
      "currency",
      "amount",
      "fee",
      "status",
      "to_address",
      "tx_hash",
      "requested_at",
      "error_message",
    ],
    run: async (context, { flags: { status, limit } }) => {
      const rows = await withdrawals((await context.deps()).db, { status, limit: limit + 1 });
      if (rows.length > limit) context.note(`Only the newest ${limit}: --limit shows more`);
      return rows.slice(0, limit).map(withdrawalShape);
    },
  }),
  command({
    words: ["withdrawal", "cancel"],
    summary: "Cancels a pending withdrawal of which nothing was signed yet",
    positionals: [ID],
    flags: {},
    examples: ["withdrawal cancel 7"],
    run: async (context, { positionals }) => {
      const order = { id: idOf(positionals), actor: ACTOR };
      return withdrawalShape(await cancelWithdrawal(await context.deps(), order));
    },
  }),
  command({
    words: ["withdrawal", "bump"],
    summary: "Sends a withdrawal that is not mined again, at a higher price; it is paid once",
    positionals: [ID],
    flags: {},
    examples: ["withdrawal bump 7"],
    run: async (context, { positionals }) => {
      const order = { id: idOf(positionals), actor: ACTOR };
      return withdrawalShape(await bumpWithdrawal(await context.deps(), order));
    },
  }),
  command({
    words: ["withdrawal", "resend"],
    summary: "Sends the same signed bytes to every node again; the worker does it by itself",
    positionals: [ID],
    flags: {},
    examples: ["withdrawal resend 7"],
    run: async (context, { positionals }) => {
      const order = { id: idOf(positionals), actor: ACTOR };
      const { row, result } = await resendWithdrawal(await context.deps(), order);
      return { ...withdrawalShape(row), result };
    },
  }),
  command({
    words: ["withdrawal", "revoke"],
    summary: "Bids with an empty transaction for the place of a withdrawal that is not mined",
    positionals: [ID],
    flags: {},
    examples: ["withdrawal revoke 7"],
    run: async (context, { positionals }) => {
      const order = { id: idOf(positionals), actor: ACTOR };
      const row = await revokeWithdrawal(await context.deps(), order);
      context.note("Whichever is mined first counts: it fails as dropped, or it is paid after all");
      return withdrawalShape(row);
    },
  }),
  command({
    words: ["withdrawal", "settle"],
    summary: "Ends a withdrawal that was mined without its token telling of a payment",
    positionals: [ID],
    flags: {
      as: required(kind.choice(["paid", "unpaid"]), {
        help: "whether its recipient has got it: debited, or given back",
        example: "unpaid",
      }),
    },
    examples: ["withdrawal settle 7 --as unpaid"],
    run: async (context, { positionals, flags }) => {
      const order = { id: idOf(positionals), isPaid: flags.as === "paid", actor: ACTOR };
      return withdrawalShape(await settleWithdrawal(await context.deps(), order));
    },
  }),
];

function idOf(positionals: readonly string[]): number {
  const id = kind.recordId.read(positionals[0]!);
  if (id === undefined) throw new UsageError(`"${positionals[0]}" is no withdrawal id`);
  return id;
}
