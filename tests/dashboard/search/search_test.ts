import assert from "node:assert/strict";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { makeNetwork, startGateway } from "../../support/gateway.ts";
import { type InvoiceRow, Invoices } from "../../../src/invoices/tables/invoices.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { noteTest } from "../../support/stage.ts";
import { makeTransaction } from "../../store/reads/make_rows.ts";
import { makeThings, randomOf, searched, type Things } from "./searched.ts";

async function start(seed = 7) {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
  const random = randomOf(seed);
  const mine = await makeThings(deps, { name: "Mine & Co", random, base: 1_000 });
  const theirs = await makeThings(deps, { name: "Theirs Ltd", random, base: 2_000 });
  const logins = {
    operator: await makeLogin(deps),
    merchant: await makeLogin(deps, { accountId: mine.accountId }),
  };
  return { ...gateway, mine, theirs, logins, random };
}

interface Kind {
  readonly name: string;
  text(of: Things): string;
  /** Where the whole text leads. */
  to(of: Things): string;
  readonly title: RegExp;
  /** Whether its end is enough. */
  readonly hasEnd?: boolean;
}

const payment = { to: ({ base }: Things) => `/deposits/${base}`, title: /^Payment \d+$/ };
const payout = { to: ({ base }: Things) => `/withdrawals/${base}`, title: /^Payout \d+$/ };
const openPayout = { ...payout, to: ({ base }: Things) => `/withdrawals/${base + 1}` };
const invoice = { to: ({ base }: Things) => `/invoices/${base}`, title: /^Invoice \d+$/ };
const wallets = ({ accountId }: Things) => `/wallets?account=${accountId}#receiving`;

const KINDS: readonly Kind[] = [
  { name: "payment's hash", text: (it) => it.paidHash, ...payment, hasEnd: true },
  { name: "payer", text: (it) => it.payer, ...payment, hasEnd: true },
  { name: "payout's hash", text: (it) => it.payoutHash, ...payout, hasEnd: true },
  { name: "superseded hash", text: (it) => it.outbidHash, ...payout, hasEnd: true },
  { name: "recipient", text: (it) => it.recipient, ...payout, hasEnd: true },
  { name: "open payout's recipient", text: (it) => it.openRecipient, ...openPayout, hasEnd: true },
  { name: "reference", text: (it) => it.reference, ...payout },
  { name: "open payout's reference", text: (it) => it.openReference, ...openPayout },
  {
    name: "sweep's hash",
    text: (it) => it.sweepHash,
    ...{ to: ({ base }) => `/sweeps/${base}`, title: /^Sweep \d+$/, hasEnd: true },
  },
  {
    name: "deposit address",
    text: (it) => it.address,
    ...{ to: ({ base }) => `/addresses/${base}`, title: /^Deposit address$/, hasEnd: true },
  },
  {
    name: "receiving wallet",
    text: (it) => it.wallet,
    ...{ to: wallets, title: /^Receiving wallet$/, hasEnd: true },
  },
  {
    name: "customer",
    text: (it) => it.user,
    to: ({ user, accountId }) =>
      `/customers?${new URLSearchParams({
        user,
        account: String(accountId),
      })}`,
    title: /^Customer$/,
  },
  {
    name: "idempotency key",
    text: (it) => it.idempotencyKey,
    ...{ to: ({ base }) => `/addresses/${base}`, title: /^Deposit request \d+$/ },
  },
  { name: "invoice's reference", text: (it) => it.invoiceReference, ...invoice },
  { name: "invoice's customer", text: (it) => it.invoiceCustomer, ...invoice },
  {
    name: "key id",
    text: (it) => it.keyId,
    ...{ to: ({ accountId }) => `/keys?account=${accountId}`, title: /^Key Shop / },
  },
  {
    name: "key's label",
    text: (it) => it.label,
    ...{ to: ({ accountId }) => `/keys?account=${accountId}`, title: /^Key Shop / },
  },
  {
    name: "webhook's URL",
    text: (it) => it.host,
    ...{ to: ({ webhookId }) => `/webhooks/${webhookId}`, title: /^Webhook \d+$/ },
  },
];

