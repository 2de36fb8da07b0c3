import { auditEnd } from "./reads/audit.ts";
import { auditFound, partiesOf } from "./reads/found.ts";
import { actorNamed, actorNames, subjectNamed } from "./reads/named.ts";
import { changesText } from "./rules/changes.ts";
import { DEED_GROUPS, deedsWanted } from "./rules/deeds.ts";
import type { AuditRow } from "./table.ts";
import { findAccount } from "../books/find.ts";
import * as kind from "../domain/kinds.ts";
import { isoUtc } from "../domain/time.ts";
import { verifyAudit } from "../integrity/verify_audit.ts";
import { found, limitFlag } from "../operations/lists/command.ts";
import { exactly, TIMES } from "../operations/lists/list.ts";
import { operation, optional } from "../operations/operation.ts";
import { barOf, showStages } from "../operations/screen/progress.ts";

export const AUDIT_COMMANDS = [
  operation({
    words: ["audit", "list"],
    reads: "see_gateway",
    summary: "Lists who did what, newest first",
    flags: {
      actor: optional(kind.text({ max: 300 }), {
        help: "only by this actor: an email, a key's id, or such as user:1",
        example: "user:1",
      }),
      subject: optional(kind.text({ max: 300 }), {
        help: "only about this, in full, such as currency:ETH/USDT",
        example: "account:1",
      }),
      action: optional(kind.choice(Object.keys(DEED_GROUPS)), {
        help: "only what is of this kind",
        example: "sign_in",
      }),
      account: optional(kind.recordId, {
        help: "only by this account's users and keys, or about them",
        example: "1",
      }),
      from: optional(TIMES.from.kind, TIMES.from),
      until: optional(TIMES.until.kind, TIMES.until),
      limit: limitFlag({ fallback: 100, max: 1_000_000 }),
    },
    examples: ["audit list", "audit list --actor user:1 --limit 20"],
    columns: ["id", "at", "actor", "ip", "action", "subject", "changed"],
    run: async (context, { flags: { action = null, ...flags } }) => {
      const deps = await context.deps();
      const { db, memory } = deps;
      const account = flags.account === undefined ? null : await findAccount(deps, flags.account);
      const actor = flags.actor === undefined ? null : await actorNamed(db, flags.actor);
      const subject = flags.subject === undefined ? null : await subjectNamed(db, flags.subject);
      const asked = {
        ...{ spans: memory.idSpans, actor, subject, actions: deedsWanted(action) },
        account: account && await partiesOf(db, account.id),
        fromMs: flags.from ?? null,
        untilMs: flags.until ?? null,
      };
      const { rows } = await found(
        context,
        { title: "Entries", cursor: null, limit: flags.limit },
        ({ cursor, limit }) =>
          exactly(limit, (limit) => auditFound(db, { ...asked, cursor, limit })),
      );
      if (rows.length === 0 && subject !== null && /^[a-z_]+$/.test(subject)) {
        context.note("--subject takes all of it, such as currency:ETH/USDT");
      }
      if (context.isJson) return rows.map(auditShape);
      const names = await actorNames(db, rows.map(({ actor }) => actor));
      return rows.map((row) => ({
        ...auditShape(row),
        actor: names.get(row.actor),
        changed: changesText(row),
      }));
    },
  }),
  operation({
    words: ["audit", "head"],
    reads: "see_gateway",
    summary:
      "Shows the newest row of the audit log; keep its hash elsewhere, to verify the log later",
    flags: {},
    examples: ["audit head --json"],
    run: async (context) => (await auditEnd((await context.deps()).db)).newest,
  }),
  operation({
    words: ["audit", "verify"],
    changes: "see_gateway",
    summary: "Checks that no row of the audit log was changed, added or removed",
    flags: {
      head: optional(kind.auditHash, {
        help: "a head hash from earlier, which must still be in the log",
        example: "9f86d081884c7d659a2feaa0c55ad015",
      }),
    },
    examples: ["audit verify"],
    run: async (context, { flags: { head: known = null } }) => {
      const deps = await context.deps();
      const { verified, unchained, brokenId, head, isKnownFound } = await showStages(
        context.tally(),
        (stages) =>
          verifyAudit(deps, {
            known,
            onProgress: (rows) => stages.next(barOf({ ...rows, what: "rows" })),
          }),
      );
      const ok = brokenId === null && isKnownFound !== false;
      if (!ok) context.exitWith(1);
      return {
        ok,
        first_broken_row: brokenId,
        rows_verified: verified,
        rows_before_the_chain: unchained,
        head_row: head?.id ?? null,
        head_hash: head?.hash ?? null,
        ...isKnownFound === null ? {} : { known_head_found: isKnownFound },
      };
    },
  }),
];

function auditShape(row: AuditRow) {
  return {
    id: row.id,
    at: isoUtc(row.atMs),
    actor: row.actor,
    ip: row.ip,
    action: row.action,
    subject: row.subject,
    detail: row.detail,
    hash: row.hash,
  };
}
