import type { Db } from "./db.ts";

/** Every account's new deposit addresses begin at this key index, or after its last one. */
export async function depositIndexFrom(db: Db): Promise<number> {
  const [row] = await db.query(
    "SELECT deposit_index_from AS first FROM write_clock WHERE id = 1",
  );
  return Number(row!.first);
}

export async function setDepositIndexFrom(db: Db, first: number): Promise<void> {
  await db.execute([{
    sql: "UPDATE write_clock SET deposit_index_from = max(deposit_index_from, ?) WHERE id = 1",
    args: [first],
  }]);
}
