import type { Component } from "../../../base/html.ts";
import { addNote, NOTE_LENGTH_MAX } from "../../../notes/add_note.ts";
import * as kind from "../../../domain/kinds.ts";
import { notesOn } from "../../../notes/reads.ts";
import type { NoteRow, NoteSubject } from "../../../notes/table.ts";
import type { Visit } from "../../visit.ts";
import { Fold, Time } from "../facts.tsx";
import { Form, Submit } from "../form.tsx";
import { Person } from "./person.tsx";

const SHOWN_MAX = 50;

interface NotesProps {
  readonly visit: Visit;
  readonly subject: NoteSubject;
  /** Where the form goes. */
  readonly action: string;
  /** Hidden fields of the form. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** What people wrote about it, and a form for those who decide about money. */
export const NotesCard: Component<NotesProps> = async (
  { visit, subject, action, fields = {} },
) => {
  const rows = await notesOn(visit.deps.db, { ...subject, limit: SHOWN_MAX });
  if (rows.length === 0 && !visit.may("POST", action)) return null;
  return (
    <Fold
      title="Notes"
      count={rows.length}
      id="notes"
      isOpen={rows.length > 0 || visit.fault !== undefined}
    >
      <Form visit={visit} action={action}>
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <NoteField visit={visit} />
        <Submit tone="plain">Add note</Submit>
      </Form>
      {rows.length > 0 && (
        <ul class="notes">
          {rows.map((row) => <Note visit={visit} row={row} />)}
        </ul>
      )}
    </Fold>
  );
};

const NoteField = ({ visit }: { visit: Visit }) => {
  const fault = visit.fault?.fields.get("note");
  return (
    <div class="field">
      <label for="field-note">New note</label>
      <textarea
        id="field-note"
        name="note"
        rows={2}
        maxlength={NOTE_LENGTH_MAX}
        required
        aria-invalid={fault ? "true" : undefined}
        aria-describedby={fault ? "field-note-fault" : "field-note-hint"}
      >
        {`\n${visit.typed("note")}`}
      </textarea>
      {fault
        ? <p class="field-fault" id="field-note-fault">{fault}</p>
        : (
          <p class="hint" id="field-note-hint">
            Everybody who can open this page sees it. It can't be changed later.
          </p>
        )}
    </div>
  );
};

const Note = ({ visit, row: { text, author, createdAtMs } }: { visit: Visit; row: NoteRow }) => (
  <li>
    <p>
      <bdi>{text}</bdi>
    </p>
    <p class="small quiet">
      <Person visit={visit} actor={author} />, <Time atMs={createdAtMs} />
    </p>
  </li>
);

/** Browsers send two characters for the end of a line. */
const noteText: kind.Kind<string> = {
  ...kind.text({ max: NOTE_LENGTH_MAX }),
  read: (text) => kind.text({ max: NOTE_LENGTH_MAX }).read(text.replaceAll("\r\n", "\n")),
};

/** Saves the form's note. */
export async function writeNote(visit: Visit, subject: NoteSubject): Promise<void> {
  const text = visit.form.read((fields) => fields.required("note", noteText));
  await addNote(visit.deps, { subject, text, actor: visit.actor });
}
