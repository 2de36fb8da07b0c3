import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { PERMISSIONS } from "../../../src/access/rules/permissions.ts";
import type { ApiClient, ApiReply } from "../../support/api_client.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";
import {
  clockedClient,
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
} from "../clocked_gateway.ts";
import { assertRefused } from "../withdrawals/refusals.ts";
import { insertTransactions } from "../rows.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps } = gateway;
await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });

/** An account with one of each thing that has an id. */
async function makeOwner() {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId, api } = merchant;
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "10", note: "", actor: "test" });
  const requestId = (await allocate(api)).body.data.request_id as number;
  const withdrawalId = (await withdraw(api)).body.data.id as number;
  const [transaction] = await insertTransactions(deps, [{ accountId }]);
  return { ...merchant, requestId, withdrawalId, transactionId: transaction!.id };
}

function allocate(api: ApiClient): Promise<ApiReply> {
  const order = { currency: "ETH", network: "ETH", user_identifier: "u" };
  return api.post("/v1/deposit-addresses", { ...order, idempotency_key: "same" });
}

function withdraw(api: ApiClient): Promise<ApiReply> {
  const to_address = `0x${"1".repeat(40)}`;
  const order = { currency: "ETH", network: "ETH", to_address, amount: "1" };
  return api.post("/v1/withdrawals", { ...order, client_reference: "same" });
}

const owner = await makeOwner();
const stranger = await makeOwner();

function withoutRequestId({ status, body }: ApiReply) {
  return { status, ...body, error: { ...body.error, request_id: "" } };
}

for (
  const [path, id] of [
    ["/v1/deposit-requests", owner.requestId],
    ["/v1/withdrawals", owner.withdrawalId],
  ] as const
) {
  Deno.test(`spec 1: another account's record of ${path} is 404, the same as a nonexistent one`, async () => {
    assert.equal((await owner.api.get(`${path}/${id}`)).status, 200);
    const foreign = await stranger.api.get(`${path}/${id}`);
    assertRefused(foreign, "not_found");
    const missing = await stranger.api.get(`${path}/${id + 1_000_000}`);
    assert.deepEqual(withoutRequestId(foreign), withoutRequestId(missing));
    const names = ({ headers }: ApiReply) => [...headers.keys()].sort();
    assert.deepEqual(names(foreign), names(missing));
  });
}

Deno.test("spec 1: another account's client_reference and idempotency_key are never replayed", async () => {
  assert.notEqual(owner.withdrawalId, stranger.withdrawalId);
  assert.notEqual(owner.requestId, stranger.requestId);
  const replay = await withdraw(stranger.api);
  assert.deepEqual([replay.status, replay.body.data.id], [200, stranger.withdrawalId]);
  const again = await allocate(stranger.api);
  assert.equal(again.body.data.request_id, stranger.requestId);
});

Deno.test("spec 1: lists have the account's own records only, for any filter or cursor", async () => {
  const queries = ["", "?limit=200", `?cursor=${stranger.transactionId + 1000}`, "?network=ETH"];
  for (const query of queries) {
    const { body } = await owner.api.get(`/v1/transactions${query}`);
    const ids = body.data.map((row: { id: number }) => row.id);
    assert.deepEqual(ids, [owner.transactionId]);
  }
  const { body } = await owner.api.get(`/v1/transactions?cursor=${owner.transactionId}`);
  assert.deepEqual(body.data, []);
});

Deno.test("spec 2.7, 4.4: hot wallets and sticky addresses of two accounts differ", async () => {
  const target = "/v1/hot-wallet-address?network=ETH";
  const wallets = await Promise.all([owner, stranger].map(({ api }) => api.get(target)));
  assert.notEqual(wallets[0]!.body.data.address, wallets[1]!.body.data.address);
  const sticky = await Promise.all([owner, stranger].map(({ api }) => allocate(api)));
  assert.notEqual(sticky[0]!.body.data.address, sticky[1]!.body.data.address);
});

Deno.test("spec 1: records belong to the account: another key of it reads them too", async () => {
  const { row, secret } = await createApiKey(deps, {
    accountId: owner.accountId,
    label: "second",
    permissions: [...PERMISSIONS],
    ipList: [],
    rateLimit: 1000,
    actor: "test",
  });
  const second = clockedClient(gateway, { keyId: row.keyId, secret });
  for (
    const target of [
      `/v1/deposit-requests/${owner.requestId}`,
      `/v1/withdrawals/${owner.withdrawalId}`,
      "/v1/transactions",
      "/v1/balances",
      "/v1/currencies",
      "/v1/hot-wallet-address?network=ETH",
    ]
  ) {
    const [own, other] = [await owner.api.get(target), await second.get(target)];
    assert.equal(other.status, 200, target);
    assert.deepEqual(other.body, own.body);
  }
});

Deno.test("spec 1: one account's withdrawals take nothing from another's balance", async () => {
  const balance = async (api: ApiClient) => (await api.get("/v1/balances")).body.data;
  const before = await balance(stranger.api);
  await owner.api.post("/v1/withdrawals", {
    currency: "ETH",
    network: "ETH",
    to_address: `0x${"1".repeat(40)}`,
    amount: "5",
  });
  assert.deepEqual(await balance(stranger.api), before);
});
