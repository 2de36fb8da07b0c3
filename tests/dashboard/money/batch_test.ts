import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createBatch } from "../../../src/payouts/create_batch.ts";
import { batchState } from "../../../src/payouts/batch_state.ts";
import { sendBatch } from "../../../src/payouts/send_batch.ts";
import { resumeWithdrawals } from "../../../src/withdrawals/resume.ts";
import { findNetwork } from "../../../src/books/find.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { type FileLine, readPayoutFile } from "../../../src/payouts/rules/read_file.ts";
import { PayoutBatches } from "../../../src/withdrawals/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import {
  assertAccessible,
  assertFits,
  follow,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { receivedBy, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { STRANGER } from "../../support/payers.ts";

const ETHER = 10n ** 18n;
const recipient = (n: number) => `0x${(0xabc000 + n).toString(16).padStart(40, "0")}`;

function linesOf(count: number): FileLine[] {
  return Array.from({ length: count }, (_, i) => ({
    ...{ line: i + 1, network: "ETH", currency: "ETH", reference: null },
    ...{ toAddress: recipient(i), amount: "0.5" },
  }));
}

async function startBatches() {
  const anvil = await startAnvil();
  const world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const login = await makeLogin(deps, { accountId });
  const { token } = login;
  const post = async (path: string, form: Record<string, string>) => {
    const sent = { path, token, form: { ...form, csrf: csrfOf(token) } };
    const answer = await dashboardFetch(url, sent);
    const text = (await answer.text()).replaceAll("&#39;", "'").replaceAll("&quot;", '"');
    return { status: answer.status, text, to: answer.headers.get("location") ?? "" };
  };
  return {
    ...{ world, deps, url, login, accountId, anvil, post },
    check: (lines: string) =>
      post("/batches/new", { account: String(accountId), asset: "ETH/ETH", lines }),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await anvil[Symbol.asyncDispose]();
    },
  };
}

/** The same, but whatever is done for the n-th line dies, before or after it is written. */
function dyingAt(deps: Deps, n: number, { isAfter }: { isAfter: boolean }): Deps {
  let writes = 0;
  const write: Deps["db"]["write"] = async (unit) => {
    const dies = ++writes >= n;
    if (dies && !isAfter) throw new Error("killed");
    const result = await deps.db.write(unit);
    if (dies) throw new Error("killed");
    return result;
  };
  return { ...deps, db: { ...deps.db, write } };
}

Deno.test("a batch killed before or after any of its writes, and continued, pays each line once", async () => {
  await using started = await startBatches();
  const { world, deps, accountId, anvil } = started;
  const count = 4;
  let batches = 0;
  for (const isAfter of [false, true]) {
    for (let n = 1; n <= 9; n += isAfter ? 2 : 1) {
      const row = await createBatch(deps, { accountId, lines: linesOf(count), actor: "test" });
      const batch = (await deps.db.find(PayoutBatches, [row.id]))!;
      const order = { batch, actor: "test", wordsOf: (refusal: object) => JSON.stringify(refusal) };
      await sendBatch(dyingAt(deps, n, { isAfter }), order).catch(() => {});
      const [first, second] = await Promise.all([sendBatch(deps, order), sendBatch(deps, order)]);
      assert.deepEqual([first, second], [0, 0]);
      batches++;
      const states = await batchState(deps, batch);
      assert.deepEqual(states.map(({ refusal }) => refusal), Array(count).fill(undefined));
      assert.equal(new Set(states.map(({ withdrawal }) => withdrawal!.id)).size, count);
    }
  }
  // Those that were held but not sent when the program died are sent by the worker.
  const later = { ...deps, clock: { nowMs: () => deps.clock.nowMs() + 60_000 } };
  const network = await findNetwork(deps, "ETH");
  for (let rounds = 0; rounds < 3; rounds++) await resumeWithdrawals(later, network);
  for (let rounds = 0; rounds < 3; rounds++) await settleAll(world);
  assert.equal((await deps.db.rows(Withdrawals, "")).length, batches * count);
  for (let i = 0; i < count; i++) {
    assert.equal(await receivedBy(anvil, recipient(i)), BigInt(batches) * ETHER / 2n);
  }
});

