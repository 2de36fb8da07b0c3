import { deleteExpiredSignatures, deleteExpiredSignIns } from "../store/housekeeping.ts";
import type { Deps } from "./deps.ts";

/** A clock that ran ahead and was set right must not let an exact copy of a request in again. */
const SIGNATURES_KEPT_MS = 24 * 3_600_000;

/** Drops what has outlived its use. */
export async function prune({ db, clock }: Deps): Promise<void> {
  await deleteExpiredSignatures(db, clock.nowMs() - SIGNATURES_KEPT_MS);
  await deleteExpiredSignIns(db, clock.nowMs());
}
