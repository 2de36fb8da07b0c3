import assert from "node:assert/strict";
import { first } from "../../../src/base/lists.ts";
import { newKeySecret } from "../../../src/access/manage_api_keys.ts";
import { createRoleKey } from "../../../src/access/role_keys.ts";
import type { Role } from "../../../src/access/rules/roles.ts";
import { apiClient } from "../../support/api_client.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { deployCollector, planDeployment } from "../../../src/collectors/deploy.ts";
import { releaseAddress } from "../../../src/collectors/release.ts";
import { collectorRows } from "../../../src/collectors/reads.ts";
import { usableCollector } from "../../../src/collectors/usable.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { adoptAll } from "../../../src/restore/adopt_spends.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { outbidTransfer } from "../../../src/transfers/outbid.ts";
import { withPayments } from "../../../src/transfers/reads/transfers.ts";
import { type SignedTransactionRow, SignedTransactions } from "../../../src/transfers/table.ts";
import { signerOf } from "../../../src/wallets/addresses.ts";
import { haltWallet } from "../../../src/wallets/halt.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { signDetail } from "../../../src/chains/evm/transfers/sign_transfer.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { nonceOf } from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import { fundGasWallet, payIn, startSweepingWorld, sweepsOf } from "../../support/sweeping.ts";
import { alertsOf, allocate } from "../../support/views.ts";
import type { World } from "../../support/world.ts";
import { cliOn } from "../../cli/cli_host.ts";

const ACTOR = "test";
const PRAGUE = { args: ["--hardfork", "prague"] };

const cliOf = (world: World) => cliOn({ env: world.place.env, remove: () => Promise.resolve() });
const eth = (deps: Deps) => findNetwork(deps, "ETH");

async function deploy(deps: Deps): Promise<string> {
  const plan = await planDeployment(deps, await eth(deps));
  assert.ok(plan.kind === "new", "Nothing is there");
  await deployCollector(deps, { deploying: plan.deploying, actor: ACTOR });
  return first(await collectorRows(deps.db, "ETH")).address;
}

function signedBy({ deps }: World, sender: string): Promise<SignedTransactionRow[]> {
  return deps.db.rows(SignedTransactions, "WHERE sender = ? ORDER BY id", [sender]);
}

async function usable({ deps }: World): Promise<string> {
  const network = await eth(deps);
  const now = await usableCollector(deps, { network, chain: deps.chains.of(network) });
  return now.kind === "none" ? now.why : now.current.address;
}

async function sent(anvil: Anvil, address: string): Promise<number> {
  return Number(await anvil.rpc("eth_getTransactionCount", [address, "latest"]));
}

/** The address delegates to the contract, by a transaction of the gas wallet. */
async function delegate(world: World, { address, gas }: { address: string; gas: string }) {
  const { deps, anvil } = world;
  const network = await eth(deps);
  const keyRing = await deps.keyRing();
  const signerFor = async (one: string) => {
    const row = await deps.db.get(Addresses, ["ETH", one], "address");
    return signerOf(keyRing, network, row);
  };
  const { nonce } = first(await collectorRows(deps.db, "ETH"));
  const collector = { chainId: 31337, owner: gas, nonce };
  const at = await sent(anvil, address);
  const fee = { kind: "eip1559", maxFeeRaw: 3_000_000_000n, tipRaw: 1n } as const;
  const order = {
    from: gas,
    costMaxRaw: 10n ** 18n,
    detail: {
      ...{ chainId: 31337, to: gas, valueRaw: 0n, data: "0x", gas: 200_000n, fee },
      delegations: [{ from: address, nonce: at, collector, to: "collector" as const }],
    },
  };
  const options = {
    nonce: await sent(anvil, gas),
    signer: await signerFor(gas),
    authorizers: new Map([[address, await signerFor(address)]]),
  };
  const { raw } = await signDetail(order, options);
  await anvil.rpc("eth_sendRawTransaction", [raw]);
  await anvil.mine(1);
}