Deno.test("a line whose reference somebody used for another payout meanwhile isn't shown as paid", async () => {
  await using started = await startBatches();
  const { world, deps, accountId, anvil, post } = started;
  const other = await makeLogin(deps, { accountId, email: "other@example.com" });
  const lines = [
    ...[{ reference: "INV-7", toAddress: recipient(2), amount: "2" }],
    ...[{ reference: "INV-8", toAddress: recipient(3), amount: "0.5000000000000000009" }],
  ].map((line, i) => ({ ...line, line: i + 1, network: "ETH", currency: "ETH" }));
  const batch = await createBatch(deps, { accountId, lines, actor: "test" });
  const form = { account: String(accountId), asset: "ETH/ETH", lines: `${recipient(1)},1,INV-7` };
  const path = "/batches/new";
  const sent = { path, token: other.token, form: { ...form, csrf: csrfOf(other.token) } };
  const checked = (await dashboardFetch(started.url, sent)).headers.get("location")!;
  const first = checked.replace("/dashboard", "");
  const pay = { path: `${first}/send`, token: other.token, form: { csrf: csrfOf(other.token) } };
  await (await dashboardFetch(started.url, pay)).body?.cancel();

  for (let again = 1; again <= 2; again++) await post(`/batches/${batch.id}/send`, {});
  const state = await batchState(deps, (await deps.db.find(PayoutBatches, [batch.id]))!);
  assert.deepEqual(state.map(({ withdrawal }) => withdrawal?.toAddress), [undefined, recipient(3)]);
  assert.match(state[0]!.refusal!, /already has the reference "INV-7"/);
  await settleAll(world);
  const paid = await Promise.all([1, 2, 3].map((n) => receivedBy(anvil, recipient(n))));
  assert.deepEqual(paid, [ETHER, 0n, ETHER / 2n]);
});

Deno.test("files of one account that are checked at once leave one draft of each user", async () => {
  await using started = await startBatches();
  const checks = Array.from({ length: 6 }, (_, i) => started.check(`${recipient(i)},1`));
  await Promise.all(checks);
  assert.equal((await started.deps.db.rows(PayoutBatches, "")).length, 1);
});

Deno.test("20 people are paid in four clicks without scripts, and the page links each payout", async () => {
  await using started = await startBatches();
  const { url, login, deps } = started;
  await using browser = await startBrowser();
  const page = await openAs(browser, { url, login, isScriptOn: false });
  await page.goto(`${url}/dashboard`);
  await follow(page.getByRole("link", { name: "Payouts", exact: true }));
  await follow(page.getByRole("link", { name: "Pay many at once" }));
  const text = ["to_address;amount;reference"]
    .concat(Array.from({ length: 20 }, (_, i) => `${recipient(i)};0.5;"May, ${i}"`)).join("\r\n");
  const file = { name: "may.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
  await page.getByLabel("CSV file").setInputFiles(file);
  await follow(page.getByRole("button", { name: "Check" }));
  await page.getByText("Nothing is paid yet").waitFor();
  assert.equal((await deps.db.rows(Withdrawals, "")).length, 0);
  await follow(page.getByRole("button", { name: "Pay 20 recipients" }));
  const goOn = page.getByRole("button", { name: "Continue with the others" });
  for (let clicks = 0; clicks < 20 && await goOn.count() > 0; clicks++) await follow(goOn);
  await page.getByRole("heading", { name: "20 of 20 sent" }).waitFor();
  const rows = await deps.db.rows(Withdrawals, "ORDER BY id");
  assert.deepEqual(
    new Set(rows.map(({ clientReference }) => clientReference)),
    new Set(Array.from({ length: 20 }, (_, i) => `May, ${i}`)),
  );
  assert.equal(await page.locator("td a[href*='/withdrawals/']").count(), 20);
});

Deno.test("a batch goes on by itself while a script runs, and its pages are accessible on a phone", async () => {
  await using started = await startBatches();
  const { url, login, deps, accountId } = started;
  await using browser = await startBrowser();
  const page = await openAs(browser, { url, login });
  const { id } = await createBatch(deps, { accountId, lines: linesOf(6), actor: "test" });
  for (
    const path of ["/batches", "/batches/new", `/batches/${id}`]
  ) {
    await page.goto(`${url}/dashboard${path}`);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await assertAccessible(page);
      await assertFits(page);
    }
  }
  // A link to a page that goes on starts nothing.
  await page.goto(`${url}/dashboard/batches/${id}?going=on`);
  await page.getByText("Nothing is paid yet").waitFor();
  const batch = (await deps.db.find(PayoutBatches, [id]))!;
  const order = { batch, actor: "test", wordsOf: () => "", budgetMs: 0 };
  assert.ok(await sendBatch(deps, order) > 0);
  await page.goto(`${url}/dashboard/batches/${id}?going=on`);
  await page.getByRole("heading", { name: "6 of 6 sent" }).waitFor();
  await assertAccessible(page);
  assert.equal((await deps.db.rows(Withdrawals, "")).length, 6);
});

