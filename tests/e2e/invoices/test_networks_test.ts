import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { countJudgedAgain } from "../../../src/invoices/reads/listed.ts";
import { Invoices } from "../../../src/invoices/tables/invoices.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { Networks } from "../../../src/networks/table.ts";
import { addPolicy } from "../../../src/policies/manage.ts";
import { testPolicies } from "../../../src/policies/try_rule.ts";
import { rateOf } from "../../../src/rates/current.ts";
import { listRates } from "../../../src/rates/list.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { RateReadings } from "../../../src/rates/table.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { refundableOf } from "../../../src/refunds/refundable.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { runIn } from "../../cli/world_host.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { startWorld, type World } from "../../support/world.ts";

/** Its chain is a local one: the coins of ETH are test coins here, and those of MAIN are real. */
const TEST_COIN = { network: "ETH", currency: "ETH" };
const REAL_COIN = { network: "MAIN", currency: "ETH" };
const UNIT = 10n ** 15n;
const OUTSIDE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const FEED = "0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419";

interface Mixed {
  readonly anvil: Anvil;
  readonly world: World;
  /** The account's first coin on the real network. */
  becomeReal(): Promise<void>;
}

async function inGateway(work: (mixed: Mixed) => Promise<void>): Promise<void> {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { deps, merchant: { accountId } } = world;
  const nowhere = { rpcUrls: ["http://127.0.0.1:9"], symbol: "ETH", chainId: "1" };
  await makeNetwork(deps, { ...nowhere, code: "MAIN" });
  await addSource(deps, {
    base: "ETH",
    quote: "USD",
    kind: "manual",
    value: "2500",
    actor: "test",
  });
  const becomeReal = async () => void await enable(deps, { accountId, ...REAL_COIN });
  await work({ anvil, world, becomeReal });
}

let asks = 0;

async function ask({ merchant: { api } }: World, asked: object) {
  const reply = await api.post("/v1/invoices", { reference: `r${++asks}`, ...asked });
  const { status, body: { data, message } } = reply;
  return status === 200 ? data : `${status} ${message}`;
}

async function offered(world: World, asked: object): Promise<string> {
  const found = await ask(world, asked);
  if (typeof found === "string") return found;
  return found.methods.map((one: Record<string, string>) =>
    `${one.amount_decimal} ${one.network}/${one.currency}`
  ).join(", ");
}

/** Reads the chain, and judges. */
async function round(world: World): Promise<void> {
  await world.anvil.mine(3);
  await world.round().catch(() => {});
  await judgeDue(world.deps);
}

const IN_USD = { amount: "25", currency: "USD" };
const IN_ETH = { amount: "0.01", currency: "ETH" };

Deno.test("contract 1: test coins pay an account with test networks only, and it all says test", async () => {
  await inGateway(async ({ anvil, world }) => {
    assert.equal(await offered(world, IN_USD), "0.01 ETH/ETH");
    const invoice = await ask(world, { ...IN_ETH, method: TEST_COIN });
    assert.equal(invoice.test, true);
    const page = async () => await (await fetch(`${invoice.url}?lang=en`)).text();
    assert.match(await page(), /Test: paid with test coins, which are worth nothing\./);
    await sendTx(anvil, { to: invoice.methods[0].address, valueRaw: 10n * UNIT });
    await round(world);
    const { body: { data } } = await world.merchant.api.get(`/v1/invoices/${invoice.invoice_id}`);
    assert.deepEqual([data.status, data.test, data.payments[0].value], ["paid", true, "0.01"]);
    assert.match(await page(), /Test: paid/);
    const { deps, url, merchant: { accountId } } = world;
    const modeFor = async (email: string, owner: number | null) => {
      const { token } = await makeLogin(deps, { accountId: owner, email });
      const html = await (await dashboardFetch(url, { path: "", token })).text();
      return /class="mode[^>]*>([^<]+)</.exec(html)?.[1];
    };
    assert.equal(await modeFor("merchant@example.com", accountId), "Test");
    assert.equal(await modeFor("operator@example.com", null), "Live");
  });
});

