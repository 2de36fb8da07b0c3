import { ApiKeys } from "../../../src/access/tables/keys.ts";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { Networks } from "../../../src/networks/table.ts";
import { search } from "../../../src/search/reads/search.ts";
import { searchTerm } from "../../../src/search/words/term.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import type { View } from "../../../src/store/engine/workspace.ts";
import type { TestDatabase } from "../databases.ts";
import { accountFields, makeApiKey, makeNetwork } from "../reads/make_rows.ts";

export const [OTHER, OWN] = [1, 2];
export const LIMIT = 40;

/** Two accounts, each with a key that is named by its id. */
export async function openWith(
  database: TestDatabase,
  insert: (view: View) => void,
): Promise<Db> {
  const db = await database.open();
  await db.write({
    reads: [],
    decide: (view) => {
      view.insertKeyed(Networks, makeNetwork("ETH", null));
      for (const accountId of [OTHER, OWN]) {
        view.insertKeyed(Accounts, { ...accountFields(), id: accountId });
        const key = { keyId: `k${accountId}`, permissions: [], revokedAtMs: null };
        view.insertKeyed(ApiKeys, { ...makeApiKey(key), accountId });
      }
      insert(view);
    },
  });
  return db;
}

interface Asked {
  readonly text: string;
  /** Null: of all. */
  readonly accountId: number | null;
}

export async function idsFound(
  db: Db,
  { text, accountId }: Asked,
): Promise<{ payments: number[]; payouts: number[] }> {
  const found = await search(db, { term: searchTerm(text)!, accountId, limit: LIMIT });
  const [payments, payouts] = [found.transactions, found.withdrawals].map((rows) =>
    rows.map(({ id }) => id)
  );
  return { payments: payments!, payouts: payouts! };
}
