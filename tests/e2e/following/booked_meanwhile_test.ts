import assert from "node:assert/strict";
import { present } from "../../../src/base/assert.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { followNetwork } from "../../../src/following/follow_network.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import {
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import { withdraw } from "../../support/views.ts";

/** Like one that looks just before a transaction is booked, and writes just after. */
function lookingTooEarly(deps: Deps): Deps {
  const find: Db["find"] = async (table, values, key) =>
    table.name === SignedTransactions.name ? undefined : await deps.db.find(table, values, key);
  return { ...deps, db: { ...deps.db, find } };
}

Deno.test("a transaction that was booked while its block was recorded is recorded with its payments", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await anvil.mine(1);
  const network = present((await deps.catalog.current()).network("ETH"), "It is the world's");
  const { fromHeight, toHeight } = await followNetwork(lookingTooEarly(deps), network);
  assert.equal(toHeight, fromHeight);
  assert.equal((await transfersOf(world))[0]!.blockHash, null);
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
});