Deno.test("contract 1: test coins pay no invoice of an account that has real ones", async () => {
  await inGateway(async ({ world, becomeReal }) => {
    await becomeReal();
    for (const asked of [IN_USD, IN_ETH]) {
      assert.equal(await offered(world, asked), "0.01 MAIN/ETH");
      const refused = `503 No rate for ETH/${asked.currency}: coins of the test network ETH are ` +
        "worth nothing";
      for (const wish of [{ method: TEST_COIN }, { methods: [TEST_COIN] }]) {
        assert.equal(await offered(world, { ...asked, ...wish }), refused);
      }
    }
    const { test } = await ask(world, { ...IN_ETH, methods: [REAL_COIN] });
    assert.equal(test, false);
    await setNetwork(world.deps, { code: "MAIN", change: { isActive: false }, actor: "test" });
    // It could have a real coin again at any moment.
    assert.match(await offered(world, IN_ETH), /^403 /);
  });
});

Deno.test("contract 1: what test coins paid before the first real coin stays paid, and no more is", async () => {
  await inGateway(async ({ anvil, world, becomeReal }) => {
    const { deps, merchant: { api } } = world;
    const before = await ask(world, { ...IN_ETH, method: TEST_COIN });
    const open = await ask(world, { ...IN_ETH, method: TEST_COIN });
    await sendTx(anvil, { to: before.methods[0].address, valueRaw: 10n * UNIT });
    await round(world);
    await becomeReal();
    await sendTx(anvil, { to: open.methods[0].address, valueRaw: 10n * UNIT });
    await sendTx(anvil, { to: before.methods[0].address, valueRaw: UNIT });
    await world.round().catch(() => {});
    const now = async (id: number) => (await api.get(`/v1/invoices/${id}`)).body.data;
    // Before the worker has looked, when it is not listed yet, and after.
    for (let look = 0; look < 2; look++) {
      const { status, paid, methods, payments } = await now(open.invoice_id);
      assert.deepEqual([status, paid, methods], ["open", "0", []]);
      assert.deepEqual(
        payments.map((one: { value: string | null }) => one.value),
        look ? [null] : [],
      );
      await round(world);
    }
    assert.match(
      await (await fetch(`${open.url}?lang=en`)).text(),
      /This can.{1,6}t be paid in this way/,
    );
    const chosen = await api.post(`/v1/invoices/${open.invoice_id}/methods`, TEST_COIN);
    assert.equal(chosen.status, 503);
    const paid = await now(before.invoice_id);
    assert.deepEqual([paid.status, paid.paid, paid.payments.length], ["paid", "0.01", 2]);
    assert.equal((await deps.db.get(Invoices, [before.invoice_id])).status, "paid");
  });
});

/** As the worker reads it from a node. */
async function readFeed({ deps }: World, { network, value }: { network: string; value: string }) {
  const order = { kind: "chainlink", network, feed: FEED, maxAgeMs: 3_600_000 } as const;
  await addSource(deps, { base: "ETH", quote: "EUR", ...order, actor: "test" });
  const source = `${network}/${FEED}`;
  await deps.db.write({
    reads: [read(RateReadings, [source])],
    decide: (view) => {
      const fine = { error: null, failingSinceMs: null };
      view.insertKeyed(RateReadings, { source, value, atMs: deps.clock.nowMs(), ...fine });
    },
  });
  deps.memory.rates.known = undefined;
}

Deno.test("contract 1: a feed on a test network prices only test coins", async () => {
  await inGateway(async ({ world, becomeReal }) => {
    const { deps } = world;
    await readFeed(world, { network: "ETH", value: "7" });
    const inEur = { base: "ETH", quote: "EUR" };
    assert.equal(await rateOf(deps, { ...inEur, world: "real" }), null);
    assert.equal((await rateOf(deps, { ...inEur, world: "test" }))?.value, "7");
    const listed = (await listRates(deps)).map(({ base, quote, isTest, rate }) =>
      `${base}/${quote} ${rate?.value}${isTest ? " test" : ""}`
    );
    assert.deepEqual(listed.filter((one) => one.startsWith("ETH/")), [
      ...["ETH/USD 2500", "ETH/EUR 7 test"],
    ]);
    assert.equal(await offered(world, { amount: "14", currency: "EUR" }), "2 ETH/ETH");
    await becomeReal();
    assert.match(
      await offered(world, { amount: "14", currency: "EUR" }),
      /^503 No rate for ETH.EUR$/,
    );
  });
});

