import { type RootSeals, type RootSecret, writeRoot } from "../keys/root_secret.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { Secrets } from "../store/tables/secrets.ts";
import { SEED, SEED_CONTEXT, type SeedDeps } from "./open_key_ring.ts";

/** As it was read: whoever finishes first changes it, and the others look again. */
export interface StoredRoot extends RootSecret {
  readonly sealed: string;
}

/** Of books whose rows have seals. */
export interface SealedRoot extends StoredRoot {
  readonly seals: RootSeals;
}

/** Stores what was done once, and notes it in the log, unless somebody else was first. */
export async function replaceRoot(
  { db, vault }: SeedDeps,
  { root: { phrase, seals, sealed: before }, done, note }: {
    root: SealedRoot;
    done: Partial<RootSeals>;
    note: (view: View) => void;
  },
): Promise<void> {
  const text = writeRoot({ phrase, seals: { ...seals, ...done } });
  const sealed = await vault.seal(text, SEED_CONTEXT);
  await db.write({
    reads: [read(Secrets, [SEED])],
    decide: (view) => {
      const stored = view.find(Secrets, [SEED]);
      if (stored?.sealed !== before) return;
      view.update(Secrets, stored, { sealed });
      note(view);
    },
  });
}
