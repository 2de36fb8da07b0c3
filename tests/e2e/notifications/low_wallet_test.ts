import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { addUpVolumes } from "../../../src/accounts/add_up_volumes.ts";
import { addReceiver } from "../../../src/notifications/manage_receivers.ts";
import { sendDueNotices } from "../../../src/notifications/send_due.ts";
import { watchHotWallets } from "../../../src/wallets/watch_hot.ts";
import { createMailSender } from "../../../src/notifications/senders/mail.ts";
import { Balances } from "../../../src/books/table.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { startMailSink } from "../../support/programs/mail_sink.ts";
import type { World } from "../../support/world.ts";

/** Housekeeping every half minute, on a clock that no earlier answer of a node outlives. */
function housekeeper({ deps, anvil }: World, port: number) {
  let aheadMs = 0;
  const clock = { ...deps.clock, nowMs: () => Date.now() + aheadMs };
  const from = "CPG <cpg@example.com>";
  const email = createMailSender({ url: `smtp://127.0.0.1:${port}`, from });
  const notes = { send: { email, telegram: undefined }, link: "https://pay.example.com/dashboard" };
  const later = { ...deps, clock, notes };
  const run = async () => {
    await anvil.mine(1);
    await addUpVolumes(later);
    for (let round = 0; round < 3; round++) {
      aheadMs += 30_000;
      await watchHotWallets(later);
      await sendDueNotices(later);
    }
  };
  return { later, run, wait: (ms: number) => void (aheadMs += ms) };
}

async function homeOf(world: World, accountId: number, email: string): Promise<string> {
  const { token } = await makeLogin(world.deps, { accountId, email });
  const answer = await dashboardFetch(world.url, { path: "", token });
  return (await answer.text()).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
}

/** Until the reason; a long subject is folded. */
function wordsOf(subject: string | undefined): string {
  return /^[^,]*/.exec((subject ?? "").replaceAll(/\s+/g, " "))![0];
}

Deno.test("a merchant hears once that the hot wallet is low, before a payout fails, and once that it isn't", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using sink = await startMailSink();
  const { merchant: { accountId, hotWallet, api } } = world;
  const other = await world.addMerchant("Other");
  const { later, run } = housekeeper(world, sink.port);
  const add = (to: string, accountId: number | null) =>
    addReceiver(
      later,
      {
        ...{ kind: "email", address: to, accountId, topics: ["alerts"], actor: "test" },
      } as const,
    );
  await add("mine@example.com", accountId);
  await add("other@example.com", other.accountId);
  await add("ops@example.com", null);
  await run();
  assert.deepEqual(sink.mails, [], "it holds enough, and the other account has nothing to pay");

  const paid = await api.post("/v1/withdrawals", {
    ...{ network: "ETH", currency: "ETH", to_address: STRANGER, amount: "40" },
    client_reference: "a day's payouts",
  });
  assert.equal(paid.status, 200);
  await settleAll(world);
  await setBalance(anvil, hotWallet, 19n * ETHER);
  await run();
  const told = () =>
    sink.mails.map(({ to, headers }) => `${to} ${wordsOf(headers.get("subject"))}`).toSorted();
  const low = `Alert: Payouts of account ${accountId} on ETH may fail`;
  // The account has test coins only, and what it is told says so.
  const opened = [`mine@example.com CPG test: ${low}`, `ops@example.com CPG: ${low}`];
  assert.deepEqual(told(), opened);
  assert.match(
    sink.mails.map(({ text }) => text).join().replaceAll(/\s+/g, " "),
    /may fail, because its hot wallet holds 19 ETH and needs 21\.\d+ more/,
  );
  const home = await homeOf(world, accountId, "home@example.com");
  assert.match(home, /The hot wallet on .* is low: it needs ETH Fund/);
  assert.equal(home.split("hot wallet on").length - 1, 1, "not again for its alert");
  assert.doesNotMatch(await homeOf(world, other.accountId, "other@example.com"), /is low/);

  await setBalance(anvil, hotWallet, 21n * ETHER);
  await run();
  await setBalance(anvil, hotWallet, 19n * ETHER);
  await run();
  assert.deepEqual(told(), opened, "around the limit it is one episode");

  await setBalance(anvil, hotWallet, 31n * ETHER);
  await run();
  const closed = low.replace("Alert:", "Resolved:");
  const all = [...opened, `mine@example.com CPG test: ${closed}`, `ops@example.com CPG: ${closed}`];
  assert.deepEqual(told(), all.toSorted());
});

Deno.test("a token whose contract is gone hides no wallet that is low", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using sink = await startMailSink();
  const { merchant: { accountId, hotWallet, api } } = world;
  const { later, run } = housekeeper(world, sink.port);
  const gone = await world.addToken();
  await addReceiver(later, {
    ...{ kind: "email", address: "ops@example.com", accountId: null },
    ...{ topics: ["alerts"], actor: "test" },
  });
  const paid = await api.post("/v1/withdrawals", {
    ...{ network: "ETH", currency: "ETH", to_address: STRANGER, amount: "40" },
    client_reference: "a day's payouts",
  });
  assert.equal(paid.status, 200);
  await settleAll(world);
  await anvil.rpc("anvil_setCode", [gone.address, "0x"]);
  await setBalance(anvil, hotWallet, 19n * ETHER);
  await run();
  assert.deepEqual(sink.mails.map(({ headers }) => wordsOf(headers.get("subject"))), [
    `CPG: Alert: Payouts of account ${accountId} on ETH may fail`,
  ]);
});

Deno.test("a merchant who has left hears no more of the empty wallet", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using sink = await startMailSink();
  const { deps, merchant: { accountId, hotWallet, api } } = world;
  const { later, run, wait } = housekeeper(world, sink.port);
  await addReceiver(later, {
    ...{ kind: "email", address: "mine@example.com", accountId },
    ...{ topics: ["alerts"], actor: "test" },
  });
  await api.post("/v1/withdrawals", {
    ...{ network: "ETH", currency: "ETH", to_address: STRANGER, amount: "40" },
    client_reference: "the last",
  });
  await settleAll(world);
  await setBalance(anvil, hotWallet, 0n);
  await run();
  wait(2 * 24 * 3_600_000);
  await run();
  assert.equal(sink.mails.length, 1, "It owes the rest of the balance");
  const asset = { accountId, network: "ETH", currency: "ETH" };
  const { balance } = await deps.db.get(Balances, [accountId, "ETH", "ETH"]);
  await adjustBalance(deps, {
    ...asset,
    amount: `-${balance}`,
    note: "paid by bank",
    actor: "test",
  });
  await run();
  assert.deepEqual(sink.mails.map(({ headers }) => wordsOf(headers.get("subject"))), [
    `CPG test: Alert: Payouts of account ${accountId} on ETH may fail`,
    `CPG test: Resolved: Payouts of account ${accountId} on ETH may fail`,
  ]);
});