/** In any case, whole and in parts. */
function spellingsOf(text: string, { hasEnd = false }: Kind): string[] {
  const whole = [text, text.toLowerCase(), text.toUpperCase().replace(/^0X/, "0x"), ` ${text} `];
  const begin = text.slice(0, 12);
  const parts = [begin, begin.toLowerCase(), begin.toUpperCase()];
  if (!hasEnd) return [...whole, ...parts];
  const shortened = [
    `${text.slice(0, 8)}…${text.slice(-6)}`,
    `${text.slice(0, 6)}...${text.slice(-4)}`,
  ];
  return [...whole, ...parts, text.slice(2, 12), text.slice(-6), text.slice(-9), ...shortened];
}

Deno.test("everything is found whole and in part, in any case, by its owner and by operators", async () => {
  await using gateway = await start();
  const { url, mine, theirs, logins } = gateway;
  for (const kind of KINDS) {
    for (
      const [of, tokens] of [
        [mine, [logins.merchant, logins.operator]],
        [theirs, [logins.operator]],
      ] as const
    ) {
      for (const { token, user: { role } } of tokens) {
        for (const q of spellingsOf(kind.text(of), kind)) {
          const what = `${role}, ${kind.name}: "${q}"`;
          const { to, titles, text } = await searched(url, { token, q });
          if (to !== undefined) {
            assert.equal(to, kind.to(of), what);
            continue;
          }
          assert.ok(titles.some((title) => kind.title.test(title)), `${what}: ${titles}`);
          assert.ok(text.includes("<mark>"), what);
        }
      }
    }
  }
});

Deno.test("a whole text that only one thing has leads straight to its page", async () => {
  await using gateway = await start();
  const { url, mine, logins: { merchant, operator } } = gateway;
  for (const kind of KINDS.filter(({ name }) => !name.startsWith("webhook"))) {
    for (const { token } of [merchant, operator]) {
      const { to } = await searched(url, { token, q: kind.text(mine).toLowerCase() });
      assert.equal(to, kind.to(mine), kind.name);
    }
  }
});

Deno.test("a merchant finds nothing of another account, and can't tell its address from a stranger's", async () => {
  await using gateway = await start();
  const { url, mine, theirs, logins: { merchant: { token } }, random } = gateway;
  for (const kind of KINDS) {
    for (const q of spellingsOf(kind.text(theirs), kind)) {
      const { to, titles } = await searched(url, { token, q });
      assert.deepEqual([to, titles.filter((title) => kind.title.test(title))], [undefined, []], q);
    }
  }
  for (const q of [theirs.name, "2000", "2001", "Mine", "merchant@example.com"]) {
    assert.deepEqual((await searched(url, { token, q })).titles, [], q);
  }
  const shown = async (q: string) => {
    const { text } = await searched(url, { token, q });
    return text.replaceAll(q, "…");
  };
  const strangers = `0x${[...mine.address.slice(2)].map(() => Math.floor(random() * 10)).join("")}`;
  assert.equal(await shown(theirs.address.toLowerCase()), await shown(strangers));
});

Deno.test("numbers, accounts and users are found, the latter two by operators only", async () => {
  await using gateway = await start();
  const { url, mine, logins: { merchant, operator } } = gateway;
  const titlesOf = async (token: string, q: string) => (await searched(url, { token, q })).titles;
  const kinds = ["Deposit request", "Invoice", "Payment", "Payout", "Sweep"];
  const numbered = kinds.map((kind) => `${kind} 1000`);
  assert.deepEqual((await titlesOf(merchant.token, "1000")).toSorted(), numbered);
  assert.deepEqual((await titlesOf(operator.token, "#1000")).toSorted(), numbered);
  const account = await searched(url, { token: operator.token, q: "mine & CO" });
  assert.equal(account.to, `/accounts/${mine.accountId}`);
  assert.deepEqual(await titlesOf(operator.token, "mine"), [`Account ${mine.accountId}`]);
  assert.deepEqual(await titlesOf(merchant.token, "mine"), []);
  const users = await titlesOf(operator.token, "merchant@");
  assert.deepEqual(users, [`User ${merchant.user.id}`]);
  assert.deepEqual(await titlesOf(merchant.token, "merchant@"), []);
});

