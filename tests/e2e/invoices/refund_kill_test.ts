import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { startChildGateway } from "../../support/programs/child_gateway.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import { enable, makeMerchant, makeNetwork } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { makePlace } from "../../support/database/database.ts";
import { ETH, PAYERS, submit, UNIT } from "./_refunding.ts";

/** The program's last request to the node. */
const DEATHS = [
  { method: "eth_getTransactionCount", drop: "before" },
  { method: "eth_sendRawTransaction", drop: "after" },
] as const;

Deno.test("a gateway killed between any two steps of a refund or its link pays it once", async () => {
  await using anvil = await startAnvil({ args: ["--block-time", "1"] });
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const { env, remove } = await makePlace({ isMigrated: true });
  try {
    let gateway = await startChildGateway(env);
    const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
    await makeNetwork(deps, { rpcUrls: [proxy.url], minConfirmations: 1 });
    const { accountId, credentials } = await makeMerchant({ deps, url: gateway.url });
    const hotWallet = await enable(deps, { accountId, ...ETH });
    await adjustBalance(deps, { accountId, ...ETH, amount: "1", note: "test", actor: "test" });
    await setBalance(anvil, hotWallet, ETHER);
    await close();
    const api = () => apiClient(gateway.url, credentials);
    await eventually(() => api().get("/v1/currencies"), { until: (r) => r.body.data.length === 1 });
    const asked = { amount: "0.005", currency: "ETH", method: ETH };
    const { body: { data: { invoice_id, methods } } } = await api().post("/v1/invoices", asked);
    await sendTx(anvil, { to: methods[0].address, valueRaw: 5n * UNIT });
    const read = () => api().get(`/v1/invoices/${invoice_id}`);
    await eventually(read, { until: (r) => r.body.data.status === "paid" });
    for (const [i, { method, drop }] of DEATHS.entries()) {
      let killed: Promise<unknown> | undefined;
      proxy.onCall = (called) => {
        if (killed || called !== method) return "pass";
        killed = gateway.kill();
        return { drop };
      };
      const target = `/v1/invoices/${invoice_id}/refunds`;
      const order = { ...ETH, amount: "0.001", to_address: STRANGER, client_reference: `r${i}` };
      await api().post(target, order).catch(() => undefined);
      assert.ok(killed, `It didn't die at ${method}`);
      await killed;
      proxy.onCall = () => "pass";
      gateway = await startChildGateway(env);
      const { body: { data: { id } } } = await api().post(target, order);
      await eventually(() => api().get(`/v1/withdrawals/${id}`), {
        until: (r) => r.body.data?.status === "confirmed",
      });
    }
    assert.equal(await receivedBy(anvil, STRANGER), 2n * UNIT);
    const { body: { data: { refunds } } } = await read();
    assert.equal(refunds.length, DEATHS.length);
    const more = { ...ETH, amount: "0.004", to_address: STRANGER };
    const { body } = await api().post(`/v1/invoices/${invoice_id}/refunds`, more);
    assert.equal(body.error.code, "refund_too_high");
    const link = await api().post(`/v1/invoices/${invoice_id}/refund-links`, {
      ...{ ...ETH, amount: "0.003" },
    });
    const { pathname } = new URL(link.body.data.url);
    // Once while it is being stored, and once when the page has said that it is.
    for (const isAnswered of [false, true]) {
      const submitted = submit(gateway.url + pathname, PAYERS).catch(() => undefined);
      if (isAnswered) await submitted;
      await Promise.all([gateway.kill(), submitted]);
      gateway = await startChildGateway(env);
      const { body } = await read();
      const made = body.data.refunds.length - DEATHS.length;
      assert.ok(isAnswered ? made === 1 : made <= 1, `${made} payouts were made`);
    }
    await submit(gateway.url + pathname, STRANGER);
    assert.match(await (await fetch(gateway.url + pathname)).text(), /Thank you/);
    const { body: { data } } = await read();
    const last = data.refunds.at(-1);
    assert.deepEqual([data.refunds.length, last.status], [DEATHS.length + 1, "pending"]);
    const payout = await api().get(`/v1/withdrawals/${last.withdrawal_id}`);
    assert.equal(payout.body.data.to_address.toLowerCase(), PAYERS);
    assert.equal(await gateway.terminate(), 0, gateway.stderr());
  } finally {
    await remove();
  }
});
