import { deleteExpiredSignatures } from "../store/housekeeping.ts";
import type { Deps } from "./deps.ts";

/** Drops what has outlived its use. */
export async function prune({ db, clock }: Deps): Promise<void> {
  await deleteExpiredSignatures(db, clock.nowMs());
}
