import assert from "node:assert/strict";
import { prune } from "../../../src/upkeep/prune.ts";
import { deleteSettledEvents } from "../../../src/store/upkeep/housekeeping.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import { makeMerchant, startGateway } from "../../support/gateway.ts";
import { makeWebhook, writeEvents } from "../../support/webhooks.ts";

const URL = "https://shop.example/hook";
const DAY_MS = 86_400_000;

/** A webhook waits for the first events, and nobody for those after them. */
async function makeEvents({ waiting, settled }: { waiting: number; settled: number }) {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const { accountId } = await makeWebhook(deps, { url: URL });
  const other = await makeMerchant(gateway, { name: "Without webhooks" });
  const accountIds = [
    ...Array<number>(waiting).fill(accountId),
    ...Array<number>(settled).fill(other.accountId),
  ];
  await writeEvents(deps, { accountIds });
  const left = async () => (await deps.db.rows(Events, "")).map((row) => row.accountId);
  return {
    deps,
    left,
    /** Nobody waits for its events. */
    accountId: other.accountId,
    waitingOnes: Array<number>(waiting).fill(accountId),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

Deno.test("old events are looked at in portions, and only those are deleted that nobody waits for", async () => {
  await using made = await makeEvents({ waiting: 3, settled: 2 });
  const { deps: { db }, left, waitingOnes } = made;
  const old = { beforeMs: Date.now() + DAY_MS, limit: 2 };
  let afterId: number | undefined = 0;
  let portions = 0;
  for (; afterId !== undefined; portions++) {
    afterId = await deleteSettledEvents(db, { ...old, afterId });
  }
  assert.equal(portions, 3);
  assert.deepEqual(await left(), waitingOnes);
  assert.equal(await deleteSettledEvents(db, { ...old, afterId: 0, beforeMs: 0 }), undefined);
});

Deno.test("an event from a time that never came keeps none of those after it", async () => {
  await using made = await makeEvents({ waiting: 249, settled: 0 });
  const { deps, accountId, left, waitingOnes } = made;
  const nowMs = Date.now();
  await writeEvents(deps, { accountIds: [accountId], nowMs: nowMs + 400 * DAY_MS });
  await writeEvents(deps, { accountIds: [accountId, accountId] });
  await prune({ ...deps, clock: { nowMs: () => nowMs + 31 * DAY_MS } });
  assert.deepEqual(await left(), [...waitingOnes, accountId]);
});

Deno.test("however many events nobody received, the next rounds delete those after them", async () => {
  await using made = await makeEvents({ waiting: 5_000, settled: 2 });
  const { deps, left, waitingOnes } = made;
  const later = { ...deps, clock: { nowMs: () => Date.now() + 31 * DAY_MS } };
  await prune(later);
  assert.equal((await left()).length, 5_002);
  await prune(later);
  assert.deepEqual(await left(), waitingOnes);
});
