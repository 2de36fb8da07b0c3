import assert from "node:assert/strict";
import { addNote, NOTES_MAX } from "../../../src/notes/add_note.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { Notes } from "../../../src/notes/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { assertAccessible, assertFits, startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { makeStage } from "../../support/stage.ts";
import { allocate } from "../../support/views.ts";

const USER = "محمد 🚀 <b>";
const TEXT = `First line\n<script>alert(1)</script> ${"x".repeat(200)} محمد`;

Deno.test("a note is shown with its author to everyone who sees the payout, and only there", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const login = await makeLogin(deps, { accountId, email: "ann@example.com" });
  const stage = makeStage(world);
  const [id, another] = [await stage.waitingWithdrawal(), await stage.waitingWithdrawal()];
  const page = await openAs(browser, { url, login, isPhone: true });
  await page.goto(`${url}/dashboard/withdrawals/${id}`);
  await page.locator("summary", { hasText: "Notes" }).click();
  await page.getByLabel("New note").fill(TEXT);
  await page.getByRole("button", { name: "Add note" }).click();
  await page.getByText("The note was added").waitFor();
  assert.equal(await page.locator(".notes bdi").first().innerText(), TEXT);
  await page.locator(".notes").getByText("ann@example.com").waitFor();
  await assertAccessible(page);
  await assertFits(page);
  await page.goto(`${url}/dashboard/withdrawals/${another}`);
  assert.equal(await page.locator(".notes").count(), 0);
});

Deno.test("notes are written by those who decide about money, about what is their own, within limits", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, api } } = world;
  await allocate(api, { network: "ETH", currency: "ETH", user: USER });
  const id = await makeStage(world).waitingWithdrawal();
  const { accountId: other } = await world.addMerchant("Other");
  const post = async (role: "merchant" | "viewer" | "developer", note: string, form = {}) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { token } = await makeLogin(deps, { accountId, role, email });
    const path = Object.keys(form).length > 0 ? "/customers/notes" : `/withdrawals/${id}/notes`;
    const sent = { path, token, form: { csrf: csrfOf(token), note, ...form } };
    const answer = await dashboardFetch(url, sent);
    return { status: answer.status, text: await answer.text() };
  };
  assert.equal((await post("viewer", "x")).status, 404);
  assert.equal((await post("developer", "x")).status, 404);
  assert.equal((await post("merchant", " ")).status, 422);
  assert.equal((await post("merchant", "x".repeat(501))).status, 422);
  assert.equal((await post("merchant", `${"x\r\n".repeat(249)}xy`)).status, 303);
  assert.equal((await post("merchant", "x", { user: USER })).status, 303);
  const refused = await post("merchant", "", { user: USER });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /<h1>محمد 🚀 &lt;b&gt;<\/h1>/);
  assert.equal((await post("merchant", "x", { user: "nobody" })).status, 404);
  const stranger = await makeLogin(deps, { accountId: other, email: "other@example.com" });
  for (
    const [path, form] of [
      [`/withdrawals/${id}/notes`, {}],
      ["/customers/notes", { user: USER, account: String(accountId) }],
    ] as const
  ) {
    const { token } = stranger;
    const sent = { path, token, form: { csrf: csrfOf(token), note: "x", ...form } };
    const answer = await dashboardFetch(url, sent);
    await answer.text();
    assert.equal(answer.status, 404, path);
  }
  const written = await deps.db.rows(Notes, "ORDER BY id");
  assert.deepEqual(written.map(({ about, name }) => [about, name]), [
    ["withdrawal", String(id)],
    ["customer", USER],
  ]);

  const subject = { accountId, about: "customer", name: "full" } as const;
  for (let i = 0; i < NOTES_MAX; i++) await addNote(deps, { subject, text: "x", actor: "test" });
  await assert.rejects(addNote(deps, { subject, text: "x", actor: "test" }), /already 100 notes/);
});
