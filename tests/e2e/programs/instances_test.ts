import assert from "node:assert/strict";
import { revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { audit } from "../../support/auditor.ts";
import { makeServerPlace } from "../../support/database/database.ts";
import { type Fleet, type FleetMember, startFleet } from "../../support/fleet.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { showFigure } from "../../support/show_figure.ts";
import { depositsOf } from "../../support/views.ts";

const WITHDRAWALS = 120;
const DEPOSITS = 120;
const ADDRESSES = 10;
const AT_ONCE = 10;
const AMOUNT_RAW = 10n ** 16n;
const TAKE_OVER_MS = 10_000;

Deno.test("of three instances one is killed and one paused under load: nothing is lost or doubled", async (test) => {
  await using place = await makeServerPlace({ isMigrated: true });
  await using anvil = await startAnvil({ args: ["--block-time", "1"], accounts: AT_ONCE });
  await using fleet = await startFleet({ place, anvil, size: 3 });
  const addresses: string[] = [];
  for (let i = 1; i <= ADDRESSES; i++) addresses.push(await allocate(fleet, `customer-${i}`));

  const startedAt = performance.now();
  const load = Promise.all([payOut(fleet), payIn(anvil, addresses)]);
  const killed = await firstFollower(fleet);
  await busy(fleet, 15);
  await killed.kill();
  const afterKillMs = await takeOver(fleet, killed);
  const paused = (await fleet.follower())!;
  await busy(fleet, 50);
  Deno.kill(paused.pid, "SIGSTOP");
  const afterPauseMs = await takeOver(fleet, paused);
  await busy(fleet, 80);
  Deno.kill(paused.pid, "SIGCONT");
  await load;
  const took = (performance.now() - startedAt) / 1000;

  const { api } = fleet.merchant;
  await eventually(() => depositsOf(api), {
    until: (rows) => rows.length === DEPOSITS && rows.every(({ status }) => status === "confirmed"),
  });
  await eventually(() => openWithdrawals(fleet), { until: (open) => open === 0 });
  const givenBack = await checkPayouts(fleet, anvil);
  // The unsigned withdrawals of the paused instance reached their deadline.
  assert.ok(givenBack <= AT_ONCE, `${givenBack} failed`);
  await audit({ api, anvil, addresses, adjusted: "1000" });
  await showFigure(
    test,
    `${WITHDRAWALS} withdrawals and ${DEPOSITS} deposits in ${took.toFixed(1)} s; take-over ` +
      `${(afterKillMs / 1000).toFixed(1)} s after kill -9, ${
        (afterPauseMs / 1000).toFixed(1)
      } s after SIGSTOP; paid twice 0, credited twice 0, failed and given back ${givenBack}`,
  );
});

Deno.test("several instances share a key's limit up to 1.2 times, and revoked keys stop in a second", async (test) => {
  await using place = await makeServerPlace({ isMigrated: true });
  await using anvil = await startAnvil();
  await using fleet = await startFleet({ place, anvil, size: 3, rateLimit: 300 });
  const { credentials } = fleet.merchant;
  const apis = fleet.members.map(({ url }) => apiClient(url, credentials));
  await Promise.all(apis.map((api) =>
    eventually(() => api.get("/v1/_ping"), {
      until: ({ status }) => status !== 401,
    })
  ));
  const startedAt = performance.now();
  let allowed = 0;
  for (let round = 0; round < 60; round++) {
    const replies = await Promise.all(
      apis.flatMap((api) => Array.from({ length: 8 }, () => api.get("/v1/_ping"))),
    );
    allowed += replies.filter(({ status }) => status === 200).length;
  }
  const minutes = (performance.now() - startedAt) / 60_000;
  const limit = 300 + 300 * minutes;
  await showFigure(
    test,
    `${allowed} of ${60 * 24} let through, the limit being ${limit.toFixed(0)}`,
  );
  assert.ok(allowed <= 1.2 * limit, `${allowed} of ${limit}`);
  assert.ok(allowed >= 0.8 * limit, `${allowed} of ${limit}`);

  await revokeApiKey(fleet.deps, { keyId: credentials.keyId, actor: "test" });
  const revokedAt = performance.now();
  await Promise.all(apis.map((api) =>
    eventually(() => api.get("/v1/_ping"), {
      until: ({ status }) => status === 401,
      withinMs: 1_000,
    })
  ));
  await showFigure(
    test,
    `revoked everywhere after ${(performance.now() - revokedAt).toFixed(0)} ms`,
  );
});

async function payOut(fleet: Fleet): Promise<void> {
  await inParallel(WITHDRAWALS, async (i) => {
    const { status, body } = await fleet.call("POST", "/v1/withdrawals", {
      currency: "ETH",
      network: "ETH",
      to_address: recipient(i),
      amount: "0.01",
      client_reference: `w${i}`,
    });
    assert.equal(status, 200, JSON.stringify(body));
  });
}

async function payIn(anvil: Anvil, addresses: readonly string[]): Promise<void> {
  await inParallel(DEPOSITS, async (i) => {
    await anvil.rpc("eth_sendTransaction", [{
      from: anvil.accounts[i % AT_ONCE],
      to: addresses[i % addresses.length],
      value: `0x${AMOUNT_RAW.toString(16)}`,
    }]);
    // Spread over the whole test.
    await new Promise((resolve) => setTimeout(resolve, 1000));
  });
}

/** Each is paid once or, where the API says so, not at all. Answers how many were not. */
async function checkPayouts({ call }: Fleet, anvil: Anvil): Promise<number> {
  let failed = 0;
  for (let id = 1; id <= WITHDRAWALS; id++) {
    const { data } = (await call("GET", `/v1/withdrawals/${id}`)).body;
    const received = await anvil.rpc("eth_getBalance", [data.to_address, "latest"]);
    const isPaid = data.status === "confirmed";
    assert.equal(BigInt(received), isPaid ? AMOUNT_RAW : 0n, JSON.stringify(data));
    if (!isPaid) failed += 1;
  }
  return failed;
}

async function inParallel(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function allocate(fleet: Fleet, customer: string): Promise<string> {
  const body = { currency: "ETH", network: "ETH", user_identifier: customer };
  const reply = await fleet.call("POST", "/v1/deposit-addresses", body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.data.address;
}

async function firstFollower(fleet: Fleet): Promise<FleetMember> {
  return (await eventually(() => fleet.follower(), { until: (one) => one !== undefined }))!;
}

/** Waits until so many withdrawals exist that the next event happens in the middle of the work. */
async function busy(fleet: Fleet, withdrawals: number): Promise<void> {
  await eventually(() => fleet.call("GET", `/v1/withdrawals/${withdrawals}`), {
    until: ({ status }) => status === 200,
  });
}

/** The time until another instance did the work. */
async function takeOver(fleet: Fleet, from: FleetMember): Promise<number> {
  const startedAt = performance.now();
  await eventually(() => fleet.follower(), {
    until: (now) => now !== undefined && now.instance !== from.instance,
    withinMs: TAKE_OVER_MS,
  });
  return performance.now() - startedAt;
}

async function openWithdrawals(fleet: Fleet): Promise<number> {
  const { body } = await fleet.call("GET", "/v1/balances?network=ETH&currency=ETH");
  return Number(body.data[0].held);
}

function recipient(i: number): string {
  return `0x${(0xfeed0000 + i).toString(16).padStart(40, "0")}`;
}