Deno.test("contract 1: test coins have no value in reports, and match every rule in USD", async () => {
  await inGateway(async ({ world, becomeReal }) => {
    const { deps, merchant: { accountId, api } } = world;
    await setAccount(deps, { id: accountId, change: { reporting: "USD" }, actor: "test" });
    const book = async (asset: typeof TEST_COIN) => {
      const order = { accountId, ...asset, amount: "3", note: "test", actor: "test" };
      await adjustBalance(deps, order);
      return (await api.get("/v1/ledger")).body.data[0].value;
    };
    const said = async (asset: typeof TEST_COIN) => {
      const payment = { accountId, keyId: undefined, toAddress: OUTSIDE, amount: "0.001" };
      return (await testPolicies(deps, { ...payment, ...asset })).outcome;
    };
    await addPolicy(deps, {
      ...{ label: "Limit", accountId: null, keyId: null, network: null, currency: null },
      ...{ each: null, condition: "max_payment", cap: "1000", outcome: "refuse", approvals: 1 },
      ...{ expiresMs: 86_400_000, quote: "USD", setBy: "operator", actor: "test" },
    });
    assert.equal(await book(TEST_COIN), "7500");
    assert.equal(await said(TEST_COIN), "allow");
    await becomeReal();
    assert.equal(await book(TEST_COIN), null);
    assert.equal(await book(REAL_COIN), "7500");
    assert.equal(await said(TEST_COIN), "refuse");
    assert.equal(await said(REAL_COIN), "allow");
    const missing = await deps.db.query("SELECT subject FROM alerts WHERE kind = 'rate_missing'");
    assert.deepEqual(missing, [], "Nobody can do anything about it");
  });
});

Deno.test("contract 1: network set --test off makes a private chain's coins real, and on the reverse", async () => {
  await inGateway(async ({ world, becomeReal }) => {
    const { deps } = world;
    await becomeReal();
    await setNetwork(deps, { code: "ETH", change: { isTest: false }, actor: "test" });
    assert.equal(await offered(world, IN_ETH), "0.01 ETH/ETH, 0.01 MAIN/ETH");
    await setNetwork(deps, { code: "MAIN", change: { isTest: true }, actor: "test" });
    assert.equal(await offered(world, IN_ETH), "0.01 ETH/ETH");
  });
});

const setTest = ({ deps }: World, isTest: boolean) =>
  setNetwork(deps, { code: "ETH", change: { isTest }, actor: "test" });

async function stateOf({ deps }: World, id: number) {
  const { status, sums, judgeAtMs } = await deps.db.get(Invoices, [id]);
  return { status, paid: sums?.paid, isMarked: judgeAtMs === 1 };
}

