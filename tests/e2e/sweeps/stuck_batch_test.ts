import assert from "node:assert/strict";
import type { Signature, TransactionSerializableEIP7702 } from "viem";
import { parseTransaction, serializeTransaction } from "viem/utils";
import { present } from "../../../src/base/assert.ts";
import { first } from "../../../src/base/lists.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { asHex, hexOf } from "../../../src/chains/evm/decode.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { deployCollector, planDeployment } from "../../../src/collectors/deploy.ts";
import { usableCollector } from "../../../src/collectors/usable.ts";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import { outbidTransfer } from "../../../src/transfers/outbid.ts";
import { openTransactionsOf, withPayments } from "../../../src/transfers/reads/transfers.ts";
import { type Signed, SignedTransactions } from "../../../src/transfers/table.ts";
import { cliOn } from "../../cli/cli_host.ts";
import {
  checkBooks,
  heldBy,
  PAID,
  type Scene,
  startScene,
  statesOf,
  switchOn,
} from "../../support/collecting.ts";
import type { OnCall, RpcReply } from "../../support/nodes/fault_proxy.ts";
import { setBalance } from "../../support/payers.ts";
import { nonceOf } from "../../support/payouts.ts";
import { depositStates, payIn, RECEIVER, sweepsOf } from "../../support/sweeping.ts";
import { alertsOf, transactionsOf } from "../../support/views.ts";

/** For its first estimate, a node finds that this is enough. */
function estimateOnce(gas: bigint): OnCall {
  let isSaid = false;
  return (method) => {
    if (method !== "eth_estimateGas" || isSaid) return "pass";
    isSaid = true;
    return { edit: (reply: RpcReply) => ({ ...reply, result: hexOf(gas) }) };
  };
}

const gasOf = ({ tx: { raw } }: Signed) => present(parseTransaction(asHex(raw)).gas, "It has some");

async function signedBy({ world: { deps }, gas }: Scene): Promise<Signed[]> {
  const rows = await deps.db.rows(SignedTransactions, "WHERE sender = ? ORDER BY id", [gas]);
  return await withPayments(deps.db, rows);
}

/** Of addresses that delegate already, so that only their orders take gas. */
async function sweepOnce(scene: Scene): Promise<void> {
  const { world: { deps }, addresses, token } = scene;
  const sweepings = await scene.due();
  await collectTogether(deps, { place: await scene.place(), sweepings });
  await scene.look(4);
  for (const to of addresses) await payIn(scene.world, { to, raw: PAID, token });
  await scene.look(4);
}

Deno.test("gas for sweeps is sent with what every transaction takes, whatever a node estimates", async () => {
  await using scene = await startScene(3);
  const { proxy, world } = scene;
  proxy.onCall = (method) =>
    method === "eth_estimateGas"
      ? { edit: (reply: RpcReply) => ({ ...reply, result: hexOf(8_400n) }) }
      : "pass";
  await world.turn(2);
  const sent = await signedBy(scene);
  assert.equal(sent.length, 3);
  for (const one of sent) assert.ok(gasOf(one) >= 21_000n, `${gasOf(one)}`);
});

Deno.test("a batch isn't signed with too little gas, and a bid has what was signed, whatever a node estimates", async () => {
  await using scene = await startScene(10);
  const { world: { deps }, anvil, proxy } = scene;
  await sweepOnce(scene);
  await anvil.rpc("evm_setAutomine", [false]);
  const collect = async () =>
    await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  proxy.onCall = estimateOnce(21_000n);
  await assert.rejects(collect(), NodeError);
  assert.equal((await signedBy(scene)).length, 1);
  await collect();
  const newest = (await signedBy(scene)).at(-1)!;
  const network = await findNetwork(deps, "ETH");
  proxy.onCall = estimateOnce(10_000_000n);
  const bid = await outbidTransfer(deps, { network, newest, actor: "test" });
  assert.equal(gasOf(bid), gasOf(newest));
  await scene.look(4);
  assert.deepEqual(await statesOf(scene), Array(20).fill("done"));
  assert.equal(await heldBy(scene.token, RECEIVER), 20n * PAID);
  await checkBooks(scene);
});

Deno.test("a bid has more gas than was signed if nothing would run with that", async () => {
  await using scene = await startScene(3);
  const { world: { deps }, anvil, gas: from } = scene;
  await anvil.rpc("evm_setAutomine", [false]);
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  const { tx } = first(await signedBy(scene));
  const { r, s, yParity, ...signed } = parseTransaction(asHex(tx.raw)) as
    & TransactionSerializableEIP7702
    & Signature;
  const raw = serializeTransaction({ ...signed, gas: 60_000n }, { r, s, yParity: yParity! });
  const network = await findNetwork(deps, "ETH");
  const again = await deps.chains.of(network).collector!.prepareAgain({ from, raw });
  assert.ok(again.kind === "ready" && again.prepared.charge.gas > 3n * 25_000n + 60_000n);
});

Deno.test("a contract is deployed with enough gas however little a node estimates", async () => {
  await using scene = await startScene(0);
  const { world: { deps }, proxy } = scene;
  const network = await findNetwork(deps, "ETH");
  proxy.onCall = (method, params, body) =>
    body.includes("authorizationList") || method !== "eth_estimateGas" || "to" in Object(params[0])
      ? "pass"
      : { edit: (reply: RpcReply) => ({ ...reply, result: hexOf(30_000n) }) };
  const plan = await planDeployment(deps, network);
  assert.ok(plan.kind === "new");
  await deployCollector(deps, { deploying: plan.deploying, actor: "test" });
  await scene.look(4);
  const found = await usableCollector(deps, { network, chain: deps.chains.of(network) });
  assert.equal(found.kind, "usable");
});

