import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { Form } from "../../../src/dashboard/form.ts";
import { createHeldForms } from "../../../src/dashboard/held_forms.ts";
import { apiKeys } from "../../../src/store/reads/pages/lists.ts";
import {
  dashboardFetch,
  forgetProof,
  type Login,
  makeSession,
  makeUser,
  PASSWORD,
} from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";

const KEY = { label: "shop", rate_limit: "60", preset: "shop" };

async function start() {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  const login = async (email: string): Promise<Login> => {
    const user = await makeUser(deps, { email, role: "merchant", accountId, actor: "test" });
    const made = { user, token: await makeSession(deps, user) };
    await forgetProof(deps, made);
    return made;
  };
  const post = ({ token }: Login, path: string, form: Record<string, string>) =>
    dashboardFetch(url, { path, token, form: { csrf: csrfOf(token), ...form } });
  const ask = async (who: Login) => {
    const answer = await post(who, "/keys/new", { ...KEY, account: String(accountId) });
    assert.equal(answer.status, 303);
    const to = new URL(answer.headers.get("location")!, url);
    assert.equal(to.pathname, "/dashboard/prove");
    return { next: to.searchParams.get("next")!, held: to.searchParams.get("held")! };
  };
  return {
    ...{ deps, url, login, post, ask },
    keys: async () => (await apiKeys(deps.db, accountId)).length,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

Deno.test("what was asked for is done after the proof, once, and not before", async () => {
  await using shop = await start();
  const me = await shop.login("me@example.com");
  const asked = await shop.ask(me);
  const wrong = await shop.post(me, "/prove", { ...asked, secret: "no" });
  assert.equal(wrong.status, 422);
  assert.ok((await wrong.text()).includes(`value="${asked.held}"`));
  assert.equal(await shop.keys(), 0);
  const right = await shop.post(me, "/prove", { ...asked, secret: PASSWORD });
  assert.equal(right.status, 200);
  assert.match(await right.text(), /API key created/);
  assert.equal(await shop.keys(), 1);
  const again = await shop.post(me, "/prove", { ...asked, secret: PASSWORD });
  assert.equal(again.headers.get("location"), "/dashboard/keys/new");
  assert.equal(await shop.keys(), 1);
});

Deno.test("a form that waits is of use to no other session, and not without its token", async () => {
  await using shop = await start();
  const [me, other] = [await shop.login("me@example.com"), await shop.login("other@example.com")];
  const asked = await shop.ask(me);
  const theirs = await shop.post(other, "/prove", { ...asked, secret: PASSWORD });
  assert.equal(theirs.status, 303);
  const forged = await dashboardFetch(shop.url, {
    path: "/prove",
    token: me.token,
    form: { ...asked, csrf: csrfOf(other.token), secret: PASSWORD },
  });
  assert.equal(forged.status, 403);
  assert.equal(await shop.keys(), 0);
});

Deno.test("forms wait ten minutes, one for each session, and few altogether", () => {
  let nowMs = 0;
  const held = createHeldForms({ nowMs: () => nowMs });
  const form = new Form(new URLSearchParams({ a: "1" }));
  const keep = (sessionId: number) => held.keep({ sessionId, path: "/x", form });
  const [first, second] = [keep(1), keep(1)];
  assert.equal(held.take({ sessionId: 1, id: first }), undefined);
  assert.equal(held.take({ sessionId: 2, id: second }), undefined);
  assert.equal(held.take({ sessionId: 1, id: second })?.form, form);
  assert.equal(held.take({ sessionId: 1, id: second }), undefined);
  const late = keep(3);
  nowMs += 10 * 60_000;
  assert.equal(held.take({ sessionId: 3, id: late }), undefined);
  const all = Array.from({ length: 250 }, (_, i) => [i, keep(i)] as const);
  const left = all.filter(([sessionId, id]) => held.take({ sessionId, id }) !== undefined);
  assert.ok(left.length <= 200 && left.length > 0, `${left.length} forms`);
});
