import type { Client } from "@libsql/client";
import { MOVED } from "../connection/faults.ts";

/**
 * A file that was moved takes no writes any more: neither of whoever serves it under any name, nor
 * of a program that had it open, whose write nobody would ever see. Reading it still works.
 */
const MARK = "moved_elsewhere";

export const UNMARK = `DROP TRIGGER IF EXISTS ${MARK}`;

/** Every write of ours moves the clock. */
export function marking(url: string): string {
  return `CREATE TRIGGER ${MARK} BEFORE UPDATE ON write_clock
BEGIN SELECT RAISE(ABORT, '${MOVED} ${url.replaceAll("'", "''")}'); END`;
}

/** Where it was moved to; undefined: nowhere. */
export async function markIn(client: Pick<Client, "execute">): Promise<string | undefined> {
  const { rows } = await client.execute(
    `SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = '${MARK}'`,
  );
  const [, url] = new RegExp(`${MOVED} (.*)'\\); END$`).exec(String(rows[0]?.sql)) ?? [];
  return url?.replaceAll("''", "'");
}
