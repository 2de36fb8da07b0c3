import { trialAmount } from "../../src/networks/rules/suggested_limits.ts";
import assert from "node:assert/strict";
import { firstOperatorLink, tryLink } from "../../src/access/manage_links.ts";
import { setUserRole } from "../../src/access/change_user.ts";
import { createUser } from "../../src/access/manage_users.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { serveDashboard } from "../../src/app/serve.ts";
import { Users } from "../../src/access/tables/users.ts";
import { auditPage } from "../../src/audit/reads/page.ts";
import { present } from "../../src/base/assert.ts";
import { createAccount } from "../../src/accounts/manage_accounts.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { csrfOf, newVisitorToken } from "../../src/dashboard/cookies.ts";
import { TooManyTries } from "../../src/domain/refusal.ts";
import { isGatewayRole } from "../../src/access/rules/roles.ts";
import { addSource } from "../../src/rates/manage.ts";
import { openStillGateway } from "./gateway.ts";
import {
  dashboardFetch,
  makeLogin,
  makeSession,
  PASSWORD,
} from "../support/dashboard/dashboard.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { startAnvil } from "../support/nodes/anvil.ts";

const OWNER = {
  email: "ops@example.com",
  role: "operator",
  accountId: null,
  actor: "test",
} as const;

const ROLES = ["merchant", "finance", "developer", "viewer", "approver", "auditor"] as const;

interface Answer {
  readonly status: number;
  readonly to: string | null;
  readonly text: string;
}

interface Visitor {
  get(path: string): Promise<Answer>;
  post(path: string, form?: Record<string, string>): Promise<Answer>;
}

function visitorOf(url: string, token: string): Visitor {
  const ask = async (path: string, form?: Record<string, string>) => {
    const sent = form === undefined ? {} : { form: { ...form, csrf: csrfOf(token) } };
    const answer = await dashboardFetch(url, { path, token, ...sent });
    const to = answer.headers.get("location")?.replace("/dashboard", "") ?? null;
    return { status: answer.status, to, text: await answer.text() };
  };
  return { get: (path) => ask(path), post: (path, form = {}) => ask(path, form) };
}

async function tokenOfOwner({ deps }: TestGateway): Promise<string> {
  return await makeSession(deps, await createUser(deps, OWNER, null));
}

function wordsIn(html: string): string[] {
  return [...html.matchAll(/<li><code>(\w+)<\/code>/g)].map(([, word]) => word!);
}

async function actionsOf({ deps }: TestGateway): Promise<string[]> {
  const rows = await auditPage(deps.db, { actor: null, subject: "seed", cursor: null, limit: 9 });
  return rows.map(({ action }) => action).toSorted();
}

