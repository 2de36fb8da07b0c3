import { checkIntegrity, rowAccept } from "../manage_integrity.ts";
import { resumeTampered } from "../resume.ts";
import * as kind from "../../domain/kinds.ts";
import { operation, optional, required } from "../../operations/operation.ts";
import { changeOrPropose } from "../../operations/propose.ts";
import { tamperedShape } from "../shapes.ts";

export const INTEGRITY_COMMANDS = [
  operation({
    words: ["integrity", "check"],
    changes: "see_gateway",
    summary: "Checks that nobody else has changed a row that money depends on",
    flags: {},
    examples: ["integrity check"],
    run: async (context) => {
      const { rows, tampered, first } = await checkIntegrity(await context.deps());
      if (tampered > 0) context.exitWith(1);
      return {
        ok: tampered === 0,
        rows_checked: rows,
        rows_tampered: tampered,
        rows: first.map(tamperedShape),
      };
    },
  }),
  operation({
    words: ["integrity", "accept"],
    changes: "operate",
    summary: "Accepts a row as it is, after you have checked it",
    flags: {
      table: required(kind.text({ max: 100, word: "TABLE" }), {
        help: "the table, as integrity check shows it",
        example: "withdrawals",
      }),
      row: required(kind.text({ max: 300, word: "ROW" }), {
        help: "the row, as integrity check shows it",
        example: "17",
      }),
      yes: optional(kind.present, {
        help: "don't ask for confirmation (for scripts)",
        example: "",
      }),
    },
    examples: ["integrity accept --table withdrawals --row 17"],
    run: async (context, { flags: { table, row, yes } }) => {
      const warning =
        `From now on, the gateway does what row ${row} of ${table} says, payments included.`;
      if (!yes) await context.confirm({ word: "accept", warning });
      return await changeOrPropose(context, rowAccept, {
        wanted: { table, key: row },
        shape: () => {
          context.note('To continue what was paused, run "integrity resume".');
          return { table, row, accepted: true };
        },
      });
    },
  }),
  operation({
    words: ["integrity", "resume"],
    changes: "operate",
    summary: "Lets an account pay again once its tampered rows are right, accepted or gone",
    flags: {
      account: optional(kind.recordId, {
        help: "the account; without it, closes the alerts about rows that belong to no account",
        example: "1",
      }),
    },
    examples: ["integrity resume --account 1"],
    run: async (context, { flags: { account: accountId = null } }) => {
      const deps = await context.deps();
      const { closed, lifted, kept } = await resumeTampered(deps, {
        accountId,
        actor: context.actor,
      });
      if (kept > 0) {
        context.note('It stays paused where it has another reason: see "account freezes".');
      }
      return { account_id: accountId, rows_seen_to: closed.length, currencies_resumed: lifted };
    },
  }),
];
