import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { present } from "../../../src/base/assert.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { apiClient } from "../../support/api_client.ts";
import { makePlace } from "../../support/database/database.ts";
import { startChildGateway } from "../../support/programs/child_gateway.ts";
import { enable, makeMerchant, makeNetwork } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { serveHere } from "../../support/programs/serve_here.ts";
import type { Ground, Sending } from "../../support/grounds/ground.ts";
import { GROUNDS } from "../../support/grounds/scenario.ts";
import { withdraw } from "../../support/views.ts";

const DEATHS = [
  { when: "after the bytes are saved, before any node has them", sending: "lost" },
  { when: "after a node has the bytes, before that is recorded", sending: "reply_lost" },
] as const;

for (const [family, start] of Object.entries(GROUNDS)) {
  for (const { when, sending } of DEATHS) {
    Deno.test(`${family}: a gateway killed ${when} pays a withdrawal exactly once after its restart (hazard 34)`, async () => {
      await using ground = await start();
      await using place = await makePlace({ isMigrated: true });
      const { order, credentials, hotWallet } = await killedWhileSending(place.env, {
        ground,
        sending,
      });
      const second = await serveHere(place.env);
      const api = apiClient(second.url, credentials);
      // Each block takes a part of the time that the bytes are good for.
      await eventually(async () => {
        const answer = await api.get("/v1/withdrawals/1");
        if (answer.body.data?.status === "broadcasted") await ground.mine(1);
        return answer;
      }, { until: ({ body }) => body.data?.status === "confirmed" });
      assert.equal((await withdraw(api, order)).body.data.id, 1);
      assert.equal(new Set(ground.sent).size, 1);
      assert.equal(await ground.coinsOf(ground.stranger), 10n ** BigInt(ground.coin.decimals));
      assert.equal(await ground.countSentBy(hotWallet), 1);
      await second.stop();
    });
  }
}

Deno.test("tron: a gateway killed before any node has the bytes fails the expired withdrawal (hazard T4)", async () => {
  await using ground = await GROUNDS.tron();
  await using place = await makePlace({ isMigrated: true });
  const { credentials, hotWallet } = await killedWhileSending(place.env, {
    ground,
    sending: "lost",
  });
  await ground.outlast(hotWallet);
  await ground.mine(20);
  const second = await serveHere(place.env);
  const api = apiClient(second.url, credentials);
  await eventually(() => api.get("/v1/withdrawals/1"), {
    until: ({ body }) => body.data?.status === "failed",
  });
  const { body } = await api.get("/v1/balances");
  assert.deepEqual([body.data[0].balance, body.data[0].held], ["10", "0"]);
  assert.equal(new Set(ground.sent).size, 1);
  assert.equal(await ground.countSentBy(hotWallet), 0);
  await second.stop();
});

/** A gateway with one withdrawal that it has already sent to the node. */
async function killedWhileSending(
  env: Record<string, string>,
  { ground, sending }: { ground: Ground; sending: Sending },
) {
  const first = await startChildGateway(env);
  const { credentials, hotWallet } = await prepare(env, { ground, url: first.url });
  let killed: Promise<void> | undefined;
  ground.onSending = () => {
    killed ??= first.kill();
    return sending;
  };
  const { code: network, coin: { symbol: currency } } = ground;
  const order = { network, currency, to: ground.stranger, amount: "1", reference: "r1" };
  const api = apiClient(first.url, credentials);
  await eventually(() => api.get("/v1/currencies"), {
    until: ({ body }) => body.data.length === 1,
  });
  const lastWords = await withdraw(api, order).catch(() => undefined);
  assert.ok(killed, `It died too late: ${JSON.stringify(lastWords?.body)}`);
  await killed;
  ground.onSending = () => "taken";
  return { order, credentials, hotWallet };
}

/** Another program sets up the account while the gateway serves, as an operator does. */
async function prepare(
  env: Record<string, string>,
  { ground, url }: { ground: Ground; url: string },
) {
  const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  try {
    const { code, coin, chainId, minConfirmations, rpcUrl, startHeight } = ground;
    const at = startHeight === undefined ? {} : { startHeight };
    await makeNetwork(deps, { code, ...coin, chainId, minConfirmations, rpcUrls: [rpcUrl], ...at });
    const { accountId, credentials } = await makeMerchant({ deps, url });
    const asset = { accountId, network: code, currency: coin.symbol };
    const hotWallet = await enable(deps, asset);
    await adjustBalance(deps, { ...asset, amount: "10", note: "test", actor: "test" });
    await ground.give(hotWallet, 20n * 10n ** BigInt(coin.decimals));
    const network = present((await deps.catalog.current()).network(code), "It was made");
    // Where money lies in outputs, the gateway knows it from blocks.
    await ground.mine(minConfirmations);
    const chain = deps.chains.of(network);
    const request = { from: hotWallet, to: ground.stranger, contract: null, amountRaw: 100_000n };
    await eventually(() => chain.prepareTransfer(request), {
      until: ({ kind }) => kind === "ready",
    });
    return { credentials, hotWallet };
  } finally {
    await close();
  }
}