Deno.test("a new installation is set up in four steps, which can be left and continued", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  await using anvil = await startAnvil({ args: ["--chain-id", "1"] });
  const { url, deps } = gateway;
  const link = present(await gateway.serving.setUpUrl(), "a link");
  assert.match(await (await fetch(link)).text(), /You are the owner/);
  const owner = visitorOf(url, await tokenOfOwner(gateway));
  assert.equal(await gateway.serving.setUpUrl(), null);
  const home = (await owner.get("/")).text;
  assert.match(home, /href="\/dashboard\/begin">Go on with the set-up<\/a>, which[^]*<ol>/);
  const [, steps = ""] = /<ol>([^]*?)<\/ol>/.exec(home) ?? [];
  assert.match(steps, /^\s*<li>\s*<a href="[^"]*">Add a network<[^]*Create an account</);
  assert.doesNotMatch(steps, /set-up/);

  assert.equal((await owner.get("/begin")).to, "/begin/login");
  const node = { preset: "ETH", rpc_url: anvil.url };
  const other = await owner.post("/begin/network/try", { ...node, preset: "POLYGON" });
  assert.match(other.text, /This node is on Ethereum, not on Polygon/);
  const [, section, guide] = /&quot;([^&]+)&quot;\s+in <code>([^<]+)<\/code>/
    .exec((await owner.get("/begin/network")).text)!;
  const said = await Deno.readTextFile(new URL(`../../${guide}`, import.meta.url));
  assert.ok(said.includes(`\n### ${section}\n`));
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  const nowhere = `127.0.0.1:${listener.addr.port}`;
  const silent = await owner.post("/begin/network/try", { ...node, rpc_url: `http://${nowhere}` });
  assert.ok(silent.text.includes(`Nothing answers at ${nowhere}. Is the node running?`));
  const tried = await owner.post("/begin/network/try", node);
  assert.match(tried.text, /Ethereum answers/);
  assert.equal((await owner.get("/begin")).to, "/begin/login", "nothing was added by trying");
  assert.equal((await owner.post("/begin/network", node)).to, "/begin/merchant");

  assert.equal((await owner.get("/begin")).to, "/begin/merchant");
  assert.match((await owner.get("/begin/merchant")).text, /name="min_deposit_0"[^>]*value="0.001"/);
  const coins = { coin: "ETH", min_deposit_0: "0.003", min_payout_0: "0.02", fee_0: "0.001" };
  const wrong = await owner.post("/begin/merchant", { ...coins, name: "Acme", fee_0: "much" });
  assert.match(wrong.text, /Check the highlighted fields/);
  assert.equal((await owner.get("/begin")).to, "/begin/merchant", "a fault leaves no account");
  const made = await owner.post("/begin/merchant", { ...coins, name: "Acme" });
  assert.equal(made.to, "/begin/phrase");
  for (const path of ["/begin/network", "/begin/merchant"]) {
    assert.equal((await owner.get(path)).to, "/begin", `${path} is over`);
  }
  assert.equal((await owner.post("/begin/network", node)).to, "/begin");
  assert.equal((await owner.post("/begin/merchant", { ...coins, name: "Again" })).to, "/begin");
  assert.equal((await deps.db.query("SELECT id FROM accounts")).length, 1);
  const ether = (await deps.catalog.current()).currencies.find((it) => it.symbol === "ETH")!;
  const { minDepositAmount, minWithdrawalAmount, feeFlat } = ether;
  assert.deepEqual([minDepositAmount, minWithdrawalAmount, feeFlat], ["0.003", "0.02", "0.001"]);
  const enabled = await deps.db.query("SELECT currency FROM account_currencies");
  assert.deepEqual(enabled.map(({ currency }) => currency), ["ETH"]);

  assert.equal((await owner.get("/begin")).to, "/begin/phrase");
  assert.deepEqual(wordsIn((await owner.get("/begin/phrase")).text), [], "only on demand");
  const words = wordsIn((await owner.post("/begin/phrase")).text);
  assert.equal(words.length, 24);
  const asked = (await owner.get("/begin/phrase/words")).text;
  const places = /name="places" value="([\d ]+)"/.exec(asked)![1]!;
  const typed = (word: (place: number) => string) =>
    Object.fromEntries(places.split(" ").map((place) => [`word_${place}`, word(Number(place))]));
  const typo = await owner.post("/begin/phrase/words", { places, ...typed(() => "wrong") });
  assert.equal(typo.text.match(/class="field-fault"/g)?.length, 3);
  assert.ok(typo.text.includes(`name="places" value="${places}"`), "the same words are asked for");
  for (const bad of ["1 1 1", "1 2", "0 1 2", "1 2 25", "x"]) {
    assert.equal((await owner.post("/begin/phrase/words", { places: bad })).to, null, bad);
  }
  const right = typed((place) => ` ${words[place - 1]!.toUpperCase()}`);
  assert.equal((await owner.post("/begin/phrase/words", { places, ...right })).to, "/begin/end");
  assert.deepEqual(await actionsOf(gateway), ["seed.created", "seed.kept", "seed.shown"]);
  assert.deepEqual(wordsIn((await owner.post("/begin/phrase")).text), [], "never again");

  assert.equal((await owner.get("/begin")).to, "/begin/end");
  const invoiceOver = async (said: string, amount: string, currency: string) => {
    const { text } = await owner.get("/begin/end");
    assert.ok(text.includes(`Create an invoice over ${said}<`), said);
    assert.ok(!text.includes('href="/docs/operate"'), "no page of the documentation");
    assert.ok(text.includes(`name="amount" value="${amount}"`));
    assert.ok(text.includes(`name="currency" value="${currency}"`));
    const first = await owner.post("/begin/invoice", { account: "1", amount, currency });
    assert.match(first.to!, /^\/invoices\/\d+$/);
  };
  await invoiceOver("0.003 ETH", "0.003", "ETH");
  assert.match(
    (await owner.get("/invoices/new?account=1")).text,
    /For a first try, take 0\.003 ETH/,
  );
  const price = { base: "ETH", quote: "USD", kind: "manual", value: "4000" } as const;
  await addSource(deps, { ...price, actor: "test" });
  await invoiceOver("$1.00", "1", "USD");
  assert.doesNotMatch((await owner.get("/invoices/new?account=1")).text, /For a first try/);
});

