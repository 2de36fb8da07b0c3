import { refuse } from "../domain/refusals/refuse.ts";
import { countNotes } from "./reads.ts";
import { type NoteRow, Notes, type NoteSubject } from "./table.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";

export const NOTE_LENGTH_MAX = 500;
export const NOTES_MAX = 100;

interface NewNote {
  readonly subject: NoteSubject;
  readonly text: string;
  readonly actor: Actor;
}

/**
 * Whoever sees the payment, payout or customer sees it too. The audit log says that it was written
 * but not what, because it may be about a person, and the log keeps everything.
 */
export async function addNote(deps: Deps, { subject, text, actor }: NewNote): Promise<NoteRow> {
  if (await countNotes(deps.db, subject) >= NOTES_MAX) {
    throw refuse("notes_full", { max: NOTES_MAX });
  }
  return await deps.db.write({
    reads: [],
    decide: (view) => {
      const { nowMs } = view;
      const author = typeof actor === "string" ? actor : actor.name;
      const note = view.insert(Notes, { ...subject, text, author, createdAtMs: nowMs });
      recordAudit(view, {
        ...{ actor, action: "note.added", subject: auditSubject(subject), nowMs },
        detail: { note: note.id, account: subject.accountId },
      });
      return note;
    },
  });
}

/** As other entries about the same thing. */
function auditSubject({ about, name }: NoteSubject): string {
  return `${about === "deposit" ? "transaction" : about}:${name}`;
}