Deno.test("all errors of a file are shown at once with their lines, and nothing is kept", async () => {
  await using started = await startBatches();
  const { check, deps, world } = started;
  const order = { network: "ETH", currency: "ETH", to_address: STRANGER, amount: "1" };
  await world.merchant.api.post("/v1/withdrawals", { ...order, client_reference: "theirs" });
  const paid = await check(`${STRANGER},1,known`);
  assert.equal(paid.status, 303);
  assert.equal((await started.post(`${paid.to.replace("/dashboard", "")}/send`, {})).status, 303);
  const file = [
    `${STRANGER},1,a`,
    `0x1234,1,b`,
    `${STRANGER},1.5e3,c`,
    `${STRANGER},1,a`,
    `${STRANGER},0,d`,
    `,1,e,`,
    `${STRANGER},1,known`,
    `${STRANGER},1,f,USDC`,
  ];
  const { status, text } = await check(file.join("\n"));
  assert.equal(status, 422);
  const faults = [
    "Line 2: </strong><bdi>This is not an address of that network",
    "Line 3: </strong><bdi>The amount must be a plain decimal number",
    "Line 4: </strong><bdi>Its reference is the same as in line 1",
    "Line 5: </strong><bdi>The amount is below the minimum",
    "Line 6: </strong><bdi>The address is missing",
    "Line 7: </strong><bdi>Its reference belongs to payout 2 of 20",
    "Line 8: </strong><bdi>This currency doesn't exist",
  ];
  for (const fault of faults) assert.ok(text.includes(fault), fault);
  assert.match(text, /0x1234,1,b/);
  const much = await check(Array(3).fill(`${STRANGER},40`).join("\n"));
  assert.match(much.text, /together cost 120\.6003 ETH with fees, and [\d.]+ ETH are available/);
  assert.match((await check("")).text, /Choose a file or paste its lines/);
  assert.equal((await deps.db.rows(PayoutBatches, "")).length, 1);
});

Deno.test("a draft takes the place of the user's last one, and a started batch stays", async () => {
  await using started = await startBatches();
  const { check, deps, post } = started;
  await check(`${STRANGER},1`);
  const { to } = await check(`${STRANGER},2`);
  assert.equal((await deps.db.rows(PayoutBatches, "")).length, 1);
  await post(`${to.replace("/dashboard", "")}/send`, {});
  await check(`${STRANGER},3`);
  assert.equal((await deps.db.rows(PayoutBatches, "")).length, 2);
});

