import assert from "node:assert/strict";
import { setUserDisabled, setUserRole } from "../../../src/access/change_user.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { createUser } from "../../../src/access/manage_users.ts";
import type { Role } from "../../../src/access/rules/roles.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { apiClient } from "../../support/api_client.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import type { World } from "../../support/world.ts";

async function keyMadeBy({ deps, url, merchant: { accountId } }: World, role: Role) {
  const order = { email: `${role}@example.com`, role, accountId, actor: "test" };
  const user = await createUser(
    deps,
    role === "operator" ? { ...order, accountId: null } : order,
    null,
  );
  const { row: { keyId }, secret } = await createApiKey(deps, {
    ...{ accountId, label: role, permissions: ["manage_invoices"], ipList: [], rateLimit: 600 },
    actor: { name: `user:${user.id}`, ip: "127.0.0.1" },
  });
  return { user, api: apiClient(url, { keyId, secret }) };
}

Deno.test("checkout: accepting takes a role that may, also by key: no developer's key accepts", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  /** An invoice of which one base unit arrived. */
  const barelyPaid = async (reference: string) => {
    const method = { network: "ETH", currency: "ETH" };
    const { body: { data } } = await api.post("/v1/invoices", {
      ...{ amount: "0.01", currency: "ETH", method, reference },
    });
    await sendTx(anvil, { to: data.methods[0].address, valueRaw: 1n });
    await settleAll(world);
    await judgeDue(deps);
    return data.invoice_id as number;
  };
  const id = await barelyPaid("one");
  const developer = await keyMadeBy(world, "developer");
  const accept = (one: typeof api, to = id) =>
    one.post(`/v1/invoices/${to}/accept`, { reason: crypto.randomUUID() });
  const refused = await accept(developer.api);
  assert.deepEqual([refused.status, refused.body.error.code, refused.body.message], [
    403,
    "role_denied",
    "The role developer may not do this",
  ]);
  assert.equal((await accept(developer.api, 999)).status, 403);
  // Whatever else its permission allows.
  const extended = await developer.api.post(`/v1/invoices/${id}/extend`, { expires_in: 600 });
  assert.equal(extended.status, 200);
  for (const role of ["merchant", "finance", "operator"] as const) {
    const one = await keyMadeBy(world, role);
    const { status, body } = await accept(one.api, await barelyPaid(role));
    assert.deepEqual([status, body.data?.status], [200, "paid"], role);
  }
  const order = { id: developer.user.id, role: "finance", actor: "test", isOwn: false } as const;
  await setUserRole(deps, order);
  assert.equal((await accept(developer.api)).body.data.status, "paid");
  const another = await barelyPaid("another");
  const disabling = { id: developer.user.id, actor: "test", isOwn: false } as const;
  await setUserDisabled(deps, { ...disabling, isDisabled: true });
  const barred = await accept(developer.api, another);
  assert.deepEqual([barred.status, barred.body.error.code], [403, "role_denied"]);
  await setUserDisabled(deps, { ...disabling, isDisabled: false });
  assert.equal((await accept(developer.api, another)).status, 200);
});
