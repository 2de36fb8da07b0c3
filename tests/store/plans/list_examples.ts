import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { filtersOf, type List, rowsOf, type Values } from "../../../src/operations/lists/list.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { sourcePaths } from "../../tidy/source.ts";
import { listDeps } from "../reads/list_deps.ts";
import type { Ask } from "./page_examples.ts";

const COINS = [{ network: "ETH", symbol: "USDT" }, { network: "ETH", symbol: "ETH" }];
const ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

const ROOT = new URL("../../../", import.meta.url);
const files = (await sourcePaths(ROOT, "src/")).filter((path) =>
  /^src\/\w+\/(list\.ts|lists\/\w+\.ts)$/.test(path)
);
const LISTS = (await Promise.all(files.map(async (path) => {
  const exported: Readonly<Record<string, unknown>> = await import(new URL(path, ROOT).href);
  return Object.values(exported).filter(isList);
}))).flat();
assert.ok(LISTS.length >= 9);

function isList(value: unknown): value is List {
  return typeof value === "object" && value !== null && "listing" in value;
}

/** Each list with each of its filters or without, whatever the others: of one account, and of all. */
export const LISTED: readonly Ask[] = LISTS.flatMap((list) =>
  combinations(list).flatMap((values) =>
    [null, 1].flatMap((accountId) =>
      [false, true].map((isOldestFirst) => async (db: Db) => {
        const paged = { cursor: 9, limit: 5, isOldestFirst };
        await rowsOf(depsWith(db), list, { accountId, values, ...paged });
      })
    )
  )
);

function combinations(list: List): Values[] {
  return filtersOf(list)
    .reduce<Values[]>(
      (all, [name, { kind }]) => all.flatMap((one) => [one, { ...one, [name]: exampleOf(kind) }]),
      [{}],
    );
}

function exampleOf({ type, values }: List["filters"][string]["kind"]) {
  switch (type) {
    case "choice":
      return values![0]!;
    case "network":
      return "ETH";
    case "currency":
      return "USDT";
    case "from":
      return 1;
    case "until":
      return 9;
    case "linked":
      return 1;
    case "flag":
      return true;
    case "hash":
      return "ab".repeat(32);
    default:
      return ADDRESS;
  }
}

/** Whatever filters look up is found, so that each list is read. */
function depsWith(db: Db): Deps {
  const links = [1, 2].map((id) => ({ transactionId: id, withdrawalId: id }));
  const query = async (...asked: Parameters<Db["query"]>) => {
    const rows = await db.query(...asked);
    return rows.length > 0 || !/^SELECT id\n/.test(asked[0]) ? rows : [{ id: 1 }, { id: 2 }];
  };
  const list = () => Promise.resolve(links as never);
  return listDeps({ ...db, list, query }, { networks: ["ETH"], coins: COINS });
}
