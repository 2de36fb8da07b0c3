import assert from "node:assert/strict";
import { createAccount } from "../../src/actions/manage_accounts.ts";
import { csrfOf } from "../../src/dashboard/cookies.ts";
import { apiKeys } from "../../src/store/list_reads.ts";
import { dashboardFetch, makeLogin } from "../support/dashboard.ts";
import { startGateway } from "../support/gateway.ts";

Deno.test("a key that may do nothing is not made, and what was typed stays", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { id } = await createAccount(deps, { name: "Acme", actor: "test" });
  const { token } = await makeLogin(deps, { accountId: id });
  const form = { csrf: csrfOf(token), account: String(id), label: "shop", rate_limit: "600" };
  const send = async (more: Record<string, string>) => {
    const sent = { path: "/keys/new", token, form: { ...form, ...more } };
    const answer = await dashboardFetch(url, sent);
    return { status: answer.status, text: await answer.text() };
  };

  const refused = await send({});
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Tick what it may do/);
  assert.match(refused.text, /name="label"[^>]* value="shop"/);
  assert.deepEqual(await apiKeys(deps.db, id), []);

  assert.equal((await send({ permissions: "withdraw" })).status, 200);
  assert.deepEqual((await apiKeys(deps.db, id)).map((row) => row.permissions), [["withdraw"]]);
});