Deno.test("collect 3: network collector deploys once, asks before, and says what is there", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world);
  await using cli = cliOf(world);
  const nothing = { network: "ETH", mode: "single", contract: null, delegated: 0 };
  assert.deepEqual(await cli.json("network", "collector", "ETH"), nothing);
  const { err: next } = await cli.run(["network", "collector", "ETH"]);
  assert.match(next, /No contract is deployed: "network collector ETH --deploy on" deploys it/);
  assert.doesNotMatch(next, /Collecting has cost/);
  const both = ["--deploy", "on", "--release", gas];
  assert.match(await cli.fails(2, "network", "collector", "ETH", ...both), /give one of them/);
  const auto = await cli.run(["network", "set", "ETH", "--collect", "auto"]);
  assert.match(auto.err, /Until a contract is deployed \("network collector ETH --deploy on"\)/);
  await cli.json("network", "set", "ETH", "--collect", "single");
  const unasked = await cli.fails(1, "network", "collector", "ETH", "--deploy", "on");
  assert.match(unasked, /about 0\.0*\d{1,8} ETH: nothing was sent on ETH; --yes confirms it/);
  const batch = ["network", "set", "ETH", "--collect", "batch"];
  assert.match(await cli.fails(1, ...batch), /"network collector ETH --deploy on" deploys it/);
  const asked = await cli.run(["network", "collector", "ETH", "--deploy", "on"], {
    ...{ isTerminal: true, input: ["no"] },
  });
  assert.equal(asked.code, 1);
  assert.match(
    asked.err,
    /deploys a contract on ETH, for about 0\.0*\d{1,8} ETH, at most 0\.0*\d{1,8} ETH\./,
  );
  assert.deepEqual([await sent(anvil, gas), await signedBy(world, gas)], [0, []]);

  const made = await cli.json("network", "collector", "ETH", "--deploy", "on", "--yes");
  const { contract } = made;
  assert.deepEqual(made, { ...nothing, contract });
  assert.equal(await usable(world), contract);
  const again = await cli.run(["network", "collector", "ETH", "--deploy", "on", "--yes", "--json"]);
  assert.deepEqual(JSON.parse(again.out), made);
  assert.match(again.err, /is there: nothing is deployed/);
  assert.equal(await sent(anvil, gas), 1);

  await world.turn(2);
  const [tx] = await signedBy(world, gas);
  assert.deepEqual([tx!.state, tx!.isSuccessful, tx!.paymentCount], ["settled", true, 0]);
  assert.deepEqual(world.faults, []);
  assert.deepEqual(await alertsOf(world.deps), []);
  const shown = await cli.run(["network", "collector", "ETH"]);
  assert.match(shown.err, /Collecting has cost 0\.00\d+ ETH so far/);
  assert.equal((await cli.json(...batch)).collect, "batch");
  assert.equal((await cli.json("network", "collector", "ETH")).mode, "batch");
  const logged = (await cli.json("audit", "list", "--subject", "network:ETH"))
    .find(({ action }: { action: string }) => action === "network.collector_deployed");
  assert.equal(logged.detail.address, contract);
  const doctor = await cli.run(["doctor", "--json"]);
  const said = (name: string, out: string) =>
    JSON.parse(out).checks.find(({ check }: { check: string }) => check === name);
  const ok = said("collector of ETH", doctor.out);
  assert.deepEqual([ok.state, ok.message], [
    "ok",
    `its mode is batch, and ${contract} is deployed`,
  ]);
  await anvil.rpc("anvil_setCode", [contract, "0x"]);
  const gone = said("collector of ETH", (await cli.run(["doctor", "--json"])).out);
  assert.equal(gone.state, "warning");
  assert.match(gone.message, /isn't the contract that was deployed, so sweeps are sent one by one/);
  assert.match(
    (await cli.run(["network", "collector", "ETH"])).err,
    /it can't be used: the contract's code/,
  );
});

Deno.test("collect 3: of several who deploy at once, one does", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world);
  const { deps } = world;
  const plans = await Promise.all([1, 2, 3].map(async () => planDeployment(deps, await eth(deps))));
  await Promise.all(plans.map(async (plan) => {
    assert.ok(plan.kind === "new");
    await deployCollector(deps, { deploying: plan.deploying, actor: ACTOR });
  }));
  assert.equal((await signedBy(world, gas)).length, 1);
  assert.equal(await sent(anvil, gas), 1);
  assert.equal(await usable(world), first(await collectorRows(deps.db, "ETH")).address);
});

