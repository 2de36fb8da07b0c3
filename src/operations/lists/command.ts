import { findAccount, findNetwork } from "../../books/find.ts";
import type { Deps } from "../../deps/deps.ts";
import type { Ability } from "../../access/rules/roles.ts";
import * as kind from "../../domain/kinds.ts";
import {
  type Asking,
  type Flag,
  type Flags,
  type Operation,
  operation,
  optional,
  pageFollows,
  pageWanted,
  required,
  withFallback,
} from "../operation.ts";
import type { PageOf } from "../../store/lists/order.ts";
import { type Asked, filtersOf, type List, pageOf, type Values } from "./list.ts";

interface Paging {
  readonly cursor: number | null;
  readonly limit: number;
}

interface ListCommand<Row> {
  readonly words: readonly string[];
  readonly reads?: Ability;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly columns: readonly string[];
  /** How many rows it shows if nobody says, and at most. */
  readonly limit: { readonly fallback: number; readonly max: number; readonly example?: string };
  /** It has to be of one account. */
  readonly isOfAccount?: true;
  shapes(deps: Deps, rows: readonly Row[]): readonly object[] | Promise<readonly object[]>;
}

/** Pages that find too little: each looks at some thousand rows. */
const SEARCHED_MAX = 50;
const ROWS_AT_ONCE = 1_000;

/** The command and the endpoint of the management API that show a list, newest first. */
export function listCommand<Row extends { readonly id: number }>(
  list: List<Row>,
  { limit, isOfAccount, shapes, reads = "see", ...about }: ListCommand<Row>,
): Operation {
  const flags = {
    account: isOfAccount
      ? required(kind.recordId, { help: "whose", example: "1" })
      : optional(kind.recordId, { help: "only this account's", example: "1" }),
    ...flagsOf(list),
    limit: limitFlag(limit),
  };
  return operation({
    ...{ ...about, reads, isPaged: true, flags },
    run: async (asking, { flags }) => {
      const deps = await asking.deps();
      const asked = await askedOf(deps, list, flags);
      const wanted = { title: list.title, cursor: pageWanted(asking), limit: flags.limit };
      const { rows, next } = await found(
        asking,
        wanted,
        (paged) => pageOf(deps, list, { ...asked, ...paged }),
      );
      pageFollows(asking, next);
      return await shapes(deps, rows);
    },
  });
}

export function limitFlag({ max, fallback, example = "50" }: ListCommand<never>["limit"]) {
  return withFallback(kind.integer({ min: 1, max }), {
    ...{ help: "how many at most", example, fallback },
  });
}

/** What a command lists, and a note if that isn't all. */
export async function found<Row>(
  asking: Asking,
  { title, ...paged }: Paging & { readonly title: string },
  read: (paged: Paging) => Promise<PageOf<Row>>,
): Promise<PageOf<Row>> {
  const { rows, next } = await search(paged, read);
  if (next !== null && rows.length === paged.limit) {
    asking.note(`Showing the newest ${paged.limit}; --limit shows more`);
  } else if (next !== null) {
    asking.note(`${title} before ${next} were not searched; fewer filters reach further`);
  }
  return { rows, next };
}

function flagsOf(list: List): Flags {
  const flags: Record<string, Flag<unknown>> = {};
  for (const [name, { kind, flag = name, help, example }] of filtersOf(list)) {
    if (flag !== null) flags[flag] = optional(kind, { help, example });
  }
  return flags;
}

async function askedOf(
  deps: Deps,
  list: List,
  given: Readonly<Record<string, unknown>>,
): Promise<Asked> {
  const account = given.account as number | undefined;
  if (account !== undefined) await findAccount(deps, account);
  if (given.network !== undefined) await findNetwork(deps, String(given.network));
  const values = filtersOf(list).map(([name, { flag = name }]) => [
    name,
    flag === null ? undefined : given[flag],
  ]);
  return { accountId: account ?? null, values: Object.fromEntries(values) as Values };
}

/** Rare rows take several pages. */
async function search<Row>(
  { cursor, limit: rowsMax }: Paging,
  read: (paged: Paging) => Promise<PageOf<Row>>,
): Promise<PageOf<Row>> {
  const rows: Row[] = [];
  let [next, searched]: [number | null, number] = [cursor, 0];
  do {
    const limit = Math.min(ROWS_AT_ONCE, rowsMax - rows.length);
    const page = await read({ cursor: next, limit });
    rows.push(...page.rows);
    next = page.next;
    if (page.rows.length < limit) searched++;
  } while (next !== null && rows.length < rowsMax && searched < SEARCHED_MAX);
  return { rows, next };
}
