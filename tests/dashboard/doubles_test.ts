import assert from "node:assert/strict";
import { csrfOf } from "../../src/dashboard/cookies.ts";
import { createDoubles } from "../../src/dashboard/doubles.ts";
import { Form } from "../../src/dashboard/form.ts";
import { allAccounts } from "../../src/store/reads/pages/lists.ts";
import { dashboardFetch, makeLogin } from "../support/dashboard/dashboard.ts";
import { startGateway } from "../support/gateway.ts";

async function startOffice() {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { token } = await makeLogin(gateway.deps);
  const pageId = async () => {
    const answer = await dashboardFetch(gateway.url, { path: "/accounts", token });
    return /name="page_id" value="([\w-]+)"/.exec(await answer.text())![1]!;
  };
  const make = async (name: string, page_id: string) => {
    const form = { csrf: csrfOf(token), page_id, name };
    const answer = await dashboardFetch(gateway.url, { path: "/accounts", token, form });
    await answer.body?.cancel();
    const { status, headers } = answer;
    return `${status} ${headers.get("location")} ${/flash=\w/.test(headers.get("set-cookie")!)}`;
  };
  const names = async () => (await allAccounts(gateway.deps.db)).map(({ name }) => name);
  const dispose = () => gateway[Symbol.asyncDispose]();
  return { pageId, make, names, [Symbol.asyncDispose]: dispose };
}

Deno.test("a form that is sent twice is processed once, and both get the same answer", async () => {
  await using office = await startOffice();
  const { pageId, make, names } = office;
  const id = await pageId();
  const shown = [
    ...await Promise.all([make("Acme", id), make("Acme", id), make("Acme", id)]),
    await make("Acme", id),
  ];
  assert.deepEqual(new Set(shown), new Set(["303 /dashboard/accounts/1 true"]));
  assert.deepEqual(await names(), ["Acme"]);
});

Deno.test("changed input, or a page that was loaded again, is another order", async () => {
  await using office = await startOffice();
  const { pageId, make, names } = office;
  const id = await pageId();
  await make("Acme", id);
  await make("Bolt", id);
  await make("Acme", await pageId());
  assert.deepEqual(await names(), ["Acme", "Bolt", "Acme"]);
});

Deno.test("a refused form is processed again when it is sent again", async () => {
  await using office = await startOffice();
  const { pageId, make, names } = office;
  const id = await pageId();
  const answers = [await make("", id), await make("", id), await make("Acme", id)];
  assert.deepEqual(answers.map((answer) => answer.slice(0, 3)), ["422", "422", "303"]);
  assert.deepEqual(await names(), ["Acme"]);
});

const MINUTE_MS = 60_000;

function startDoubles() {
  const clock = { atMs: 0, nowMs: () => clock.atMs };
  const doubles = createDoubles(clock);
  let count = 0;
  const send = async (work = Promise.resolve(), name = "Acme") => {
    const form = new Form(new URLSearchParams({ page_id: "p", name }));
    const answer = await doubles.once({ token: "t", path: "/accounts", form }, async () => {
      const text = String(++count);
      await work;
      return new Response(text);
    });
    return await answer.text();
  };
  return { clock, send };
}

Deno.test("an answer is repeated for a minute, and after that it is another order", async () => {
  const { clock, send } = startDoubles();
  assert.equal(await send(), "1");
  clock.atMs = MINUTE_MS - 1;
  assert.equal(await send(), "1");
  clock.atMs = MINUTE_MS;
  assert.equal(await send(), "2");
  clock.atMs = 0;
  assert.equal(await send(), "3");
});

Deno.test("what takes longer than a minute isn't started a second time meanwhile", async () => {
  const { clock, send } = startDoubles();
  const work = Promise.withResolvers<void>();
  const first = send(work.promise);
  clock.atMs = 2 * MINUTE_MS;
  const second = send();
  work.resolve();
  assert.deepEqual(await Promise.all([first, second]), ["1", "1"]);
});

Deno.test("a form in progress isn't started a second time, however many others come", async () => {
  const { send } = startDoubles();
  const work = Promise.withResolvers<void>();
  const first = send(work.promise);
  for (let other = 0; other < 1_100; other++) await send(undefined, `other ${other}`);
  const second = send();
  work.resolve();
  assert.deepEqual(await Promise.all([first, second]), ["1", "1"]);
});
