import { first } from "../../base/lists.ts";
import { retrySweep } from "../../actions/sweeps/retry.ts";
import { SWEEP_STATES } from "../../domain/states/sweep_moves.ts";
import { findAccount } from "../../actions/books/find.ts";
import { sweepList } from "../../store/reads/pages/sweeps.ts";
import {
  operation,
  optional,
  pageFollows,
  pageWanted,
  UsageError,
  withFallback,
} from "../../operations/operation.ts";
import * as kind from "../../domain/kinds.ts";
import { sweepShape } from "../shapes/payments.ts";

const LISTED = 1000;

const LIST_SWEEPS = operation({
  words: ["sweep", "list"],
  reads: "see",
  isPaged: true,
  summary: "Lists sweeps of deposits to receiving wallets, newest first",
  flags: {
    account: optional(kind.recordId, { help: "only this account's", example: "1" }),
    state: optional(kind.choice(SWEEP_STATES), {
      help: "only those in this state",
      example: "parked",
    }),
    limit: withFallback(kind.integer({ min: 1, max: 1_000_000 }), {
      help: "how many at most",
      example: "50",
      fallback: LISTED,
    }),
  },
  examples: ["sweep list --state parked"],
  columns: [
    "id",
    "account_id",
    "network",
    "currency",
    "state",
    "failures",
    "next_try_at",
    "reason",
  ],
  run: async (context, { flags: { account, state = null, limit } }) => {
    const deps = await context.deps();
    const accountId = account === undefined ? null : (await findAccount(deps, account)).id;
    const { rows, next } = await sweepList(deps.db, {
      ...{ accountId, state, network: null, currency: null, addressIds: null },
      ...{ cursor: pageWanted(context), limit },
    });
    pageFollows(context, next);
    if (next !== null) context.note(`Showing the newest ${limit}; --limit shows more`);
    return rows.map(sweepShape);
  },
});

export const RETRY_SWEEP = operation({
  words: ["sweep", "retry"],
  changes: "operate",
  summary: "Retries a parked sweep, or a waiting one at once",
  positionals: [{ name: "ID", help: "the sweep's id" }],
  flags: {},
  examples: ["sweep retry 7"],
  run: async (context, { positionals }) => {
    const id = kind.recordId.read(first(positionals));
    if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a sweep id`);
    return sweepShape(await retrySweep(await context.deps(), { id, actor: context.actor }));
  },
});

export const SWEEP_COMMANDS = [LIST_SWEEPS, RETRY_SWEEP];