for (const drop of ["before", "after"] as const) {
  Deno.test(`collect 3: a deployment whose sender ends ${drop} a node has it is sent again and deploys once`, async () => {
    await using anvil = await startAnvil(PRAGUE);
    await using proxy = await startFaultProxy(anvil.url, () => "pass");
    await using world = await startSweepingWorld({ anvil, rpcUrls: [proxy.url] });
    const gas = await fundGasWallet(world);
    proxy.onCall = (method) => method === "eth_sendRawTransaction" ? { drop } : "pass";
    await using cli = cliOf(world);
    const made = await cli.json("network", "collector", "ETH", "--deploy", "on", "--yes");
    assert.equal(await sent(anvil, gas), drop === "before" ? 0 : 1);
    proxy.onCall = () => "pass";
    await world.restart();
    const found = await cli.json("network", "collector", "ETH", "--deploy", "on", "--yes");
    assert.deepEqual(found, made);
    await world.turn(2);
    assert.equal(await usable(world), made.contract);
    assert.equal((await signedBy(world, gas)).length, 1);
    assert.equal(await nonceOf(anvil, gas), 1);
  });
}

Deno.test("collect 3: a deployment that gets stuck is bid again, for the same address", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world);
  const { deps } = world;
  await anvil.rpc("evm_setAutomine", [false]);
  const address = await deploy(deps);
  const network = await eth(deps);
  const [newest] = await withPayments(deps.db, await signedBy(world, gas));
  const bid = await outbidTransfer(deps, { network, newest: newest!, actor: "worker" });
  assert.deepEqual([bid.tx.place, bid.payments, bid.tx.isLive], [0, [], true]);
  await anvil.rpc("evm_setAutomine", [true]);
  await anvil.mine(1);
  await world.turn(2);
  const states = (await signedBy(world, gas)).map(({ state }) => state);
  assert.deepEqual(states, ["superseded", "settled"]);
  assert.equal(await usable(world), address);
  assert.equal(await sent(anvil, gas), 1);
});

Deno.test("collect 3: a halted gas wallet deploys and releases nothing, and is still outbid", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world);
  const { deps } = world;
  const { address } = await allocate(world.merchant.api);
  const network = await eth(deps);
  const halt = async () =>
    await haltWallet(deps, await deps.db.get(Addresses, ["ETH", gas], "address"), "a test");
  const plan = await planDeployment(deps, network);
  assert.ok(plan.kind === "new");
  await halt();
  await using cli = cliOf(world);
  const why = new RegExp(`${gas} on ETH signs nothing new until it is resumed: a test`);
  const { deploying } = plan;
  await assert.rejects(deployCollector(deps, { deploying, actor: ACTOR }), why, "Halted meanwhile");
  const ask = ["network", "collector", "ETH"];
  const said = await cli.fails(1, ...ask, "--deploy", "on", "--yes");
  assert.match(said, why);
  assert.match(said, /"wallet list" shows what to do before that/);
  assert.match(await cli.fails(1, ...ask, "--release", address), why);
  assert.deepEqual(await signedBy(world, gas), []);

  await resume(world, gas);
  await anvil.rpc("evm_setAutomine", [false]);
  await deployCollector(deps, { deploying, actor: ACTOR });
  await halt();
  const [newest] = await withPayments(deps.db, await signedBy(world, gas));
  await outbidTransfer(deps, { network, newest: newest!, actor: "worker" });
  assert.equal((await signedBy(world, gas)).length, 2);
});

Deno.test("collect 3: a chain that doesn't know type 4 says so when it should deploy, and nothing is sent", async () => {
  await using anvil = await startAnvil({ args: ["--hardfork", "cancun"] });
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world);
  await using cli = cliOf(world);
  const said = await cli.fails(1, "network", "collector", "ETH", "--deploy", "on", "--yes");
  assert.match(said, /Addresses of ETH can't delegate yet: its chain doesn't know EIP-7702/);
  assert.deepEqual([await sent(anvil, gas), await signedBy(world, gas)], [0, []]);
  assert.equal((await cli.json("network", "collector", "ETH")).contract, null);
  await cli.json("network", "set", "ETH", "--collect", "auto");
  const { checks } = JSON.parse((await cli.run(["doctor", "--json"])).out);
  const found = checks.find(({ check }: { check: string }) => check === "collector of ETH");
  assert.match(found.message, /its chain doesn't know EIP-7702 yet, so sweeps are sent one by one/);
  assert.equal(found.advice, '"network set ETH --collect single" says so too');
});

