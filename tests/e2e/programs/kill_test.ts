import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { startChildGateway } from "../../support/programs/child_gateway.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { enable, makeMerchant, makeNetwork } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { serveHere } from "../../support/programs/serve_here.ts";
import { makePlace } from "../../support/database/database.ts";

const STRANGER = "0x00000000000000000000000000000000000A11cE";
const ETHER = 10n ** 18n;

/** The gateway's last request to the node before it dies, and when it dies. */
const DEATHS: readonly {
  when: string;
  method: string;
  isForwarded: boolean;
  /**
   * The number of withdrawals. The first one is delayed, so that the others are signed and sent
   * together.
   */
  count?: number;
}[] = [
  { when: "after the hold, before it is signed", method: "eth_estimateGas", isForwarded: false },
  { when: "before it is signed and saved", method: "eth_getTransactionCount", isForwarded: false },
  {
    when: "after it is saved, before any node has it",
    method: "eth_sendRawTransaction",
    isForwarded: false,
  },
  {
    when: "after a node has it, before that is recorded",
    method: "eth_sendRawTransaction",
    isForwarded: true,
  },
  {
    when: "after several were saved together, before any node has one of them",
    method: "eth_sendRawTransaction",
    isForwarded: false,
    count: 4,
  },
  {
    when: "after a node has several that were sent together, before any of that is recorded",
    method: "eth_sendRawTransaction",
    isForwarded: true,
    count: 4,
  },
];

for (const death of DEATHS) {
  const { count = 1 } = death;
  Deno.test(
    `a gateway killed ${death.when} pays ${
      count === 1 ? "a withdrawal" : "each withdrawal"
    } exactly once after its restart (hazard 34)`,
    async () => {
      await using anvil = await startAnvil({ args: ["--block-time", "1"] });
      await using proxy = await startFaultProxy(anvil.url, () => "pass");
      const { env, remove } = await makePlace({ isMigrated: true });
      try {
        const first = await startChildGateway(env);
        const merchant = await prepare({ env, anvil, rpcUrl: proxy.url, url: first.url });
        await eventually(() => apiClient(first.url, merchant.credentials).get("/v1/currencies"), {
          until: (r) => r.body.data.length === 1,
        });
        let killed: Promise<void> | undefined;
        let isHeldUp = count === 1;
        proxy.onCall = (method, _params, body) => {
          if (!isHeldUp && method === "eth_getTransactionCount") {
            isHeldUp = true;
            return { delayMs: 500 };
          }
          if (killed || method !== death.method) return "pass";
          if (count > 1 && !body.startsWith("[")) return "pass";
          killed = (async () => {
            // The node has the bytes, but the gateway never gets its answer.
            if (death.isForwarded) {
              await eventually(() => pendingCount(anvil, merchant.hotWallet), {
                until: (n) => n >= count,
              });
            }
            await first.kill();
          })();
          return { drop: death.isForwarded ? "after" : "before" } as const;
        };
        const bodies = Array.from({ length: count }, (_, i) => ({
          currency: "ETH",
          network: "ETH",
          to_address: STRANGER,
          amount: "1",
          client_reference: `r${i}`,
        }));
        // The caller can't know the outcome: the connection dies, or the node was gone.
        const lastWords = await Promise.all(
          bodies.map((body) =>
            apiClient(first.url, merchant.credentials).post("/v1/withdrawals", body)
              .catch(() => undefined)
          ),
        );
        assert.ok(
          killed,
          `It died too late: ${JSON.stringify(lastWords.map((it) => it?.body))}`,
        );
        await killed;
        proxy.onCall = () => "pass";
        const second = await serveHere(env);
        const api = apiClient(second.url, merchant.credentials);
        const ids = bodies.map((_, i) => i + 1);
        await eventually(() => Promise.all(ids.map((id) => api.get(`/v1/withdrawals/${id}`))), {
          until: (all) => all.every((r) => r.body.data?.status === "confirmed"),
          // If other instances may be alive, a withdrawal counts as abandoned only after a while.
        });
        const replays = await Promise.all(bodies.map((body) => api.post("/v1/withdrawals", body)));
        assert.deepEqual(replays.map((it) => it.body.data.id).sort(), ids);
        const received = BigInt(await anvil.rpc("eth_getBalance", [STRANGER, "latest"]));
        assert.equal(received, BigInt(count) * ETHER);
        assert.equal(
          Number(await anvil.rpc("eth_getTransactionCount", [merchant.hotWallet, "latest"])),
          count,
        );
        const balance = { 1: "8.9949", 4: "5.9796" }[count];
        const { body: balances } = await api.get("/v1/balances");
        assert.deepEqual(balances.data, [
          { currency: "ETH", network: "ETH", balance, held: "0", available: balance },
        ]);
        await second.stop();
        assert.equal(second.logged(), "");
      } finally {
        await remove();
      }
    },
  );
}

/** Another program sets up the account while the gateway serves, as an operator does. */
async function prepare(
  { env, anvil, rpcUrl, url }: {
    env: Record<string, string>;
    anvil: Anvil;
    rpcUrl: string;
    url: string;
  },
) {
  const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  try {
    await makeNetwork(deps, { rpcUrls: [rpcUrl], minConfirmations: 2 });
    const { accountId, credentials } = await makeMerchant({ deps, url });
    const hotWallet = await enable(deps, { accountId, network: "ETH", currency: "ETH" });
    const asset = { accountId, network: "ETH", currency: "ETH" };
    await adjustBalance(deps, { ...asset, amount: "10", note: "test", actor: "test" });
    await anvil.rpc("anvil_setBalance", [hotWallet, `0x${(20n * ETHER).toString(16)}`]);
    const [none] = await deps.db.rows(Withdrawals, "LIMIT 1");
    assert.equal(none, undefined);
    return { credentials, hotWallet };
  } finally {
    await close();
  }
}

async function pendingCount(anvil: Anvil, address: string): Promise<number> {
  return Number(await anvil.rpc("eth_getTransactionCount", [address, "pending"]));
}
