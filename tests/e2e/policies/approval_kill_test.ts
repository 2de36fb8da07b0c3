import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { startChildGateway } from "../../support/programs/child_gateway.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { enable, makeMerchant, makeNetwork } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { startProgram } from "../../support/programs/program.ts";
import { makePolicy } from "./_ruled.ts";
import { makePlace } from "../../support/database/database.ts";

const STRANGER = "0x00000000000000000000000000000000000A11cE";
const ETHER = 10n ** 18n;
const asset = { network: "ETH", currency: "ETH" };

/** The last request to the node of the program that approves, and whether the node gets it. */
const DEATHS = [
  { method: "eth_getTransactionCount", drop: "before" },
  { method: "eth_sendRawTransaction", drop: "before" },
  { method: "eth_sendRawTransaction", drop: "after" },
] as const;

Deno.test("killed between approval and signing, or later, a program has paid each payout once", async () => {
  await using anvil = await startAnvil({ args: ["--block-time", "1"] });
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const { env, remove } = await makePlace({ isMigrated: true });
  try {
    const { ids, credentials, hotWallet } = await prepare({ env, rpcUrl: proxy.url });
    await anvil.rpc("anvil_setBalance", [hotWallet, `0x${(20n * ETHER).toString(16)}`]);
    for (const [i, { method, drop }] of DEATHS.entries()) {
      const program = startProgram(["withdrawal", "approve", String(ids[i])], env);
      proxy.onCall = (asked) => {
        if (asked !== method) return "pass";
        program.kill("SIGKILL");
        return { drop };
      };
      assert.equal((await program.status).signal, "SIGKILL");
    }
    proxy.onCall = () => "pass";
    const gateway = await startChildGateway(env);
    const api = apiClient(gateway.url, credentials);
    await eventually(() => Promise.all(ids.map((id) => api.get(`/v1/withdrawals/${id}`))), {
      until: (all) => all.every(({ body }) => body.data.status === "confirmed"),
    });
    assert.equal(BigInt(await anvil.rpc("eth_getBalance", [STRANGER, "latest"])), 3n * ETHER);
    assert.equal(Number(await anvil.rpc("eth_getTransactionCount", [hotWallet, "latest"])), 3);
    assert.equal(await gateway.terminate(), 0, gateway.stderr());
  } finally {
    await remove();
  }
});

/** An account with three payouts that wait for an approval. */
async function prepare({ env, rpcUrl }: { env: Record<string, string>; rpcUrl: string }) {
  const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  try {
    await makeNetwork(deps, { rpcUrls: [rpcUrl], minConfirmations: 2 });
    const { accountId, credentials } = await makeMerchant({ deps, url: "http://x" });
    const hotWallet = await enable(deps, { accountId, ...asset });
    await adjustBalance(deps, { accountId, ...asset, amount: "10", note: "test", actor: "test" });
    await makePolicy({ deps }, { condition: "always", outcome: "approve" });
    const caller = { accountId, keyId: credentials.keyId, actor: "user:99", signature: null };
    const ids: number[] = [];
    for (const _ of DEATHS) {
      const order = { ...asset, toAddress: STRANGER, amount: "1", clientReference: null };
      ids.push((await createWithdrawal(deps, { ...order, caller })).row.id);
    }
    return { ids, credentials, hotWallet };
  } finally {
    await close();
  }
}