Deno.test("an operator revokes a batch that no block takes: it moves nothing, and the next one does", async () => {
  await using scene = await startScene(3);
  const { world, world: { deps, merchant: { api } }, anvil, gas } = scene;
  await using cli = cliOn({ env: world.place.env, remove: () => Promise.resolve() });
  const revoke = ["wallet", "revoke", "--network", "ETH"];
  assert.match(await cli.fails(1, ...revoke), /has no transaction that waits for a block/);
  await anvil.rpc("evm_setAutomine", [false]);
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  const { tx: batch } = first(await signedBy(scene));
  const { out, err } = await cli.run([...revoke, "--json"]);
  assert.match(err, new RegExp(`Whichever is mined first counts: ${batch.txHash} does what`));
  const shown = JSON.parse(out);
  const [, bid] = await signedBy(scene);
  assert.deepEqual(shown, {
    ...{ network: "ETH", address: gas, nonce: batch.place },
    ...{ revoked_tx_hash: batch.txHash, tx_hash: bid!.tx.txHash },
  });
  const { to, data, type } = parseTransaction(asHex(bid!.tx.raw));
  assert.deepEqual([to, data, type], [gas.toLowerCase(), undefined, "eip1559"]);
  assert.deepEqual(
    bid!.payments.map(({ purpose, amountRaw, toAddress }) => [purpose, amountRaw, toAddress]),
    Array(3).fill(["void", "0", gas]),
  );
  // Stuck too: it is offered again, as empty.
  const network = await findNetwork(deps, "ETH");
  const again = await outbidTransfer(deps, {
    network,
    newest: bid!,
    isAnyway: true,
    actor: "worker",
  });
  assert.equal(parseTransaction(asHex(again.tx.raw)).data, undefined);
  await scene.look(1);
  assert.deepEqual(await statesOf(scene), Array(3).fill("sweeping"), "Not before it is final");
  await scene.look(4);
  assert.deepEqual(
    (await signedBy(scene)).map(({ tx: { state } }) => state),
    ["superseded", "superseded", "settled"],
  );
  const sweeps = await sweepsOf(world);
  assert.deepEqual(
    sweeps.map(({ state, failures }) => [state, failures]),
    Array(3).fill(["waiting", 0]),
  );
  assert.deepEqual(await depositStates(world), Array(3).fill("confirmed"));
  const outgoing = async () =>
    (await transactionsOf(api)).filter(({ direction }) => direction === "sweep")
      .map(({ status }) => status).toSorted();
  assert.deepEqual(await outgoing(), Array(3).fill("failed"));
  await checkBooks(scene);

  await anvil.rpc("evm_setAutomine", [true]);
  const done = await collectTogether(deps, {
    place: await scene.place(),
    sweepings: await scene.due(),
  });
  assert.deepEqual(done.alone, []);
  await scene.look(4);
  assert.equal(await heldBy(scene.token, RECEIVER), 3n * PAID);
  assert.deepEqual(await outgoing(), [...Array(3).fill("confirmed"), ...Array(3).fill("failed")]);
  await checkBooks(scene);
  assert.deepEqual(await alertsOf(deps), []);
});

Deno.test("gas that was revoked on its way is sent again", async () => {
  await using scene = await startScene(1);
  const { world, world: { deps }, anvil, gas } = scene;
  await anvil.rpc("evm_setAutomine", [false]);
  await world.turn(1);
  assert.deepEqual(await statesOf(scene), ["funding"]);
  const open = await openTransactionsOf(deps.db, { network: "ETH", sender: gas });
  assert.equal(open[0]!.blockHash, null);
  await using cli = cliOn({ env: world.place.env, remove: () => Promise.resolve() });
  await cli.json("wallet", "revoke", "--network", "ETH");
  await scene.look(4);
  assert.deepEqual(await statesOf(scene), ["waiting"]);
  await anvil.rpc("evm_setAutomine", [true]);
  await world.turn(4);
  assert.deepEqual(await statesOf(scene), ["done"]);
  assert.equal(await heldBy(scene.token, RECEIVER), PAID);
  assert.equal(await nonceOf(anvil, gas), 2);
});

Deno.test("a deployment that was revoked is asked for again", async () => {
  await using scene = await startScene(2);
  const { world, world: { deps }, anvil } = scene;
  const network = await findNetwork(deps, "ETH");
  await anvil.rpc("evm_setAutomine", [false]);
  const plan = await planDeployment(deps, network);
  assert.ok(plan.kind === "new");
  await deployCollector(deps, { deploying: plan.deploying, actor: "test" });
  await using cli = cliOn({ env: world.place.env, remove: () => Promise.resolve() });
  await cli.json("wallet", "revoke", "--network", "ETH");
  await scene.look(4);
  await anvil.rpc("evm_setAutomine", [true]);
  await switchOn(scene, { collect: "batch" });
  await world.turn(3);
  assert.deepEqual(await statesOf(scene), ["done", "done"]);
});

Deno.test("an operator learns of a batch that can't be bid again because the gas wallet lacks coins", async () => {
  await using scene = await startScene(3);
  const { world, world: { deps }, anvil, proxy, gas } = scene;
  proxy.onCall = (method) => method === "eth_sendRawTransaction" ? { drop: "before" } : "pass";
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  await setBalance(anvil, gas, 1n);
  await world.turn(3);
  const alerts = (await alertsOf(deps)).filter(({ kind }) => kind === "transfer_stuck");
  assert.match(
    alerts[0]?.message ?? "",
    /is not mined, and all after it wait: The gas wallet needs/,
  );
});