Deno.test("what a record is called finds it: Invoice 3, payout 5, an order's reference", async () => {
  await using gateway = await start();
  const { url, mine, theirs, logins: { merchant: { token } } } = gateway;
  const { base, invoiceReference } = mine;
  const cases: readonly (readonly [q: string, to: string])[] = [
    [`Invoice ${base}`, `/invoices/${base}`],
    [`invoice #${base}`, `/invoices/${base}`],
    [`payout ${base}`, `/withdrawals/${base}`],
    [`Payment no. ${base}`, `/deposits/${base}`],
    [`sweep ${base}`, `/sweeps/${base}`],
    [`order ${invoiceReference}`, `/invoices/${base}`],
  ];
  for (const [q, to] of cases) assert.equal((await searched(url, { token, q })).to, to, q);
  const strangers = await searched(url, { token, q: `Invoice ${theirs.base}` });
  assert.deepEqual([strangers.to, strangers.titles], [undefined, []]);
});

Deno.test("a record that is named and doesn't exist is called absent, another account's too", async () => {
  await using gateway = await start();
  const { url, theirs, logins: { merchant: { token } } } = gateway;
  const cases: readonly (readonly [q: string, said: string])[] = [
    ["invoice 99", "There is no invoice 99."],
    ["Payout #98", "There is no payout 98."],
    [`Invoice ${theirs.base}`, `There is no invoice ${theirs.base}.`],
    ["order X-<b>", "There is no order X-&lt;b&gt;."],
    ["penguin 99", "Nothing begins or ends like this."],
  ];
  for (const [q, said] of cases) {
    const { text } = await searched(url, { token, q });
    assert.ok(text.includes(said), `${q}: ${text}`);
    assert.equal(text.includes("Nothing begins"), q.startsWith("penguin"), q);
  }
});

Deno.test("any part of what an invoice is for finds it, newest first, in any case", async () => {
  await using gateway = await start();
  const { url, deps, mine, theirs, logins: { merchant, operator } } = gateway;
  const [row] = await deps.db.list(Invoices, { accountId: mine.accountId });
  const make = (id: number, description: string, accountId = mine.accountId): void =>
    void made.push({
      ...{ ...row!, id, accountId, description, token: `${id}`, reference: null, customer: null },
    });
  const made: InvoiceRow[] = [];
  for (const [i, words] of ["A pot of tea", "A pot of TEA and a cake", "Coffee"].entries()) {
    make(4_000 + i, words);
  }
  make(4_010, "Tea for two, of others", theirs.accountId);
  await deps.db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      for (const one of made) view.insertKeyed(Invoices, one);
    },
  });
  const find = async ({ token }: { token: string }, q: string) => await searched(url, { token, q });
  const { titles, text } = await find(merchant, "tea");
  assert.deepEqual(titles, ["Invoice 4001", "Invoice 4000"]);
  assert.match(text, /For:<\/span>[^]*A pot of <mark>TEA<\/mark> and a cake/);
  const found = ["4010", "4001", "4000"].map((id) => `Invoice ${id}`);
  assert.deepEqual((await find(operator, "Tea")).titles, found);
  assert.equal((await find(merchant, "a pot of tea")).to, "/invoices/4000");
  const short = (await find(merchant, "t")).titles;
  assert.ok(short.every((title) => !title.startsWith("Invoice")), "That would be nearly all");
  assert.deepEqual((await find(merchant, "tea for")).titles, []);
});

Deno.test("a short number is a record's, and hashes that begin with it are one click further", async () => {
  await using gateway = await start();
  const { url, deps, mine, logins: { merchant: { token } } } = gateway;
  const { accountId } = mine;
  const paid = { txHash: `0x1000${"ab".repeat(30)}`, id: 7, accountId, currency: "ETH" };
  await deps.db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      view.insertKeyed(Transactions, makeTransaction(paid));
    },
  });
  const { titles, text } = await searched(url, { token, q: "1000" });
  assert.ok(titles.includes("Payment 1000") && !titles.includes("Payment 7"), titles.join());
  assert.match(text, /href="[^"]*q=0x1000">Hashes and addresses that begin with 1000</);
  assert.deepEqual((await searched(url, { token, q: "0x1000" })).titles, ["Payment 7"]);
  const other = await searched(url, { token, q: "10000000" });
  assert.equal(other.text.includes("Hashes and addresses that begin"), false);
});

