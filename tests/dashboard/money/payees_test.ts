import assert from "node:assert/strict";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { Notices } from "../../../src/alerts/table.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { Payees } from "../../../src/payees/table.ts";
import { dashboardFetch, forgetProof, makeLogin } from "../../support/dashboard/dashboard.ts";
import { closedUrl } from "../../support/nodes/closed_url.ts";
import { makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";

const SUPPLIER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
/** Begins and ends like it. */
const TWIN = "0x70990000000000000000000000000000000079C8";
const DAY_MS = 86_400_000;

Deno.test("finance lists payees, who wait a day, is warned of look-alikes, and removes them", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: [await closedUrl()] });
  const { accountId } = await makeMerchant(gateway);
  const other = await makeMerchant(gateway, { name: "Other" });
  const login = await makeLogin(deps, { role: "finance", accountId });
  const { token } = login;
  const send = async (path: string, form: Record<string, string>, as = token) => {
    const answer = await dashboardFetch(url, {
      path,
      token: as,
      form: { ...form, csrf: csrfOf(as) },
    });
    const [, flash = ""] = /flash=([\w-]+)/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
    const said = atob(flash.replaceAll("-", "+").replaceAll("_", "/"));
    const to = answer.headers.get("location");
    return { status: answer.status, text: await answer.text(), to, said };
  };
  const read = async (as = token) =>
    await (await dashboardFetch(url, { path: "/payees", token: as })).text();
  assert.match(await read(), /No payees yet/);
  // Whatever is sent, it is their account, and what the form has no field for stays as it is.
  const form = {
    ...{ account: String(other.accountId), usable_after: "0s", "usable-after": "0s" },
    ...{ network: "ETH", label: "Supplier" },
  };
  assert.match((await send("/payees/new", { ...form, address: "0x12" })).text, /not an address/);
  const added = await send("/payees/new", { ...form, address: SUPPLIER.toLowerCase() });
  assert.equal(added.status, 303);
  assert.match(added.said, /can be used from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC on/);
  const payee = await deps.db.get(Payees, [1]);
  assert.deepEqual([payee.address, payee.accountId], [SUPPLIER, accountId]);
  assert.equal(payee.usableAtMs, payee.createdAtMs + DAY_MS);
  assert.match(await read(), new RegExp(`Supplier[^]*${SUPPLIER}[^]*waiting`));
  assert.equal((await send("/payees/new", { ...form, address: TWIN, label: "Twin" })).status, 303);
  const [, twin] = await deps.db.rows(
    Notices,
    "WHERE topic = 'security' AND title LIKE 'Check the new payee%'",
  );
  assert.equal(twin!.title, `Check the new payee "Twin" of account ${accountId}`);
  assert.match(twin!.text, new RegExp(`usable from .+ It looks like ${SUPPLIER}`));
  assert.equal(twin!.accountId, accountId);
  const [said] = await deps.db.list(AuditLog, { action: "payee.added", subject: "payee:1" });
  assert.match(said?.actor ?? "", /^user:/);

  const elsewhere = await makeLogin(deps, { role: "merchant", accountId: other.accountId });
  assert.doesNotMatch(await read(elsewhere.token), /Supplier/);
  assert.equal((await send("/payees/1/remove", {}, elsewhere.token)).status, 404);
  const developer = await makeLogin(deps, { role: "developer", accountId });
  assert.equal((await send("/payees/1/remove", {}, developer.token)).status, 404);
  assert.equal((await deps.db.get(Payees, [1])).removedAtMs, null);

  await forgetProof(deps, login);
  assert.match((await send("/payees/1/remove", {})).to ?? "", /\/prove/);
  assert.equal((await deps.db.get(Payees, [1])).removedAtMs, null);
});
