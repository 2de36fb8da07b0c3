import type { Mac } from "../base/secrets/mac.ts";
import { auditChainAfter, type AuditEnd, auditEnd, type ChainStep } from "../audit/reads/audit.ts";
import { openHead } from "../store/engine/chain_rows.ts";
import type { Seals } from "../store/engine/seals.ts";
import type { Deps } from "../deps/deps.ts";

export interface AuditVerdict {
  /** Rows with a correct hash. */
  readonly verified: number;
  /** Rows from before there were hashes. */
  readonly unchained: number;
  /** The first row that was changed or doesn't follow the one before. */
  readonly brokenId: number | null;
  /** The last correct row. Its hash, kept elsewhere, also exposes a log that was rewritten. */
  readonly head: { readonly id: number; readonly hash: string } | null;
  /** Whether the given hash is in the log; null if none was given. */
  readonly isKnownFound: boolean | null;
}

const PAGE = 1000;

/** Walks the whole log, a page at a time. */
export async function verifyAudit(
  { db }: Pick<Deps, "db">,
  { known = null, onProgress }: {
    known?: string | null;
    onProgress?: (rows: { done: number; of: number }) => void;
  } = {},
): Promise<AuditVerdict> {
  // Asked first: rows written meanwhile only add to it.
  const end = await auditEnd(db);
  const walk = new Walk(db.seals(), end, known);
  for (let id = 0;;) {
    onProgress?.({ done: id, of: end.lastId });
    const steps = await auditChainAfter(db, { id, limit: PAGE });
    for (const step of steps) {
      id = step.id;
      if (!walk.isRight(step)) return walk.verdict(id);
    }
    // Rows cut off the end are missed because ids and the head beside the log go further.
    if (steps.length < PAGE) return walk.verdict(walk.isWhole(id) ? null : id + 1);
  }
}

class Walk {
  readonly #found = { verified: 0, unchained: 0, isKnownFound: false };
  #head: AuditVerdict["head"] = null;
  #isKeyed = false;

  constructor(
    readonly seals: Seals | undefined,
    readonly end: AuditEnd,
    readonly known: string | null,
  ) {}

  isRight(step: ChainStep): boolean {
    const { id, hash } = step;
    const before = this.#head?.hash ?? null;
    const mac = this.#keyFor(id);
    // Rows from before the log was keyed can't be rewritten either.
    if (mac && !this.#isKeyed && before !== this.seals?.log?.hash) return false;
    this.#isKeyed = mac !== undefined;
    if (!mac && before === null && hash === null) {
      this.#found.unchained++;
      return true;
    }
    if (hash === null || hash !== step.expectedAfter(before, mac)) return false;
    if (mac && id === this.end.kept?.id && !this.#isKept({ id, hash }, mac)) return false;
    this.#found.verified++;
    this.#head = { id, hash };
    if (hash === this.known) this.#found.isKnownFound = true;
    return true;
  }

  #keyFor(id: number): Mac | undefined {
    const { log, mac } = this.seals ?? {};
    return log && id > log.id ? mac : undefined;
  }

  /** If this row is the last. */
  isWhole(id: number): boolean {
    const { lastId, kept } = this.end;
    return id >= lastId && (!this.seals?.log || (kept !== undefined && id >= kept.id));
  }

  verdict(brokenId: number | null): AuditVerdict {
    const { verified, unchained, isKnownFound } = this.#found;
    return {
      verified,
      unchained,
      brokenId,
      head: this.#head,
      isKnownFound: this.known === null ? null : isKnownFound,
    };
  }

  #isKept(row: { readonly id: number; readonly hash: string }, mac: Mac): boolean {
    return openHead(mac, this.end.kept)?.hash === row.hash;
  }
}
