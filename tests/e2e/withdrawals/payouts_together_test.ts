import assert from "node:assert/strict";
import { parseTransaction } from "viem/utils";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { type RpcCall, startRpcProxy } from "../../../src/sandbox/faults/rpc_proxy.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { rpcError } from "../../support/nodes/node_double.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  auditPayer,
  nonceOf,
  receivedBy,
  rejectedId,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import { balanceOf, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const SEND = "eth_sendRawTransaction";
const ADJUSTED = "400";
const HELD_UP_MS = 1_500;

interface Node extends AsyncDisposable {
  readonly url: string;
  /** The number of payments in each body. */
  readonly sizes: number[];
  /** The node's error for a payment, instead of accepting it. */
  refuses: (nonce: number) => string | undefined;
  /** Resolves when the first question about a wallet has come; it waits. */
  readonly heldUp: Promise<void>;
}

/** The first question about a wallet is answered late, so that what comes meanwhile is signed together. */
async function startNode(anvil: Anvil): Promise<Node> {
  const heldUp = Promise.withResolvers<void>();
  const node = {
    sizes: [] as number[],
    refuses: (_nonce: number): string | undefined => undefined,
    heldUp: heldUp.promise,
  };
  let isHeldUp = false;
  const refusal = (call: RpcCall) => {
    if (call.method !== SEND) return undefined;
    const { nonce = 0 } = parseTransaction(String(call.params[0]) as `0x02${string}`);
    const said = node.refuses(nonce);
    return said === undefined ? undefined : rpcError(call, said);
  };
  const proxy = await startRpcProxy(anvil.url, async ({ calls, ask, reply }) => {
    const sends = calls.filter(({ method }) => method === SEND);
    if (sends.length > 0) node.sizes.push(sends.length);
    if (!isHeldUp && calls.some(({ method }) => method === "eth_getTransactionCount")) {
      isHeldUp = true;
      heldUp.resolve();
      await new Promise((resolve) => setTimeout(resolve, HELD_UP_MS));
    }
    const refused = calls.map(refusal);
    const passed = calls.filter((_, i) => refused[i] === undefined);
    const replies = passed.length > 0 ? await ask(passed) : [];
    return reply(refused.map((one) => one ?? replies.shift()));
  });
  return Object.assign(node, proxy);
}

async function startTogetherWorld(anvil: Anvil, node: Node): Promise<World> {
  const world = await startPayingWorld({ anvil, rpcUrls: [node.url] });
  const asset = { accountId: world.merchant.accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(world.deps, { ...asset, amount: "300", note: "test", actor: "test" });
  return world;
}

/** Starts one that is held up, and these meanwhile. */
async function payTogether(
  { merchant: { api } }: World,
  { node, amounts }: { node: Node; amounts: readonly string[] },
) {
  const pay = (amount: string) => withdraw(api, { to: STRANGER, amount });
  const first = pay("1");
  await node.heldUp;
  return await Promise.all([first, ...amounts.map(pay)]);
}

Deno.test("a payment refused in the middle of a body is released alone, and all others are paid once", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using node = await startNode(anvil);
  await using world = await startTogetherWorld(anvil, node);
  const { api, hotWallet } = world.merchant;
  node.refuses = (nonce) => nonce === 2 ? "insufficient funds for gas * price + value" : undefined;
  const replies = await payTogether(world, { node, amounts: ["2", "4", "8"] });
  assert.deepEqual(node.sizes, [1, 3]);
  const refused = replies.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 1);
  const failed = rejectedId(refused[0]!);
  const sent = replies.filter(({ status }) => status === 200).map(sentId);
  const before = (await transfersOf(world)).map(({ place, state }) => [place, state]);
  assert.deepEqual(before, [[0, "open"], [1, "open"], [2, "abandoned"], [3, "open"]]);
  const { held } = await balanceOf(api);
  const kept = 15n - BigInt(await amountOf(world, failed));
  assert.ok(Number(held) >= Number(kept) && Number(held) < Number(kept) * 1.01, held);

  node.refuses = () => undefined;
  const next = sentId(await withdraw(api, { to: STRANGER, amount: "16" }));
  assert.equal((await transfersOf(world)).at(-1)!.place, 2);
  await settleAll(world);
  for (const id of [...sent, next]) assert.equal(await statusOf(api, id), "confirmed");
  assert.equal(await statusOf(api, failed), "failed");
  assert.equal(await nonceOf(anvil, hotWallet), 4);
  assert.equal(await receivedBy(anvil, STRANGER), (kept + 16n) * ETHER);
  await auditPayer(world, { adjusted: ADJUSTED });
});

async function amountOf({ merchant: { api } }: World, id: number): Promise<string> {
  return (await api.get(`/v1/withdrawals/${id}`)).body.data.amount;
}

Deno.test("a wallet that can't pay all concurrent withdrawals pays what it can and releases the rest", async () => {
  await using anvil = await startAnvil();
  await using node = await startNode(anvil);
  await using world = await startTogetherWorld(anvil, node);
  const { api, hotWallet } = world.merchant;
  const replies = await payTogether(world, { node, amounts: ["90", "150", "90"] });
  const amounts = ["1", "90", "150", "90"];
  const paid = amounts.filter((_, i) => replies[i]!.status === 200).map(Number);
  for (const reply of replies) if (reply.status !== 200) rejectedId(reply);
  // The wallet has 200; which of them comes first is a matter of chance.
  assert.ok([[1, 90, 90], [1, 150]].some((one) => one.join() === paid.join()), paid.join());
  const nonces = (await transfersOf(world)).map(({ place }) => place);
  assert.deepEqual(nonces, paid.map((_, nonce) => nonce), "no gap is left");
  await settleAll(world);
  assert.equal(await nonceOf(anvil, hotWallet), paid.length);
  const sum = paid.reduce((all, one) => all + one, 0);
  assert.equal(await receivedBy(anvil, STRANGER), BigInt(sum) * ETHER);
  assert.equal((await balanceOf(api)).held, "0");
  await auditPayer(world, { adjusted: ADJUSTED });
});
