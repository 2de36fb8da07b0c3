import assert from "node:assert/strict";
import { createAccount } from "../../src/accounts/manage_accounts.ts";
import { createDashboard } from "../../src/dashboard/app.ts";
import { InvoiceAddresses } from "../../src/invoices/tables/invoices.ts";
import { makeInvoice } from "../support/checkout/invoices.ts";
import { makeLogin, makeSession, makeUser } from "../support/dashboard/dashboard.ts";
import { enable, makeNetwork } from "../support/gateway.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { startWorld } from "../support/world.ts";
import { createLiveStreams, type Watcher } from "../../src/dashboard/live.ts";
import { openStillGateway } from "./gateway.ts";

const PER_SESSION_MAX = 12;
const STREAMS_MAX = 200;

/** Opens streams and waits until each has sent its first figures. */
function startPages() {
  const streams = createLiveStreams({ everyMs: 60_000 });
  const open = async (watcher: Watcher) => {
    const { status, body } = streams.open(watcher, () => Promise.resolve({ a: "1" }));
    if (status !== 200) return { status, isOver: () => Promise.resolve(true) };
    const reader = body!.getReader();
    await reader.read();
    return { status, isOver: async () => (await reader.read()).done };
  };
  return { open, close: () => streams.close() };
}

const merchant = (accountId: number, id: number, session = id): Watcher => ({
  user: { id, accountId },
  session: { id: session },
});

Deno.test("one session and one user get a limited share of live pages", async () => {
  const { open, close } = startPages();
  const tries = async (watcher: Watcher) => {
    let opened = 0;
    while (opened < STREAMS_MAX && (await open(watcher)).status === 200) opened++;
    return opened;
  };
  assert.equal(await tries(merchant(1, 1, 1)), PER_SESSION_MAX);
  assert.equal(await tries(merchant(1, 1, 2)), 8);
  assert.equal(await tries(merchant(1, 1, 3)), 0);
  assert.equal(await tries(merchant(1, 2, 4)), PER_SESSION_MAX);
  close();
});

Deno.test("a question for the headers alone takes no share of live pages", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { token } = await makeLogin(world.deps);
  const ask = async (method: string) => {
    const answer = await fetch(`${world.url}/dashboard/live`, {
      method,
      headers: { cookie: `cpg=${token}` },
    });
    await answer.body?.cancel();
    return answer.status;
  };
  for (let i = 0; i <= PER_SESSION_MAX; i++) assert.equal(await ask("HEAD"), 200);
  assert.equal(await ask("GET"), 200);
});

Deno.test("a merchant whose users take all streams gives them up one by one, down to an equal share", async () => {
  const { open, close } = startPages();
  const taken = [];
  for (let i = 0; i < STREAMS_MAX; i++) taken.push(await open(merchant(1, 100 + i % 40)));
  assert.ok(taken.every(({ status }) => status === 200));
  assert.equal((await open(merchant(1, 150))).status, 503);
  const operator = { user: { id: 1, accountId: null }, session: { id: 1 } };
  assert.equal((await open(operator)).status, 200);
  assert.equal(await taken[0]!.isOver(), true);
  for (let i = 0; i < 99; i++) assert.equal((await open(merchant(2, 200 + i % 20))).status, 200);
  assert.equal((await open(merchant(2, 220))).status, 503);
  assert.equal((await open(merchant(3, 300))).status, 200);
  close();
});

Deno.test("a closed page gives its place up", async () => {
  const streams = createLiveStreams({ everyMs: 60_000 });
  const ask = () => Promise.resolve({ a: "1" });
  for (let i = 0; i < 3 * STREAMS_MAX; i++) {
    const { status, body } = streams.open(merchant(1, 1), ask);
    assert.equal(status, 200, String(i));
    await body!.cancel();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  streams.close();
});

Deno.test("however many pages of an invoice are open, one look serves all of a role and an account", async () => {
  await using gateway = await openStillGateway();
  const { deps, moveMs } = gateway;
  const account = await createAccount(deps, { name: "Acme", actor: "test" });
  const network = await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  await enable(deps, { accountId: account.id, network, currency: "ETH" });
  const { id } = await makeInvoice(deps, { accountId: account.id, chosen: null });
  let looks = 0;
  const list: typeof deps.db.list = (table, where) => {
    if (table.name === InvoiceAddresses.name) looks++;
    return deps.db.list(table, where);
  };
  const live = createLiveStreams({ everyMs: 60_000 });
  const app = createDashboard({
    ...{ deps: { ...deps, db: { ...deps.db, list } }, publicUrl: "http://127.0.0.1:8080" },
    ...{ trustedProxies: [], bodyTimeoutMs: 60_000, live, environment: [] },
  });
  const open = async (token: string) => {
    const request = new Request(`http://127.0.0.1:8080/dashboard/invoices/${id}/live`, {
      headers: { cookie: `cpg=${token}` },
    });
    const { status, body } = await app.fetch(request, { remoteIp: "127.0.0.1" });
    assert.equal(status, 200);
    await body!.getReader().read();
  };
  const order = { role: "merchant", accountId: account.id, actor: "test" } as const;
  const users = await Promise.all(
    Array.from({ length: 8 }, (_, n) => makeUser(deps, { ...order, email: `${n}@example.com` })),
  );
  const tokens = await Promise.all(users.map((user) => makeSession(deps, user)));
  await Promise.all(tokens.flatMap((token) => Array.from({ length: 10 }, () => open(token))));
  assert.equal(looks, 1);
  moveMs(500);
  await open(tokens[0]!);
  assert.equal(looks, 2);
  await open((await makeLogin(deps)).token);
  assert.equal(looks, 3);
  live.close();
});
