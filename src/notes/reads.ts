import { type Db, queryOne } from "../store/engine/db.ts";
import { type NoteRow, Notes, type NoteSubject } from "./table.ts";

const ABOUT = "WHERE account_id = ? AND about = ? AND name = ?";

/** Newest first. */
export function notesOn(
  db: Db,
  { accountId, about, name, limit }: NoteSubject & { limit: number },
): Promise<NoteRow[]> {
  return db.rows(Notes, `${ABOUT} ORDER BY id DESC LIMIT ?`, [accountId, about, name, limit]);
}

export async function countNotes(
  db: Db,
  { accountId, about, name }: NoteSubject,
): Promise<number> {
  const sql = `SELECT count(*) AS count FROM notes ${ABOUT}`;
  return Number((await queryOne(db, sql, [accountId, about, name])).count);
}