Deno.test("an operator sees the account's name beside what was found", async () => {
  await using gateway = await start();
  const { url, mine, theirs, logins: { merchant, operator } } = gateway;
  const q = "Customer-";
  const all = await searched(url, { token: operator.token, q });
  for (const { name, accountId } of [mine, theirs]) {
    const link = `<a href="/dashboard/accounts/${accountId}"><bdi class="cut">${
      name.replace("&", "&amp;")
    }</bdi>`;
    assert.ok(all.text.includes(link), name);
  }
  const own = await searched(url, { token: merchant.token, q });
  assert.deepEqual(own.titles, ["Customer"]);
  assert.equal(own.text.includes(mine.name.replace("&", "&amp;")), false);
});

Deno.test("odd and long input is answered without a search, and shown as text only", async () => {
  await using gateway = await start();
  const { url, logins: { merchant, operator } } = gateway;
  for (const { token } of [merchant, operator]) {
    for (const q of ["a".repeat(257), "a\u0000b", "line\nbreak", "\u0007"]) {
      const { text } = await searched(url, { token, q });
      assert.match(text, /Enter up to 256 characters on one line/);
    }
    for (
      const q of ["%", "_", "'", '"><script>alert(1)</script>', "🦕", "ж", "Ä", "\\", "*", "0x"]
    ) {
      const { text, titles } = await searched(url, { token, q });
      assert.match(text, /Nothing found/, q);
      assert.deepEqual(titles, [], q);
      assert.equal(text.includes("<script>alert"), false);
    }
    const empty = await dashboardFetch(url, { path: "/search", token });
    assert.match(await empty.text(), /What you can search for/);
  }
});

const HINTS: readonly (readonly [q: string, hint: RegExp])[] = [
  ["0x52908400098527886E0F7030069857D2E4169EE7", /valid address of Ethereum/],
  ["0x52908400098527886E0F7030069857D2E4169Ee7", /Its checksum is wrong/],
  ["TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW", /TRON, and no such network is set up/],
  ["TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMX", /Its checksum is wrong/],
  ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", /Bitcoin, and no such network is set up/],
  ["1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", /Bitcoin, and no such network is set up/],
];

Deno.test("a foreign address is called foreign, with what it could be", async () => {
  await using gateway = await start();
  const { url, logins: { merchant: { token } } } = gateway;
  for (const [q, hint] of HINTS) {
    const { text, to } = await searched(url, { token, q });
    assert.equal(to, undefined);
    assert.match(text, /Not one of your addresses/, q);
    assert.match(text, hint, q);
  }
  const hash = await searched(url, { token, q: `0x${"7".repeat(64)}` });
  assert.match(hash.text, /No payment or payout here has this hash/);
});

for (const seed of [1, 2, 3, 4, 5]) {
  Deno.test(`of random data, a merchant's search never shows another account's, seed ${seed}`, async () => {
    await using gateway = await start(seed);
    const { url, theirs, logins: { merchant: { token } }, random } = gateway;
    const texts = Object.values(theirs).map(String);
    const ids = [theirs.base, theirs.base + 1].map(String);
    for (let n = 0; n < 60; n++) {
      const text = texts[Math.floor(random() * texts.length)]!;
      const from = random() < 0.5 ? 0 : Math.floor(random() * text.length);
      const q = text.slice(from, from + 1 + Math.floor(random() * text.length));
      const { to, titles, text: shown } = await searched(url, { token, q });
      const body = shown.replaceAll(q, "");
      const leaked = [...texts, ...ids].filter((one) => one.length > 3 && body.includes(one));
      assert.deepEqual([leaked, ids.some((id) => `${to}`.includes(id))], [[], false], q);
      assert.equal(titles.some((title) => ids.includes(title.split(" ")[1]!)), false, q);
    }
  });
}