Deno.test("contract 1: once a private chain is said to be real, what was paid there pays its open invoices", async () => {
  await inGateway(async ({ anvil, world, becomeReal }) => {
    const { deps, merchant: { api } } = world;
    const { invoice_id: id, methods } = await ask(world, { ...IN_ETH, method: TEST_COIN });
    const other = await ask(world, { ...IN_ETH, method: TEST_COIN });
    const unpaid = await ask(world, { ...IN_ETH, method: TEST_COIN });
    await becomeReal();
    await sendTx(anvil, { to: methods[0].address, valueRaw: 10n * UNIT });
    await sendTx(anvil, { to: other.methods[0].address, valueRaw: 10n * UNIT });
    await round(world);
    assert.deepEqual(await stateOf(world, id), { status: "open", paid: "0", isMarked: false });
    const balance = async () =>
      (await api.get("/v1/balances")).body.data.map((one: { balance: string }) => one.balance);
    const credited = await balance();

    assert.equal(await countJudgedAgain(deps.db, "ETH"), 2);
    assert.equal((await setTest(world, true)).testChanges, null, "it was one before");
    const command = ["network", "set", "ETH", "--test", "off", "--force"];
    const { code, out, err } = await runIn(world, command);
    assert.equal(code, 0, err);
    assert.match(out, /^invoices judged again: 2$/m);
    assert.match(
      err,
      /^2 open invoices with payments there are judged again by that; what is paid/m,
    );
    assert.equal((await deps.db.get(Networks, ["ETH"])).testChanges, 1);
    assert.deepEqual(await stateOf(world, id), { status: "open", paid: "0", isMarked: true });
    assert.equal((await stateOf(world, unpaid.invoice_id)).isMarked, false);
    await judgeDue(deps);
    const paid = { status: "paid", paid: "0.01", isMarked: false };
    assert.deepEqual(await stateOf(world, id), paid);
    await judgeDue(deps);
    const events = await deps.db.query("SELECT type FROM events WHERE type = 'invoice.paid'");
    assert.equal(events.length, 2);
    assert.deepEqual(await balance(), credited, "The coins were credited when they came");
    const { body: { data } } = await api.get(`/v1/invoices/${id}`);
    assert.equal(data.payments[0].value, "0.01");
    const [{ left } = assert.fail()] = await refundableOf(deps, await deps.db.get(Invoices, [id]));
    assert.equal(left.toString(), "0.01");

    // What is paid stays paid, whatever comes of it later.
    assert.equal((await setTest(world, true)).testChanges, 2);
    assert.equal((await stateOf(world, id)).isMarked, false);
    await sendTx(anvil, { to: methods[0].address, valueRaw: UNIT });
    await round(world);
    assert.deepEqual(await stateOf(world, id), paid);
    assert.deepEqual((await reconcile(deps, { network: undefined })).invoices, []);
  });
});

Deno.test("contract 1: once a network is said to be a test, its coins pay no open invoice any more", async () => {
  await inGateway(async ({ anvil, world, becomeReal }) => {
    const { deps } = world;
    await becomeReal();
    await setTest(world, false);
    const { invoice_id: id, methods } = await ask(world, { ...IN_ETH, method: TEST_COIN });
    await sendTx(anvil, { to: methods[0].address, valueRaw: 4n * UNIT });
    await round(world);
    const open = { status: "open", paid: "0.004", isMarked: false };
    assert.deepEqual(await stateOf(world, id), open);

    // An invoice that is being judged by the old setting is judged again.
    const { catalog } = deps;
    const old = await catalog.current();
    await setTest(world, true);
    const late = { ...deps, catalog: { ...catalog, current: () => Promise.resolve(old) } };
    for (let payment = 0; payment < 2; payment++) {
      await judgeDue(late);
      assert.equal((await deps.db.get(Invoices, [id])).judgeAtMs, 0);
      if (payment === 0) await sendTx(anvil, { to: methods[0].address, valueRaw: UNIT });
      await world.anvil.mine(3);
      await world.round().catch(() => {});
    }
    await judgeDue(deps);
    assert.deepEqual(await stateOf(world, id), { status: "open", paid: "0", isMarked: false });
    await setTest(world, false);
    await judgeDue(deps);
    assert.deepEqual(await stateOf(world, id), { ...open, paid: "0.005" });
  });
});

Deno.test("contract 1: an invoice that is judged as its network's coins become real is judged again", async () => {
  await inGateway(async ({ anvil, world, becomeReal }) => {
    const { deps } = world;
    const { invoice_id: id, methods } = await ask(world, { ...IN_ETH, method: TEST_COIN });
    await becomeReal();
    await sendTx(anvil, { to: methods[0].address, valueRaw: 10n * UNIT });
    await world.anvil.mine(3);
    await world.round().catch(() => {});
    // Both units are committed together, the judgement first.
    const { db } = deps;
    let isFirst = true;
    let setting: Promise<unknown> = Promise.resolve();
    const beside: typeof db = {
      ...db,
      write: (unit) => {
        const judged = db.write(unit);
        if (unit.reads.some(({ table }) => table.name === Networks.name) && isFirst) {
          isFirst = false;
          setting = setTest(world, false);
        }
        return judged;
      },
    };
    await judgeDue({ ...deps, db: beside });
    await setting;
    await judgeDue(deps);
    assert.deepEqual(await stateOf(world, id), { status: "paid", paid: "0.01", isMarked: false });
  });
});
