import assert from "node:assert/strict";
import { readAll } from "../../../src/store/engine/workspace.ts";
import { confirmDeposits } from "../../../src/deposits/confirm.ts";
import { followNetwork } from "../../../src/following/follow_network.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { settleTransfers } from "../../../src/settlement/settle_transfers.ts";
import { sweepDeposits } from "../../../src/sweeps/sweep.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { present } from "../../../src/base/assert.ts";
import type { Env } from "../../../src/app/config/variables.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { startChildGateway } from "../../support/programs/child_gateway.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import {
  enable,
  makeMerchant,
  makeNetwork,
  makeToken,
  startGateway,
} from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { serveHere } from "../../support/programs/serve_here.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import { nonceOf } from "../../support/payouts.ts";
import { signedRows } from "../../support/signed_rows.ts";
import { RECEIVER } from "../../support/sweeping.ts";
import { allocate, depositsOf, transactionsOf } from "../../support/views.ts";
import { makePlace } from "../../support/database/database.ts";

const SEND = "eth_sendRawTransaction";
const COUNT = "eth_getTransactionCount";

/** The gateway's last request to the node before it dies: the n-th of this kind. */
const DEATHS = [
  { when: "before the top-up is signed", method: COUNT, nth: 1, isForwarded: false },
  {
    when: "after the top-up is saved, before it is sent",
    method: SEND,
    nth: 1,
    isForwarded: false,
  },
  { when: "after a node has the top-up", method: SEND, nth: 1, isForwarded: true },
  { when: "after the sweep is saved, before it is sent", method: SEND, nth: 2, isForwarded: false },
  { when: "after a node has the sweep", method: SEND, nth: 2, isForwarded: true },
];

for (const death of DEATHS) {
  Deno.test(`a gateway killed ${death.when} sends gas once and sweeps once after its restart (hazards 31, 34)`, async () => {
    await using anvil = await startAnvil({ args: ["--block-time", "0.5"] });
    await using proxy = await startFaultProxy(anvil.url, () => "pass");
    const { env, remove } = await makePlace({ isMigrated: true });
    try {
      const first = await startChildGateway(env);
      const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
      const made = await prepare(deps, { anvil, rpcUrl: proxy.url, url: first.url });
      await close();
      let count = 0;
      let address = "";
      const dead = Promise.withResolvers<void>();
      const killOnce = async () => {
        // The node has the bytes, but the gateway never gets its answer.
        const sender = death.nth === 1 ? made.gas : address;
        if (death.isForwarded) {
          await eventually(() => sentBy(anvil, sender), { until: (count) => count > 0 });
        }
        await first.kill();
      };
      proxy.onCall = (method) => {
        if (method !== death.method || ++count !== death.nth) return "pass";
        killOnce().then(dead.resolve, dead.reject);
        return { drop: death.isForwarded ? "after" : "before" };
      };
      const before = apiClient(first.url, made.credentials);
      const ready = await eventually(() => before.get("/v1/currencies"), {
        until: ({ body }) => body.data.length === 2,
      });
      assert.equal(ready.status, 200);
      ({ address } = await allocate(before, { currency: "USDT" }));
      await made.token.send("mint", [address, 5_000_000n]);
      await dead.promise;
      proxy.onCall = () => "pass";
      await rest(env);
      const second = await serveHere(env);
      const api = apiClient(second.url, made.credentials);
      await eventually(() => depositsOf(api), {
        until: ([row]) => row?.status === "swept",
      });
      assert.equal(await made.token.read("balanceOf", [RECEIVER]), 5_000_000n);
      assert.deepEqual([await nonceOf(anvil, made.gas), await nonceOf(anvil, address)], [1, 1]);
      const outgoing = (await transactionsOf(api)).filter((row) => row.direction !== "deposit");
      assert.deepEqual(outgoing.map(({ direction, status }) => [direction, status]), [
        ["sweep", "confirmed"],
        ["gas_topup", "confirmed"],
      ]);
      await second.stop();
      assert.equal(second.logged(), "");
    } finally {
      await remove();
    }
  });
}

Deno.test("two instances on one database send gas once and sweep once (hazard 31)", async () => {
  await using anvil = await startAnvil();
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const other = await openGateway(gateway.config);
  try {
    const made = await prepare(deps, { anvil, rpcUrl: anvil.url, url });
    const { address } = await allocate(made.api, { currency: "USDT" });
    await made.token.send("mint", [address, 5_000_000n]);
    const network = present((await deps.catalog.current()).network("ETH"), "It was added");
    for (const direction of ["gas_topup", "sweep"]) {
      await anvil.mine(2);
      while (!(await followNetwork(deps, network)).isCaughtUp);
      await confirmDeposits(deps, network);
      if (direction === "sweep") await settleTransfers(deps, network);
      await Promise.all(
        [deps, other.deps, deps, other.deps].map((one) => sweepDeposits(one, network)),
      );
      const rows = await signedRows(deps);
      assert.equal(rows.filter(({ purpose }) => purpose === direction).length, 1);
    }
    await anvil.mine(1);
    assert.equal(await made.token.read("balanceOf", [RECEIVER]), 5_000_000n);
    assert.deepEqual([await nonceOf(anvil, made.gas), await nonceOf(anvil, address)], [1, 1]);
  } finally {
    await other.close();
  }
});

/** Runs it as if it started later: signed bytes are sent again after ten seconds. */
async function rest(env: Env): Promise<void> {
  const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  const rows = await deps.db.rows(SignedTransactions, "");
  const earlier = (ms: number | null) => ms === null ? null : ms - 10_000;
  await deps.db.write({
    reads: readAll(SignedTransactions, rows.map(({ id }) => [id])),
    decide: (view) => {
      for (const row of rows.map(({ id }) => view.find(SignedTransactions, [id])!)) {
        const { createdAtMs, sentAtMs } = row;
        const rested = { createdAtMs: createdAtMs - 10_000, sentAtMs: earlier(sentAtMs) };
        view.update(SignedTransactions, row, rested);
      }
    },
  });
  await close();
}

/** Mined or in the pool. */
async function sentBy(anvil: Anvil, address: string): Promise<number> {
  return Number(await anvil.rpc("eth_getTransactionCount", [address, "pending"]));
}

/** Another program sets up the account while the gateway serves, as an operator does. */
async function prepare(
  deps: Deps,
  { anvil, rpcUrl, url }: { anvil: Anvil; rpcUrl: string; url: string },
) {
  await makeNetwork(deps, { rpcUrls: [rpcUrl], minConfirmations: 2 });
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await makeToken(deps, { network: "ETH", contract: token.address });
  const merchant = await makeMerchant({ deps, url });
  const { accountId } = merchant;
  for (const currency of ["ETH", "USDT"]) {
    await enable(deps, { accountId, network: "ETH", currency });
  }
  await setReceivingWallet(deps, { accountId, network: "ETH", address: RECEIVER, actor: "test" });
  const { address: gas } = await gasWallet(deps, { network: "ETH", actor: "test" });
  await setBalance(anvil, gas, ETHER);
  return { ...merchant, token, gas };
}
