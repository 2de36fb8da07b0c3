import assert from "node:assert/strict";
import type { Reply } from "../../support/nodes/anvil.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { audit } from "../../support/auditor.ts";
import { depositWith, onlyDeposit } from "../../support/deposits.ts";
import { type Fault, type OnCall, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER, hex } from "../../support/payers.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { allocate, cursorOf, depositsOf } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";

const OTHER_HASH = `0x${"ab".repeat(32)}`;

interface Lie {
  readonly title: string;
  /** No token deposit in the block, whose log would give it away. */
  readonly isOfCoinsOnly?: boolean;
  /** The node is asked less and less often. */
  readonly isLimit?: boolean;
  /** The node's answer about the block with the deposits. */
  report(block: { number: string; hash: string }): OnCall;
}

const LIES: readonly Lie[] = [
  {
    title: "there are no logs (hazard 8)",
    report: ({ hash }) => about(["eth_getLogs"], { of: hash, answer: () => [] }),
  },
  {
    title: "there are no logs, and the block has no receipts (hazard 8)",
    report: ({ hash }) => (method, params, body) =>
      method === "eth_getBlockReceipts"
        ? instead(() => null)
        : about(["eth_getLogs"], { of: hash, answer: () => [] })(method, params, body),
  },
  {
    title: "there are no logs, and no receipt of any transaction (hazard 8)",
    report: ({ hash }) => (method, params, body) =>
      method === "eth_getTransactionReceipt"
        ? instead(() => null)
        : about(["eth_getLogs", "eth_getBlockReceipts"], { of: hash, answer: () => [] })(
          method,
          params,
          body,
        ),
  },
  {
    title: "there are no logs, and none in the receipts either, but in the bloom (hazard 8)",
    report: ({ hash }) => (method, params, body) => {
      if (method === "eth_getLogs") {
        return about([method], { of: hash, answer: () => [] })(method, params, body);
      }
      const bare = (receipt: Reply) => ({ ...receipt, logs: [] });
      if (method === "eth_getTransactionReceipt") return instead(bare);
      return method === "eth_getBlockReceipts" ? instead((all) => all.map(bare)) : "pass";
    },
  },
  {
    title: "the block is not there (hazard 9)",
    report: ({ number }) => about(["eth_getBlockByNumber"], { of: number, answer: () => null }),
  },
  {
    title: "the block is empty of transactions and names the same hash (hazard 9)",
    report: ({ number }) =>
      about(["eth_getBlockByNumber"], {
        of: number,
        answer: (block) => ({ ...block, transactions: [] }),
      }),
  },
  {
    title: "a block with a payment of coins has no transactions, but a root of some (hazard 9)",
    isOfCoinsOnly: true,
    report: ({ number }) =>
      about(["eth_getBlockByNumber"], {
        of: number,
        answer: (block) => ({ ...block, transactions: [] }),
      }),
  },
  {
    title: "the receipts are of another block (hazard 9)",
    report: () => (method) =>
      method === "eth_getTransactionReceipt"
        ? instead((receipt) => ({ ...receipt, blockHash: OTHER_HASH }))
        : "pass",
  },
  {
    title: "the logs are of another block (hazard 9)",
    report: ({ hash }) =>
      about(["eth_getLogs"], {
        of: hash,
        answer: (logs) => logs.map((log: Reply) => ({ ...log, blockHash: OTHER_HASH })),
      }),
  },
  {
    title: "the transactions are of another block (hazard 9)",
    report: ({ number }) =>
      about(["eth_getBlockByNumber"], {
        of: number,
        answer: (block) => ({
          ...block,
          transactions: block.transactions.map((tx: Reply) => ({ ...tx, blockHash: OTHER_HASH })),
        }),
      }),
  },
  {
    title: "too many requests (hazard 52)",
    isLimit: true,
    report: () => () => ({ status: 429, body: `{"error":"slow down"}` }),
  },
  {
    title: "an error inside of HTTP 200 (hazard 52)",
    report: () => () => ({ status: 200, body: `{"Error":"lack of computing resources"}` }),
  },
];

for (const { title, report, isOfCoinsOnly = false, isLimit = false } of LIES) {
  const deposits = isOfCoinsOnly ? 1 : 2;
  Deno.test(`a node that says "${title}" hides no deposit, and the cursor doesn't pass over it`, async () => {
    await using anvil = await startAnvil();
    await using proxy = await startFaultProxy(anvil.url, () => "pass");
    await using world = await startWorld({ anvil, rpcUrls: [proxy.url] });
    const token = await world.addToken();
    const { api } = world.merchant;
    const tokens = await allocate(api, { currency: "USDT", user: "tokens" });
    const coins = await allocate(api, { user: "coins" });
    await anvil.rpc("evm_setAutomine", [false]);
    proxy.onCall = () => ({ status: 503, body: "" });
    if (!isOfCoinsOnly) {
      await token.send("mint", [tokens.address, 5_000_000n], { isPooled: true });
    }
    await sendTx(anvil, { to: coins.address, valueRaw: ETHER, isPooled: true });
    await anvil.mine(1);
    const block = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
    assert.equal(block.transactions.length, deposits);
    await anvil.mine(5);
    const { bodies } = proxy;
    const asked = bodies.length;
    proxy.onCall = report(block);
    await eventually(() => Promise.resolve(bodies.length), {
      until: (n) => n > asked + (isLimit ? 4 : 12),
    });
    const { scanHeight } = await cursorOf(world.deps);
    const known = await depositsOf(api);
    assert.ok(
      scanHeight < Number(block.number) || known.length === deposits,
      `It was read up to ${scanHeight} and ${known.length} of ${deposits} deposits were found`,
    );
    proxy.onCall = () => "pass";
    await eventually(() => depositsOf(api), {
      until: (rows) => rows.length === deposits && rows.every((row) => row.status === "confirmed"),
    });
    await audit({ api, anvil, addresses: [coins.address, tokens.address] });
    await audit({
      api,
      anvil,
      addresses: [coins.address, tokens.address],
      currency: "USDT",
      token: { contract: token.address, decimals: 6 },
    });
  });
}

Deno.test("an outage of the node in the middle of a payment costs nothing but time", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url] });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await sendTx(anvil, { to: address, valueRaw: ETHER });
  await depositWith(api, { confirmations: 1 });
  proxy.onCall = () => ({ drop: "before" });
  await anvil.mine(50);
  assert.equal((await onlyDeposit(api)).confirmations, 1);
  const ready = await fetch(`${world.url}/readyz`);
  assert.equal(ready.status, 200);
  await ready.body?.cancel();
  proxy.onCall = () => "pass";
  await depositWith(api, { status: "confirmed" });
  await audit({ api, anvil, addresses: [address] });
});

/** Another answer to these questions about one block, asked for by number or by hash. */
function about(
  methods: readonly string[],
  { of, answer }: { of: string; answer: (result: Reply) => unknown },
): OnCall {
  const [number, hash] = [hex(Number(of)), of];
  return (method, params) => {
    const asked = JSON.stringify(params);
    const isAsked = asked.includes(`"${hash}"`) || asked.includes(`"${number}"`);
    return methods.includes(method) && isAsked ? instead(answer) : "pass";
  };
}

function instead(answer: (result: Reply) => unknown): Fault {
  return {
    edit: (reply) =>
      reply.result === undefined ? reply : ({ ...reply, result: answer(reply.result) }),
  };
}
