import type { Deps } from "../../../src/deps/deps.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { IdSpans } from "../../../src/store/lists/id_spans.ts";

interface Coin {
  readonly network: string;
  readonly symbol: string;
}

/** What lists are read with: a database, and the coins that its rows can be of. */
export function listDeps(
  db: Db,
  { networks, coins }: { readonly networks: readonly string[]; readonly coins: readonly Coin[] },
): Deps {
  const catalog = {
    networks: networks.map((code) => ({ code, family: "evm" })),
    currencies: coins,
  };
  return {
    db,
    catalog: { current: () => Promise.resolve(catalog) },
    memory: { idSpans: new IdSpans() },
    clock: { nowMs: () => 5 },
  } as unknown as Deps;
}