Deno.test("collect 3: what has other code, or none, isn't used", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  assert.equal(await usable(world), "there is no gas wallet");
  await fundGasWallet(world);
  assert.equal(await usable(world), "no contract is deployed");
  const address = await deploy(world.deps);
  const code = await anvil.rpc("eth_getCode", [address, "latest"]);
  for (const other of ["0x", `${code.slice(0, -2)}00`, "0x6001"]) {
    await anvil.rpc("anvil_setCode", [address, other]);
    assert.equal(await usable(world), "the contract's code isn't on the chain");
  }
  await anvil.rpc("anvil_setCode", [address, code]);
  assert.equal(await usable(world), address);
});

Deno.test("collect 3: a delegation is counted on the chain, taken back once, and not during a sweep", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world);
  await using cli = cliOf(world);
  const customers = await Promise.all(
    ["a", "b"].map((user) => allocate(world.merchant.api, { user })),
  );
  const [one, other] = customers.map(({ address }) => address);
  const release = (address: string) =>
    cli.run(["network", "collector", "ETH", "--release", address, "--json"]);
  await deploy(world.deps);
  assert.match((await release(one!)).out, /delegates to no contract/);
  await world.turn();
  await delegate(world, { address: one!, gas });
  assert.equal((await cli.json("network", "collector", "ETH")).delegated, 1);
  await world.turn();
  await resume(world, gas);

  const done = await release(one!);
  assert.equal(done.code, 0, done.out + done.err);
  assert.equal(JSON.parse(done.out).delegated, 0);
  assert.equal(await anvil.rpc("eth_getCode", [one, "latest"]), "0x");
  const [, , released] = await signedBy(world, gas);
  assert.deepEqual([released!.paymentCount, released!.isForeign], [0, false]);
  assert.match((await release(one!)).out, /delegates to no contract/);
  assert.match((await release(other!)).out, /delegates to no contract/);
  assert.match((await release(gas)).out, /is not a deposit address of ETH/);
  await world.turn(2);
  const ends = (await signedBy(world, gas)).map(({ state }) => state);
  assert.deepEqual(ends, ["settled", "settled", "settled"]);
});

/** The test has used its key, which the books can't know. */
async function resume({ deps }: World, address: string): Promise<void> {
  const order = { network: "ETH", address, isAnyway: true, waitMs: 0, actor: ACTOR };
  await resumeWallet(deps, order);
}

Deno.test("collect 3: restored books take on a deployment and a release that they don't know", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world);
  await using cli = cliOf(world);
  const { address } = await allocate(world.merchant.api);
  await using backup = await takeBackup(world);
  const contract = await deploy(world.deps);
  await world.turn(2);
  await delegate(world, { address, gas });
  await world.turn();
  await resume(world, gas);
  const { code } = await cli.run(["network", "collector", "ETH", "--release", address, "--json"]);
  assert.equal(code, 0);
  await world.turn(2);
  await backup.bringBack();
  await world.turn(2);
  const { adopted, left } = await adoptAll(world.deps, { network: "ETH", actor: ACTOR });
  assert.deepEqual(
    adopted.map(({ tx: { state, isForeign, paymentCount } }) => [
      ...[state, isForeign, paymentCount],
    ]),
    [["settled", false, 0], ["settled", false, 0]],
  );
  assert.equal(left.length, 1, "The test's own delegation");
  assert.equal(await usable(world), contract);
});

Deno.test("collect 3: an address isn't released while it is swept, and afterwards it is", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world);
  const { deps } = world;
  const { address } = await allocate(world.merchant.api);
  await deploy(deps);
  await world.turn();
  await delegate(world, { address, gas });
  await world.turn();
  await resume(world, gas);
  await payIn(world, { to: address, raw: 10n ** 18n });
  await world.turn();
  assert.equal((await sweepsOf(world))[0]!.state, "sweeping");
  const release = async () =>
    await releaseAddress(deps, { network: await eth(deps), address, actor: ACTOR });
  await assert.rejects(release(), /can't be released while a sweep of it is under way/);
  await world.turn(2);
  assert.equal((await sweepsOf(world))[0]!.state, "done");
  assert.equal((await release()).isNew, true);
});

