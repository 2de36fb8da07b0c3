import type { Db } from "../store/engine/db.ts";
import { auditChainAfter, auditEnd, auditHashBefore } from "../audit/reads/audit.ts";
import { auditPage } from "../audit/reads/page.ts";
import { openHead } from "../store/engine/chain_rows.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";
import type { Seals } from "../store/engine/seals.ts";
import {
  beginAfter,
  GATEWAY,
  MOVED,
  newTrail,
  REQUESTED,
  STOPPED,
  take,
  type Trail,
} from "./trail.ts";

const PAGE = 1000;

/** An old row may be stored under a new one's id; the time in the log tells them apart. */
type Requested = Pick<WithdrawalRow, "id" | "requestedAtMs">;

type Noted = readonly { readonly id: number; readonly action: string }[];

/** As far as this program has read the log. Several may read at once; they share what they find. */
export class AuditTrail {
  protected known: Trail | undefined;
  protected looks = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(readonly db: Db) {}

  /**
   * Whether the log proves that a withdrawal was requested and nothing happened to it since. No row
   * can be removed or changed without the hashes of all later ones. What was read once is remembered,
   * so a log that is reset to an earlier state proves nothing either.
   */
  async isUntouched({ id, requestedAtMs }: Requested, rows: Noted): Promise<boolean> {
    const seals = this.db.seals();
    if (!seals?.log) return !rows.some(({ action }) => MOVED.has(action));
    const fromId = rows.find(({ action }) => action === REQUESTED)?.id;
    if (fromId === undefined) return false;
    const asked = this.looks;
    await this.inTurn(async () => {
      // Another read that began after this request has seen as much.
      if (this.looks === asked || !this.covers(fromId)) await this.look(fromId, { seals });
    });
    return this.covers(fromId) && this.known?.waiting.get(id) === requestedAtMs;
  }

  /** Whether the stored log leads over this row to its head. */
  async leadsOver(id: number, seals: Seals): Promise<boolean> {
    await this.inTurn(async () => {
      if (!this.#isBehind(id)) await this.look(id, { seals });
    });
    return this.#isBehind(id);
  }

  #isBehind(id: number): boolean {
    return this.known !== undefined && this.known.fromId <= id && id <= this.known.id;
  }

  /** Whether signing is stopped, according to the log when it was last read. */
  get isStopped(): boolean {
    return this.known?.isStopped ?? false;
  }

  protected covers(fromId: number): boolean {
    return this.known !== undefined && this.known.fromId <= fromId;
  }

  protected inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** If the log doesn't continue what is known, everything is read again. */
  protected async lookOn(seals: Seals): Promise<Road> {
    this.looks++;
    const leastLogId = seals.newestLogId;
    const { kept } = await auditEnd(this.db);
    const head = openHead(seals.mac, kept) ?? NOWHERE;
    seals.noteLog(head.id, leastLogId);
    const road = { head, seals };
    const { known } = this;
    const isKept = known && known.fromId > seals.lostLogId && await follow(this.db, known, road);
    if (known && !isKept) {
      seals.lostLogId = Math.max(seals.lostLogId, known.id);
      this.known = undefined;
    }
    return road;
  }

  /** Reads a new trail, if it leads to the end. */
  protected async look(
    fromId: number,
    { seals, wanted }: { seals: Seals; wanted?: ReadonlySet<string> },
  ): Promise<Trail | undefined> {
    const road = await this.lookOn(seals);
    if (!wanted && this.covers(fromId) || fromId <= seals.lostLogId) return undefined;
    const [hash, [said]] = await Promise.all([
      auditHashBefore(this.db, fromId),
      auditPage(this.db, { actor: null, subject: GATEWAY, cursor: fromId, limit: 1 }),
    ]);
    const isWhole = fromId === seals.log!.id + 1;
    const trail = newTrail(fromId, { hash, isWhole, isStopped: said?.action === STOPPED, wanted });
    const reached = await follow(this.db, trail, { ...road, isAnyPart: wanted !== undefined });
    if (reached && !this.covers(reached.fromId)) this.known = reached;
    return reached;
  }
}

const NOWHERE = { id: -1, hash: "" };

interface Road {
  readonly head: { readonly id: number; readonly hash: string };
  readonly seals: Seals;
  /** After a row that doesn't follow, the trail begins anew. */
  readonly isAnyPart?: boolean;
}

/** Follows the log to the newest row, as kept beside the log. Undefined if it can't be reached. */
async function follow(
  db: Db,
  begun: Trail,
  { head, seals, isAnyPart = false }: Road,
): Promise<Trail | undefined> {
  let trail = begun;
  while (trail.id < head.id) {
    const steps = await auditChainAfter(db, { id: trail.id, limit: PAGE });
    const reached = steps.filter(({ id }) => id <= head.id);
    if (reached.length === 0) return undefined;
    for (const step of reached) {
      if (take(trail, step, seals)) continue;
      if (!isAnyPart) return undefined;
      trail = beginAfter(step, trail);
    }
  }
  return trail.id === head.id && trail.hash === head.hash ? trail : undefined;
}
