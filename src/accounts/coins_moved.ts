import { Amount, assetOf } from "../domain/money/amount.ts";
import { coinMoves, type CoinsOf, coinsOf } from "./reads/coins.ts";
import {
  type CoinMove,
  type CoinMoveRow,
  CoinMoves,
  type CoinSumRow,
  CoinSums,
} from "./tables/coins.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import { read, readAll } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";

const MOVES_AT_ONCE = 1_000;
const STEPS_MAX = 50;

type Sum = Omit<CoinSumRow, "amount"> & { readonly amount: Amount };

/** Adds to the sums what happened since the last run. */
export async function addUpCoins(deps: Deps): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    if (await addUpSome(deps) < MOVES_AT_ONCE) return;
  }
}

async function addUpSome({ db, catalog }: Deps): Promise<number> {
  const [moves, known] = await Promise.all([
    coinMoves(db, { limit: MOVES_AT_ONCE }),
    catalog.current(),
  ]);
  if (moves.length === 0) return 0;
  const found = moves.map((move) => ({ ...move, sinceMs: move.atMs, isNew: true }));
  const added = [...sumsOf(found, known).values()];
  await db.write({
    reads: [
      ...readAll(CoinMoves, moves.map(({ id }) => [id])),
      ...added.map((sum) => read(CoinSums, keyOf(sum))),
    ],
    decide: (view) => {
      const there = moves.flatMap(({ id }) => view.find(CoinMoves, [id]) ?? []);
      // Another instance has already added some of these up.
      if (there.length < moves.length) return;
      for (const move of there) view.remove(CoinMoves, move);
      for (const sum of added) {
        const before = view.find(CoinSums, keyOf(sum));
        const amount = before ? Amount.parse(before.amount, assetOf(sum)) : undefined;
        const text = (amount?.plus(sum.amount) ?? sum.amount).toString();
        if (!before) view.insertKeyed(CoinSums, { ...sum, amount: text });
        else {
          const sinceMs = Math.min(before.sinceMs, sum.sinceMs);
          view.update(CoinSums, before, { amount: text, sinceMs });
        }
      }
    },
  });
  return moves.length;
}

/** What moved in one asset. */
interface CoinsMoved {
  readonly amounts: ReadonlyMap<CoinMove, Amount>;
  /** Of the first sweep to the account's own wallet. */
  readonly sweptSinceMs: number | undefined;
}

/** By asset, up to this moment. Undefined: so much is not added up yet that it would take long. */
export async function coinsMoved(
  { db, catalog }: Deps,
  accountId: number,
): Promise<((asset: string) => CoinsMoved) | undefined> {
  const [rows, known] = await Promise.all([
    coinsOf(db, { accountId, newMax: MOVES_AT_ONCE }),
    catalog.current(),
  ]);
  if (rows.filter(({ isNew }) => isNew).length === MOVES_AT_ONCE) return undefined;
  const sums = [...sumsOf(rows.map((row) => ({ ...row, accountId })), known).values()];
  return (asset) => {
    const own = sums.filter((sum) => assetOf(sum) === asset);
    const swept = own.find(({ kind, amount }) => kind === "swept" && !amount.isZero());
    return {
      amounts: new Map(own.map(({ kind, amount }) => [kind, amount])),
      sweptSinceMs: swept?.sinceMs,
    };
  };
}

type Moved = CoinsOf & Pick<CoinMoveRow, "accountId">;

function sumsOf(moves: readonly Moved[], catalog: Catalog): Map<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const move of moves) {
    const { accountId, network, currency, kind, sign, sinceMs } = move;
    const amount = amountOf(move, catalog);
    if (!amount) continue;
    const key = { accountId, network, currency, kind };
    const name = keyOf(key).join(" ");
    const before = sums.get(name);
    const signed = sign === 1 ? amount : amount.negated();
    sums.set(name, {
      ...key,
      amount: before?.amount.plus(signed) ?? signed,
      sinceMs: Math.min(before?.sinceMs ?? sinceMs, sinceMs),
    });
  }
  return sums;
}

/** Undefined: fees of a network that was removed. */
function amountOf({ network, currency, kind, amount, isNew }: Moved, catalog: Catalog) {
  const asset = assetOf({ network, currency });
  if (!isNew || !FEES.has(kind)) return Amount.parse(amount, asset);
  const decimals = catalog.network(network)?.nativeDecimals;
  return decimals === undefined ? undefined : Amount.fromRaw(BigInt(amount), { asset, decimals });
}

const FEES: ReadonlySet<CoinMove> = new Set(["fees", "fees_hot", "fees_inside"]);

function keyOf({ accountId, network, currency, kind }: Omit<Sum, "amount" | "sinceMs">) {
  return [accountId, network, currency, kind];
}