Deno.test("a first invoice in coins is over little, but not less than what may be deposited", () => {
  const over = (symbol: string, decimals = 18, minDepositAmount = "0") =>
    trialAmount({ symbol, decimals, minDepositAmount });
  assert.deepEqual(["BTC", "ETH", "USDT"].map((symbol) => over(symbol)), ["0.0001", "0.001", "1"]);
  assert.equal(over("ETH", 18, "0.05"), "0.05");
  assert.equal(over("COIN"), "0.01");
  assert.equal(over("TICKET", 0), "1");
});

Deno.test("the link makes one owner, and another browser none; only its hash is stored", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { url, deps } = gateway;
  const link = present(await gateway.serving.setUpUrl(), "a link");
  const token = link.split("/").at(-1)!;
  assert.ok(!JSON.stringify(await deps.db.query("SELECT * FROM set_up_links")).includes(token));
  const take = async (email: string) => {
    const form = { email, password: PASSWORD, again: PASSWORD };
    return await visitorOf(url, newVisitorToken()).post(`/set-up/${token}`, form);
  };
  assert.equal((await take("ann@example.com")).to, "/begin");
  const second = await take("bob@example.com");
  assert.equal(second.status, 422);
  assert.match(second.text, /This link doesn&#39;t work[^]*somebody else is its owner now/);
  assert.match(await (await fetch(link)).text(), /This link doesn&#39;t work/);
  const [ann] = await deps.db.rows(Users, "");
  const signedIn = visitorOf(url, await makeSession(deps, ann!));
  const { text } = await signedIn.get(`/set-up/${token}`);
  assert.match(text, /You are signed in[^]*ann@example\.com[^]*href="\/dashboard">Go on</);
  assert.doesNotMatch(text, /somebody else/);
  assert.equal((await deps.db.query("SELECT id FROM users")).length, 1);
});

Deno.test("the link makes no owner once somebody was made operator otherwise", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { url, deps } = gateway;
  const link = present(await gateway.serving.setUpUrl(), "a link");
  const { id } = await createUser(deps, { ...OWNER, role: "approver" }, null);
  await setUserRole(deps, { id, role: "operator", actor: "test" });
  assert.match(await (await fetch(link)).text(), /This link doesn&#39;t work/);
  const form = { email: "bob@example.com", password: PASSWORD, again: PASSWORD };
  const path = new URL(link).pathname.replace("/dashboard", "");
  assert.equal((await visitorOf(url, newVisitorToken()).post(path, form)).status, 422);
  assert.equal((await deps.db.query("SELECT id FROM users")).length, 1);
});

Deno.test("a start that asked just before there was an owner prints a link that works for nobody", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const write: Deps["db"]["write"] = async (unit) => {
    await createUser(deps, OWNER, null);
    return await deps.db.write(unit);
  };
  const token = present(await firstOperatorLink({ ...deps, db: { ...deps.db, write } }), "a link");
  assert.equal(await tryLink(deps, { token, ip: "192.0.2.1" }), undefined);
});

Deno.test("from where many wrong links came, no link works for a while", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const right = present(await firstOperatorLink(deps), "a link");
  const open = (token: string, ip: string) => tryLink(deps, { token, ip });
  for (let i = 0; i < 30; i++) assert.ok(await open(right, "192.0.2.1"), "a right one is no guess");
  for (let i = 0; i < 20; i++) assert.equal(await open(`wrong ${i}`, "192.0.2.1"), undefined);
  await assert.rejects(open("wrong", "192.0.2.1"), TooManyTries);
  await assert.rejects(open(right, "192.0.2.1"), TooManyTries);
  assert.deepEqual(await open(right, "192.0.2.2"), { user: null }, "elsewhere it works");
  gateway.moveMs(60_000);
  assert.deepEqual(await open(right, "192.0.2.1"), { user: null });

  await using served = await startGateway({ CPG_WORKER: "false" });
  const guest = visitorOf(served.url, newVisitorToken());
  for (let i = 0; i < 20; i++) assert.equal((await guest.get(`/set-up/wrong${i}`)).status, 200);
  const refused = await guest.get("/set-up/wrong");
  assert.equal(refused.status, 429);
  assert.match(refused.text, /Too many attempts/);
  assert.equal((await guest.post("/set-up/wrong", {})).status, 429);
});

