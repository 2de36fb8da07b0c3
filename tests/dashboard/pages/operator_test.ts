import assert from "node:assert/strict";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { findSession } from "../../../src/access/manage_sessions.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { alerts } from "../../support/alerts.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { dashboardFetch, type Login, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { balanceOf } from "../../support/views.ts";
import { livedIn } from "../lived_in.ts";

const RECEIVING = "0x52908400098527886E0F7030069857D2E4169EE7";
/** As a page makes it. */
const KEY = "of_one_page_only_123";
/** Begins and ends like the receiving wallet. */
const POISONED = `0x5290${"ab".repeat(16)}9ee7`;

const poster = (url: string, { token }: Login) => async (path: string, form: object = {}) => {
  const sent = { path, token, form: { csrf: csrfOf(token), ...form } };
  const answer = await dashboardFetch(url, sent);
  return { status: answer.status, to: answer.headers.get("location"), text: await answer.text() };
};

Deno.test("an entry whose form is sent again after a restart is booked once", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { accountId, api } = world.merchant;
  const login = await makeLogin(world.deps);
  const entry = { asset: "ETH/ETH", amount: "5", note: "a gift", once: KEY };
  const send = (form: object) => poster(world.url, login)(`/accounts/${accountId}/adjust`, form);
  assert.equal((await send(entry)).status, 303);
  await world.restart();
  assert.equal((await send(entry)).status, 303);
  const { text } = await send({ ...entry, amount: "6" });
  assert.match(
    text,
    /This form was already sent: 5 ETH on ETH was booked at .*Open the form again/,
  );
  assert.equal((await balanceOf(api)).balance, "105");
  assert.equal((await send({ ...entry, once: "of another" })).status, 303);
  assert.equal((await balanceOf(api)).balance, "110");
  for (
    const [fault, kept] of [[{ amount: "x" }, KEY], [{ once: "" }, "[\\w-]{20}"]] as const
  ) {
    const { status, text } = await send({ ...entry, ...fault });
    assert.equal(status, 422);
    assert.match(text, new RegExp(`name="once" value="${kept}"`));
  }
});

Deno.test("operators book by hand, resolve alerts and manage users, and all of it is in the audit log", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await livedIn(world);
  const { deps, url, merchant: { accountId } } = world;
  const login = await makeLogin(deps);
  const post = poster(url, login);
  const merchant = await makeLogin(deps, { accountId });

  const booked = { asset: "ETH/ETH", amount: "-0.5", note: "a fee", once: "a" };
  assert.equal((await post(`/accounts/${accountId}/adjust`, booked)).status, 303);
  const below = { ...booked, amount: "-5000", reference: "gone" };
  const refused = await post(`/accounts/${accountId}/adjust`, below);
  assert.match(refused.text, /would leave -[\d.]+\d\. If that is right, tick/);
  assert.equal((await post("/alerts/1/resolve")).status, 303);
  assert.deepEqual(await alerts(deps.db, { isOpen: true, limit: 9 }), []);
  const made = await post("/users", { email: "bo@acme.example", role: "merchant", account: "1" });
  assert.match(made.text, /\/dashboard\/set-up\/[\w-]{43}/);
  assert.equal((await post(`/users/${merchant.user.id}/disable`)).status, 303);
  assert.equal(await findSession(deps, merchant.token), undefined);
  assert.match((await post(`/users/${login.user.id}/disable`)).text, /Change your own login under/);
  assert.equal((await post("/networks/ETH/gas-wallet")).status, 303);

  const actor = `user:${login.user.id}`;
  const rows = await auditPage(deps.db, { actor, subject: null, cursor: null, limit: 50 });
  assert.deepEqual(rows.map(({ action }) => action), [
    "wallet.created",
    "user.disabled",
    "user.link_made",
    "user.created",
    "alert.resolved",
    "account.adjusted",
  ]);
  const allowed = { ...below, allow_negative: "on" };
  for (let i = 0; i < 2; i++) {
    assert.equal((await post(`/accounts/${accountId}/adjust`, allowed)).status, 303);
  }
  const after = await auditPage(deps.db, { actor, subject: null, cursor: null, limit: 50 });
  assert.equal(after.length, rows.length + 1);
  assert.ok(rows.every(({ ip }) => ip === "127.0.0.1"));
});

Deno.test("our own or a mistyped receiving wallet is refused, and a look-alike causes a warning", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, hotWallet } } = world;
  await setReceivingWallet(deps, { accountId, network: "ETH", address: RECEIVING, actor: "test" });
  const post = poster(url, await makeLogin(deps, { accountId }));
  const look = async (address: string) =>
    (await post("/wallets/receiving", { account: "1", network: "ETH", address })).text;
  assert.match(await look(hotWallet), /is one of this gateway&#39;s own hot addresses/);
  assert.match(await look(RECEIVING.replace("E4", "e4")), /is not an address/);
  assert.match(await look(POISONED), /begins and ends like/);
  assert.doesNotMatch(await look(`0x${"cd".repeat(20)}`), /begins and ends like/);
  const set = { account: "1", network: "ETH", address: POISONED, last: "ffffff" };
  const refused = await post("/wallets/receiving/set", set);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /begins and ends like/);
  const done = await post("/wallets/receiving/set", { ...set, last: "AB9ee7" });
  assert.deepEqual([done.status, done.to], [303, `/dashboard/wallets?account=${accountId}`]);
});
