import { tamperedShape } from "../integrity/shapes.ts";
import { command, type Context } from "../operations/command.ts";
import { required, UsageError } from "../operations/operation.ts";
import { barOf, showStages } from "../operations/screen/progress.ts";
import * as kind from "../domain/kinds.ts";
import { differenceShape } from "../reconcile/shapes.ts";
import type { CopyAudit } from "./audit_copy.ts";
import { backUp, drill, type OpenAt, restore } from "./back_up.ts";
import { move } from "./move.ts";
import { noteBackup } from "./note_backup.ts";
import { type DatabasePlace, messageOf, withoutSecrets } from "../store/connection/connect.ts";
import { TargetTaken } from "../store/upkeep/copy_database.ts";

const FILE = { name: "FILE", help: "the backup's path" };

export const BACKUP_COMMANDS = [
  command({
    words: ["backup"],
    here: "it writes a file",
    summary: "Copies the database to a new file while servers run, and checks the copy",
    positionals: [FILE],
    flags: {},
    examples: ["backup /backups/cpg-2026-01-31.db"],
    run: async (context, { positionals }) => {
      const file = fileOf(positionals);
      // Where the copy goes, this program may not be allowed to remove it.
      await context.host.proveKey();
      let isUpToDate = true;
      const audit = await checking(context, (openCopy) => {
        const openAt: OpenAt = async (place) => {
          const copy = await openCopy(place);
          isUpToDate = copy.migrated.applied.length === 0;
          return copy;
        };
        return backUp(placeOf(context), { file, openAt });
      });
      const shape = auditShape(context, file, audit);
      // To note it there, this program would have to update the database, which nobody asked for.
      if (shape.ok && isUpToDate) await note(context, file);
      return shape;
    },
  }),
  command({
    words: ["drill"],
    here: "it reads and writes files",
    summary: "Checks that a backup can be restored, its secrets open and its books balance",
    positionals: [FILE],
    flags: {},
    examples: ["drill /backups/cpg-2026-01-31.db"],
    run: async (context, { positionals }) => {
      const file = fileOf(positionals);
      const audit = await checking(context, (openAt) => drill(file, openAt, placeOf(context).url));
      return auditShape(context, file, audit);
    },
  }),
  command({
    words: ["restore"],
    here: "it changes the database under a server",
    summary: "Creates a new database from a backup; its wallets are halted until you resume them",
    positionals: [FILE],
    flags: {},
    examples: ["restore /backups/cpg-2026-01-31.db"],
    run: async (context, { positionals }) => {
      const file = fileOf(positionals);
      const to = placeOf(context);
      const { haltedWallets, ...audit } = await checking(
        context,
        (openAt) => restore(file, { to, openAt }),
      ).catch((error) => {
        throw advised(error, to);
      });
      context.note(`Created the database at ${withoutSecrets(to.url)}.`);
      context.note(
        "Payments made after the backup are not in it. Let the server catch up, run deposit " +
          "recover and rescan, book what was sent with wallet adopt, reconcile, and only then run " +
          "wallet resume.",
      );
      return { ...auditShape(context, file, audit), halted_wallets: haltedWallets };
    },
  }),
  command({
    words: ["move"],
    here: "it changes where the database is",
    summary: "Moves the database from its file to a libSQL server, and compares every row",
    flags: {
      to: required(kind.databaseServer, {
        help: "the server, which must be empty; its token is CPG_DATABASE_TOKEN",
        example: "libsql://cpg.example.com",
      }),
    },
    examples: ["move --to libsql://cpg.example.com"],
    run: async (context, { flags }) => {
      const { host } = context;
      let keyFile: string | undefined;
      const to = { url: flags.to, token: host.env.CPG_DATABASE_TOKEN || undefined };
      const tally = context.tally();
      const moved = await move({ url: host.databaseUrl() }, {
        to,
        // Brought up to date first; and a wrong master key is noticed before anything is copied.
        openAt: async (place) => {
          tally.show("Checking books and seals ...");
          const opened = await opener(context)(place);
          keyFile = opened.keyFile;
          return opened;
        },
        onRows: ({ copied, of }) => tally.show(barOf({ done: copied, of, what: "rows copied" })),
        onCompared: ({ compared, of }) =>
          tally.show(barOf({ done: compared, of, what: "rows compared" })),
      }).finally(tally.erase);
      const token = to.token === undefined ? "" : ", CPG_DATABASE_TOKEN";
      const key = keyFile === undefined
        ? "CPG_MASTER_KEY as it is"
        : `CPG_MASTER_KEY (what stands in ${keyFile})`;
      context.note(
        `Set CPG_DATABASE_URL=${
          withoutSecrets(to.url)
        }${token} and ${key} for every program, then ` +
          `start the server. The file is kept as ${moved.keptFile}, and takes no writes any more.`,
      );
      return {
        to: withoutSecrets(to.url),
        kept_file: moved.keptFile,
        tables: moved.tables,
        rows: moved.rows,
        accounts: moved.accounts,
        ledger_entries: moved.ledgerEntries,
        secrets: moved.secrets,
        audit_head: moved.auditHead,
      };
    },
  }),
];

type OpenCopy = ReturnType<typeof opener>;

/** Each copy is opened to be checked. */
function checking<T>(context: Context, work: (openAt: OpenCopy) => Promise<T>): Promise<T> {
  return showStages(context.tally(), (stages) => {
    stages.nextBlocking("Copying the database");
    const open = opener(context);
    return work((place) => {
      stages.next("Checking the copy");
      return open(place);
    });
  });
}

/** The command has no flag for the target, so the hint names the variable. */
function advised(error: Error, to: DatabasePlace): Error {
  if (!(error instanceof TargetTaken)) return error;
  return new TargetTaken(to, "move it away, or set CPG_DATABASE_URL to a new one");
}

function fileOf(positionals: readonly string[]): string {
  const [file] = positionals;
  if (!file) throw new UsageError("FILE is empty");
  return file;
}

function placeOf({ host }: Context) {
  return { url: host.databaseUrl(), token: host.env.CPG_DATABASE_TOKEN || undefined };
}

/** The backup is good, whether it can be noted or not. */
async function note(context: Context, file: string): Promise<void> {
  try {
    await noteBackup(await context.deps(), { file, actor: context.actor });
  } catch (error) {
    context.warn(`"status" won't know of this backup: ${messageOf(error)}`);
  }
}

function opener({ host }: Context) {
  return ({ url, token = "" }: DatabasePlace) =>
    host.open({ CPG_DATABASE_URL: url, CPG_DATABASE_TOKEN: token }, { isCopy: true });
}

function auditShape(context: Context, file: string, audit: CopyAudit) {
  const ok = audit.differences.length + audit.tampered.length === 0 && audit.brokenAuditId === null;
  if (!ok) context.exitWith(1);
  return {
    file,
    ok,
    accounts: audit.accounts,
    ledger_entries: audit.ledgerEntries,
    withdrawals: audit.withdrawals,
    transactions: audit.transactions,
    secrets: audit.secrets,
    differences: audit.differences.map(differenceShape),
    tampered: audit.tampered.map(tamperedShape),
    audit_head: audit.auditHead,
    first_broken_audit_row: audit.brokenAuditId,
  };
}