Deno.test("the recovery phrase is on no page once there is another login", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const owner = visitorOf(gateway.url, await tokenOfOwner(gateway));
  assert.equal(wordsIn((await owner.post("/begin/phrase")).text).length, 24);
  const shown = await actionsOf(gateway);
  const second = await makeLogin(gateway.deps, { email: "second@example.com" });
  for (const visitor of [owner, visitorOf(gateway.url, second.token)]) {
    assert.equal((await visitor.post("/begin/phrase")).to, "/begin/phrase");
    assert.match((await visitor.get("/begin/phrase")).text, /There are other logins already/);
    assert.equal((await visitor.get("/begin/phrase/words")).to, "/begin/phrase");
  }
  assert.deepEqual(await actionsOf(gateway), shown);
});

for (const role of ROLES) {
  Deno.test(`a login of role ${role} never sees the recovery phrase, even if it is the first`, async () => {
    await using gateway = await startGateway({ CPG_WORKER: "false" });
    const { deps, url } = gateway;
    const { id } = await createAccount(deps, { name: "Acme", actor: "test" });
    const accountId = isGatewayRole(role) ? null : id;
    const visitor = visitorOf(url, (await makeLogin(deps, { role, accountId })).token);
    for (const path of ["/begin/phrase", "/begin/phrase/words"]) {
      for (const answer of [await visitor.get(path), await visitor.post(path)]) {
        assert.equal(answer.status, 404, path);
        assert.deepEqual(wordsIn(answer.text), []);
      }
    }
    assert.deepEqual((await actionsOf(gateway)).filter((action) => action === "seed.shown"), []);
  });
}

Deno.test("where somebody could read along, the recovery phrase is on no page", async () => {
  const HIDDEN = /this page has no https/;
  const [own, far] = ["localhost:8080", "pay.example.com"];
  const elsewhere = { CPG_TRUSTED_PROXIES: "127.0.0.1" };
  const cases = [
    { host: far, shown: HIDDEN },
    { host: own, shown: /Show the words/ },
    // As proxies do, unless they are told to pass the name on.
    { host: own, env: { CPG_PUBLIC_URL: `http://${far}` }, shown: HIDDEN },
    { host: own, env: elsewhere, from: "192.0.2.1", shown: HIDDEN },
    { host: own, env: elsewhere, from: "127.0.0.1", shown: /Show the words/ },
    { host: own, env: { CPG_PUBLIC_URL: `https://${far}` }, from: "192.0.2.1", shown: /Show the/ },
  ];
  for (const { host, env, from = "127.0.0.1", shown } of cases) {
    await using gateway = await startGateway({ CPG_WORKER: "false", ...env });
    const token = await tokenOfOwner(gateway);
    const { hostname, port } = new URL(gateway.url);
    using connection = await Deno.connect({ hostname, port: Number(port) });
    const lines = [
      ...["GET /dashboard/begin/phrase HTTP/1.1", `Host: ${host}`, `X-Forwarded-For: ${from}`],
      ...[`Cookie: cpg=${token}; __Host-cpg=${token}`, "Connection: close", "", ""],
    ];
    await connection.write(new TextEncoder().encode(lines.join("\r\n")));
    assert.match(await new Response(connection.readable).text(), shown);
  }
});

Deno.test("with CPG_SETUP=off no start offers a link, and one that was printed earlier ends", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const link = present(await gateway.serving.setUpUrl(), "a link");
  assert.match(await (await fetch(link)).text(), /You are the owner/);
  const off = serveDashboard(gateway.deps, readConfig({ CPG_SETUP: "off" }));
  assert.equal(await off.setUpUrl(gateway.url), null);
  assert.match(await (await fetch(link)).text(), /This link doesn&#39;t work/);
  await off.stop();
});

Deno.test("with CPG_SETUP=off nothing is offered, even if another program printed a link", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false", CPG_SETUP: "off" });
  const { deps, url } = gateway;
  const token = present(await firstOperatorLink(deps), "a link");
  const guest = visitorOf(url, newVisitorToken());
  assert.match((await guest.get(`/set-up/${token}`)).text, /This link doesn&#39;t work/);
  const form = { email: "ann@example.com", password: PASSWORD, again: PASSWORD };
  assert.equal((await guest.post(`/set-up/${token}`, form)).status, 422);
  const owner = visitorOf(url, await tokenOfOwner(gateway));
  assert.ok(!(await owner.get("")).text.includes("/dashboard/begin"));
  for (const path of ["/begin", "/begin/network", "/begin/phrase", "/begin/end"]) {
    assert.equal((await owner.get(path)).status, 404, path);
  }
  assert.equal((await owner.post("/begin/phrase")).status, 404);
});