Deno.test("collect 3: a release that gets stuck is bid again, and sent again if asked for again", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world);
  const { deps } = world;
  const { address } = await allocate(world.merchant.api);
  await deploy(deps);
  await world.turn();
  await delegate(world, { address, gas });
  await world.turn();
  await resume(world, gas);
  await anvil.rpc("evm_setAutomine", [false]);
  const network = await eth(deps);
  const { txHash, isNew } = await releaseAddress(deps, { network, address, actor: ACTOR });
  const again = await releaseAddress(deps, { network, address, actor: ACTOR });
  assert.deepEqual([isNew, again], [true, { address, txHash, isNew: false }]);
  const open = (await signedBy(world, gas)).filter(({ state }) => state === "open");
  const [newest] = await withPayments(deps.db, open);
  const bid = await outbidTransfer(deps, { network, newest: newest!, actor: "worker" });
  assert.equal((await anvil.rpc("eth_getTransactionByHash", [bid.tx.txHash])).type, "0x4");
  await anvil.rpc("evm_setAutomine", [true]);
  await anvil.mine(1);
  await world.turn(2);
  const ends = (await signedBy(world, gas)).map(({ txHash, state }) => [txHash, state]).slice(-2);
  assert.deepEqual(ends, [[txHash, "superseded"], [bid.tx.txHash, "settled"]]);
  assert.equal(await anvil.rpc("eth_getCode", [address, "latest"]), "0x");
});

Deno.test("collect 3: a final deployment that a deep reorganisation removes is sent again", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  const gas = await fundGasWallet(world);
  const address = await deploy(world.deps);
  await world.turn(2);
  assert.equal((await signedBy(world, gas))[0]!.state, "settled");
  await anvil.rpc("anvil_reorg", [7, []]);
  assert.equal(await usable(world), "the contract's code isn't on the chain");
  await world.turn(4);
  // Where a turn passes before it is in a block, it is bid again.
  const [tx, ...others] = (await signedBy(world, gas)).filter(({ state }) =>
    state !== "superseded"
  );
  assert.deepEqual([tx!.state, tx!.isSuccessful, others], ["settled", true, []]);
  assert.equal(await usable(world), address);
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("collect 3: without coins, or while signing is stopped, nothing is deployed, and it says why", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  await using cli = cliOf(world);
  const ask = ["network", "collector", "ETH", "--deploy", "on", "--yes"];
  assert.match(await cli.fails(1, ...ask), /ETH has no gas wallet; "network gas-wallet ETH" makes/);
  const gas = await fundGasWallet(world, 1n);
  const poor = /No contract was deployed on ETH: The gas wallet needs .* more are needed at 0x/;
  assert.match(await cli.fails(1, ...ask), poor);
  assert.match(await cli.fails(1, ...ask.slice(0, -1)), poor, "Also with nobody to ask");
  await fundGasWallet(world);
  await cli.json("stop", "--reason", "test");
  assert.match(await cli.fails(1, ...ask), /Nothing is signed until an operator resumes/);
  assert.deepEqual([await sent(anvil, gas), await signedBy(world, gas)], [0, []]);
});

Deno.test("collect 3: a key with a role deploys, and nobody else; the network's page shows the contract", async () => {
  await using anvil = await startAnvil(PRAGUE);
  await using world = await startSweepingWorld({ anvil });
  await fundGasWallet(world);
  const { deps, url } = world;
  const keyOf = async (role: Role) => {
    const { secret, ...made } = await newKeySecret(deps);
    const terms = { accountId: null, role, label: role, ipList: [], rateLimit: 1000 };
    await createRoleKey(deps, { ...terms, actor: "user:7", made });
    return apiClient(url, { keyId: made.keyId, secret });
  };
  const order = { code: "ETH", deploy: true };
  const viewer = await (await keyOf("auditor")).post("/admin/v1/network/collector", order);
  assert.equal(viewer.status, 403);
  const { status, body } = await (await keyOf("operator"))
    .post("/admin/v1/network/collector", order);
  const { address } = first(await collectorRows(deps.db, "ETH"));
  const expected = { network: "ETH", mode: "single", contract: address, delegated: 0 };
  assert.deepEqual([status, body.data], [200, expected]);
  const { token } = await makeLogin(deps);
  const page = await (await dashboardFetch(url, { path: "/networks/ETH", token })).text();
  assert.ok(page.includes(address));
});
