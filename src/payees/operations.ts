import { first } from "../base/lists.ts";
import * as kind from "../domain/kinds.ts";
import { isoUtc } from "../domain/time.ts";
import {
  type Asking,
  isOwn,
  operation,
  optional,
  required,
  UsageError,
  withFallback,
} from "../operations/operation.ts";
import { ownerOfId } from "../operations/owners.ts";
import { changeOrPropose } from "../operations/propose.ts";
import { payeeAdd, removePayee } from "./payees.ts";
import { payees } from "./reads.ts";
import { type PayeeRow, Payees } from "./table.ts";

const LISTED = 1000;
const DAY_MS = 86_400_000;

export const ADD_PAYEE = operation({
  words: ["payee", "add"],
  changes: "pay",
  summary: "Lists a recipient as known; rules can allow payments only to those",
  flags: {
    account: required(kind.recordId, { help: "the account that pays it", example: "1" }),
    network: required(kind.networkCode, { help: "the network's code", example: "ETH" }),
    address: required(kind.text({ max: 256, word: "ADDRESS" }), {
      help: "the recipient",
      example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    }),
    label: required(kind.text({ max: 80 }), {
      help: "who it is",
      example: "Supplier",
      label: "Name",
      hint: "Who it is",
    }),
    "usable-after": withFallback(kind.duration({ maxMs: 30 * DAY_MS }), {
      help: "how long it must be listed before it counts",
      example: "24h",
      fallback: DAY_MS,
    }),
  },
  examples: [
    "payee add --account 1 --network ETH --address 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --label Supplier",
  ],
  run: (context, { flags }) => {
    if (isOwn(context) && flags["usable-after"] < DAY_MS) {
      throw new UsageError("Only operators may shorten --usable-after: at least 24h");
    }
    return changeOrPropose(context, payeeAdd, {
      wanted: {
        accountId: flags.account,
        network: flags.network,
        address: flags.address,
        label: flags.label,
        usableAfterMs: flags["usable-after"],
      },
      shape: ({ row, looksLike }) => ({ ...addedShape(row), ...warningOf(context, looksLike) }),
      also: ({ after }) => warningOf(context, after && "looksLike" in after && after.looksLike),
    });
  },
});

const LIST_PAYEES = operation({
  words: ["payee", "list"],
  reads: "see",
  summary: "Lists known recipients",
  flags: {
    account: optional(kind.recordId, { help: "only those of this account", example: "1" }),
    limit: withFallback(kind.integer({ min: 1, max: 1_000_000 }), {
      help: "how many at most",
      example: "50",
      fallback: LISTED,
    }),
  },
  examples: ["payee list --account 1"],
  columns: ["payee_id", "account_id", "network", "address", "label", "usable_at"],
  run: async (context, { flags: { account: accountId, limit } }) =>
    (await payees((await context.deps()).db, { accountId, limit })).map(payeeShape),
});

export const REMOVE_PAYEE = operation({
  words: ["payee", "remove"],
  changes: "pay",
  of: ownerOfId(Payees),
  isUrgent: true,
  summary: "Removes a recipient from those that are known",
  positionals: [{ name: "ID", help: "the payee's id" }],
  flags: {},
  examples: ["payee remove 1"],
  run: async (context, { positionals }) => {
    const id = kind.recordId.read(first(positionals));
    if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a payee id`);
    return {
      removed: payeeShape(await removePayee(await context.deps(), { id, actor: context.actor })),
    };
  },
});

export const PAYEE_COMMANDS = [ADD_PAYEE, LIST_PAYEES, REMOVE_PAYEE];

function addedShape(row: PayeeRow) {
  const { payee_id, usable_at } = payeeShape(row);
  return { payee_id, usable_at };
}

function warningOf(context: Asking, looksLike: unknown): { warning?: string } {
  if (typeof looksLike !== "string") return {};
  const warning =
    `It looks like ${looksLike}, which is known: if somebody sent you this address, compare every character`;
  if (!context.isJson) context.warn(warning);
  return { warning };
}

function payeeShape(row: PayeeRow) {
  return {
    payee_id: row.id,
    account_id: row.accountId,
    network: row.network,
    address: row.address,
    label: row.label,
    usable_at: isoUtc(row.usableAtMs),
    created_at: isoUtc(row.createdAtMs),
  };
}