Deno.test("a batch that somebody changed in the database is neither shown nor paid", async () => {
  await using started = await startBatches();
  const { check, deps, post, login, url } = started;
  const { to } = await check(`${STRANGER},1`);
  const sql = "UPDATE payout_batches SET lines = replace(lines, ?, ?)";
  await deps.db.execute([{ sql, args: [STRANGER, recipient(1)] }]);
  const path = to.replace("/dashboard", "");
  const shown = await dashboardFetch(url, { path, token: login.token });
  assert.equal(shown.status, 503);
  await shown.body?.cancel();
  assert.notEqual((await post(`${path}/send`, {})).status, 303);
  assert.equal((await deps.db.rows(Withdrawals, "")).length, 0);
});

Deno.test("another account's batch can't be seen or paid", async () => {
  await using started = await startBatches();
  const { world, deps, url, accountId } = started;
  const { id } = await createBatch(deps, { accountId, lines: linesOf(1), actor: "test" });
  const other = await world.addMerchant("Other");
  const { token } = await makeLogin(deps, { accountId: other.accountId, email: "o@example.com" });
  const path = `/batches/${id}`;
  const form = { csrf: csrfOf(token) };
  const answers = await Promise.all([
    dashboardFetch(url, { path, token }),
    dashboardFetch(url, { path: `${path}/live`, token }),
    dashboardFetch(url, { path: `${path}/send`, token, form }),
  ]);
  assert.deepEqual(answers.map(({ status }) => status), [404, 404, 404]);
  await Promise.all(answers.map(({ body }) => body?.cancel()));
  assert.equal((await deps.db.rows(Withdrawals, "")).length, 0);
});

Deno.test("files are read with any separator, titles, quotes and line ends, and only so many lines", () => {
  const chosen = { network: "ETH", currency: "ETH" };
  const read = (text: string) => readPayoutFile(text, chosen);
  const shown = (text: string) =>
    read(text).lines.map(({ line, toAddress, amount, reference, currency }) =>
      [line, toAddress, amount, reference, currency].join("|")
    );
  assert.deepEqual(shown("a,1\nb,2,x,USDT,TRON"), ["1|a|1||ETH", "2|b|2|x|USDT"]);
  assert.deepEqual(shown("\uFEFFAmount;To address\r\n1.50;a\r\n\r\n2;b\r\n"), [
    "2|a|1.5||ETH",
    "4|b|2||ETH",
  ]);
  assert.deepEqual(shown('a\t1\t"x ""y"", z"'), ['1|a|1|x "y", z|ETH']);
  assert.deepEqual(shown('a,1,"two\nlines"\nb,2'), ["1|a|1|two\nlines|ETH", "3|b|2||ETH"]);
  const fault = (text: string) => read(text).faults.map(({ line, text }) => `${line} ${text}`);
  assert.deepEqual(fault('a,1,"open'), ["0 The quote in line 1 is not closed"]);
  assert.deepEqual(fault("to_address,sum,Who\na,1,b"), [
    '0 There is no column "sum" or "Who"; the columns are to_address, amount, reference, ' +
    "currency, network",
  ]);
  assert.deepEqual(fault("to_address\na"), ["0 The column amount is missing"]);
  assert.deepEqual(fault("amount,to_address,amount\n1,a,1"), ["0 A column comes twice"]);
  assert.deepEqual(fault("to_address,amount"), ["0 There are titles but no lines"]);
  assert.deepEqual(fault("\n\n"), ["0 There are no lines"]);
  assert.deepEqual(fault("a,1,r,ETH,ETH,more"), ["1 It has 6 cells, not 5"]);
  assert.deepEqual(fault("a,1\uFFFD"), ["0 The file is not in UTF-8"]);
  assert.equal(read("a,1\n".repeat(500)).lines.length, 500);
  assert.deepEqual(fault("a,1\n".repeat(501)), [
    "0 There are 501 lines, and at most 500 are allowed",
  ]);
});
