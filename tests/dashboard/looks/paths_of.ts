import assert from "node:assert/strict";
import { mayUse } from "../../../src/dashboard/routes.ts";
import { ROUTES } from "../../../src/dashboard/pages.ts";
import type { PageRoute } from "../../../src/dashboard/routes.ts";
import type { Role } from "../../../src/access/rules/roles.ts";

/** All of the role's pages, from the table of routes. Ids are named as in "withdrawals.id". */
export function pathsOf(role: Role, ids: Readonly<Record<string, string>>): string[] {
  return ROUTES
    .filter((route): route is PageRoute => route.kind === "page")
    .filter((route) => mayUse(role, route))
    .map(({ path }) =>
      path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => {
        const first = path.split("/")[1]!;
        return ids[`${first}.${name}`] ?? assert.fail(`No ${name} for ${path}`);
      })
    );
}

/** Of what `livedIn` and `sweptOn` leave behind. */
export const LIVED_IN_IDS = {
  "withdrawals.id": "1",
  "deposits.id": "2",
  "addresses.id": "2",
  "sweeps.id": "1",
  "invoices.id": "1",
  "counter.id": "1",
  "networks.code": "ETH",
  "networks.symbol": "ETH",
  "batches.id": "1",
  "rules.id": "1",
  "balances.network": "ETH",
  "balances.symbol": "ETH",
  "webhooks.id": "1",
  "webhooks.event": "1",
};
