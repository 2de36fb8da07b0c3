import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient, type ApiReply } from "../../support/api_client.ts";
import { audit } from "../../support/auditor.ts";
import { makeServerPlace } from "../../support/database/database.ts";
import { type Fleet, startFleet } from "../../support/fleet.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { depositsOf } from "../../support/views.ts";
import { showFigure } from "../../support/show_figure.ts";

const WITHDRAWALS = 60;
const DEPOSITS = 30;
const AT_ONCE = 8;
const AMOUNT_RAW = 10n ** 16n;
const BACK_WITHIN_MS = 10_000;

Deno.test("a database server killed under load means 503 until it is back, and loses or doubles nothing", async (test) => {
  await using place = await makeServerPlace({ isMigrated: true });
  await using anvil = await startAnvil({ args: ["--block-time", "1"], accounts: AT_ONCE });
  await using fleet = await startFleet({ place, anvil, size: 2 });
  const { api } = fleet.merchant;
  const requested = { currency: "ETH", network: "ETH", user_identifier: "customer" };
  const { address } = (await api.post("/v1/deposit-addresses", requested)).body.data;

  const counted = { unavailable: 0, accepted: 0 };
  const load = Promise.all([
    inParallel(WITHDRAWALS, (i) => payOut(fleet, i, counted)),
    inParallel(DEPOSITS, async (i) => {
      const from = anvil.accounts[i % AT_ONCE];
      await anvil.rpc("eth_sendTransaction", [{ from, to: address, value: "0x2386f26fc10000" }]);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }),
  ]);
  const till = (count: () => number, least: number) =>
    eventually(() => Promise.resolve(count()), { until: (n) => n >= least });
  for (const accepted of [10, 30]) {
    await till(() => counted.accepted, accepted);
    await place.sqld.kill();
    const before = counted.unavailable;
    await till(() => counted.unavailable, before + AT_ONCE);
    await place.sqld.restart();
    const restartedAt = performance.now();
    await till(() => counted.accepted, accepted + 1);
    await eventually(() => readiness(fleet), { until: (ready) => ready, withinMs: BACK_WITHIN_MS });
    const backMs = performance.now() - restartedAt;
    await showFigure(test, `back ${(backMs / 1000).toFixed(1)} s after the database's restart`);
  }
  await load;

  await eventually(() => depositsOf(api), {
    until: (rows) => rows.length === DEPOSITS && rows.every(({ status }) => status === "confirmed"),
  });
  await eventually(() => api.get("/v1/balances?network=ETH&currency=ETH"), {
    until: ({ body }) => Number(body.data[0].held) === 0,
  });
  let paid = 0;
  for (let i = 0; i < WITHDRAWALS; i++) {
    const received = BigInt(await anvil.rpc("eth_getBalance", [recipient(i), "latest"]));
    assert.ok(received === 0n || received === AMOUNT_RAW, `${i} is paid at most once`);
    if (received > 0n) paid += 1;
  }
  await audit({ api, anvil, addresses: [address], adjusted: "1000" });
  await showFigure(
    test,
    `${counted.unavailable} answers 503, ${paid} of ${WITHDRAWALS} paid once, none twice`,
  );
  // Only what was in hand, unsigned, when the database went may have been given back.
  assert.ok(paid >= WITHDRAWALS - 2 * AT_ONCE);
});

/** Repeats the same reference until there is an answer, as a merchant does. */
async function payOut(
  { members, merchant }: Fleet,
  i: number,
  counted: { unavailable: number; accepted: number },
): Promise<void> {
  const api = apiClient(members[i % members.length]!.url, merchant.credentials);
  const body = {
    currency: "ETH",
    network: "ETH",
    to_address: recipient(i),
    amount: "0.01",
    client_reference: `w${i}`,
  };
  for (let ask = 1; ask <= 400; ask++) {
    const reply: ApiReply = await api.post("/v1/withdrawals", body);
    if (reply.status !== 503) {
      assert.ok([200, 502].includes(reply.status), JSON.stringify(reply.body));
      counted.accepted += 1;
      return;
    }
    assert.equal(reply.body.error.code, "unavailable");
    assert.match(reply.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    counted.unavailable += 1;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`Withdrawal ${i} got no answer`);
}

async function readiness({ members }: Fleet): Promise<boolean> {
  const replies = await Promise.all(members.map(({ url }) => fetch(`${url}/readyz`)));
  await Promise.all(replies.map((reply) => reply.body?.cancel()));
  return replies.every(({ ok }) => ok);
}

async function inParallel(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

function recipient(i: number): string {
  return `0x${(0xdeed0000 + i).toString(16).padStart(40, "0")}`;
}
