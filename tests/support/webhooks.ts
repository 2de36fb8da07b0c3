import { recordEvent } from "../../src/books/records.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { addWebhook } from "../../src/webhooks/add.ts";
import { createAccount } from "../../src/accounts/manage_accounts.ts";
import type { EventType } from "../../src/webhooks/rules/events.ts";

interface TestWebhook {
  readonly id: number;
  readonly accountId: number;
  readonly secret: string;
}

/** An endpoint of an account of its own, unless one is given. */
export async function makeWebhook(
  deps: Deps,
  { url, accountId, eventTypes = null }: {
    url: string;
    accountId?: number;
    eventTypes?: EventType[] | null;
  },
): Promise<TestWebhook> {
  const owner = accountId ?? (await createAccount(deps, { name: "Acme", actor: "test" })).id;
  const order = { accountId: owner, url, eventTypes, actor: "test" };
  const { row, secret } = await addWebhook(deps, order);
  return { id: row.id, accountId: owner, secret };
}

/** Events as a change would write them, all in one unit. */
export async function writeEvents(
  deps: Deps,
  { accountIds, type = "deposit.confirmed", nowMs = deps.clock.nowMs(), data = {} }: {
    accountIds: readonly number[];
    type?: EventType;
    nowMs?: number;
    data?: object;
  },
): Promise<void> {
  await deps.db.write({
    reads: [],
    decide: (view) =>
      accountIds.forEach((accountId, i) =>
        recordEvent(view, { accountId, type, data: { ...data, n: i }, nowMs })
      ),
  });
}
