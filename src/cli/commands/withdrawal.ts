import { cancelWithdrawal } from "../../actions/cancel_withdrawal.ts";
import { WITHDRAWAL_STATUSES } from "../../domain/withdrawal_moves.ts";
import { ACTOR, command, optional, UsageError, withFallback } from "../command.ts";
import * as kind from "../kinds.ts";
import { withdrawals } from "../../store/list_reads.ts";
import { withdrawalShape } from "../shapes.ts";

const LISTED = 1000;

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
    positionals: [{ name: "ID", help: "the withdrawal's id" }],
    flags: {},
    examples: ["withdrawal cancel 7"],
    run: async (context, { positionals }) => {
      const id = kind.recordId.read(positionals[0]!);
      if (id === undefined) throw new UsageError(`"${positionals[0]}" is no withdrawal id`);
      const row = await cancelWithdrawal(await context.deps(), { id, actor: ACTOR });
      return withdrawalShape(row);
    },
  }),
];
