import assert from "node:assert/strict";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { createUser } from "../../../src/access/manage_users.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { recordAudit } from "../../../src/books/records.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { type Deed, DEED_GROUPS } from "../../../src/audit/rules/deeds.ts";
import type { AuditRow } from "../../../src/audit/table.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";
import { makeWebhook } from "../../support/webhooks.ts";
import { assertFilters, type FilterCase } from "../filters.ts";

const FIRST_MS = Date.parse("2026-10-01T00:00:00Z");
const HOUR_MS = 3_600_000;
const ROWS = 120;
const ANN = "ann@example.com";

const pick = <T>(all: readonly T[], n: number): T => all[n % all.length]!;

/** Two accounts, and rows of all kinds by everybody, an hour apart. */
async function startFilled() {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const names: string[][] = [];
  for (const [n, name] of ["Acme", "<b>Bolt</b>"].entries()) {
    const { id: accountId } = await createAccount(deps, { name, actor: "cli" });
    const email = n === 0 ? ANN : "bo@example.com";
    const order = { accountId, role: "merchant", email, actor: "cli" } as const;
    const user = await createUser(deps, order, null);
    const key = { accountId, label: `till ${n}`, permissions: [], ipList: [], rateLimit: 1 };
    const { row: { keyId } } = await createApiKey(deps, { ...key, actor: "cli" });
    const url = "https://shop.example.com/hooks";
    const { id: webhookId } = await makeWebhook(deps, { url, accountId });
    names.push([`account:${accountId}`, `user:${user.id}`, `key:${keyId}`, `webhook:${webhookId}`]);
    names[n]!.push(`api:${keyId}`);
  }
  await fill(deps, names);
  const { token } = await makeLogin(deps);
  const rows = await auditPage(deps.db, { actor: null, subject: null, cursor: null, limit: 1_000 });
  return { ...gateway, names, token, rows };
}

async function fill({ db }: Deps, names: readonly string[][]): Promise<void> {
  const deeds = Object.values(DEED_GROUPS).flatMap(({ deeds }) => Object.keys(deeds) as Deed[]);
  const actors = ["cli", "worker", names[0]![1]!, names[0]![4]!, names[1]![1]!, "user:999"];
  const subjects = [...names.flatMap((all) => all.slice(0, 4)), "withdrawal:7", "gateway", "odd"];
  await db.write({
    reads: [],
    decide: (view) => {
      for (let n = 0; n < ROWS; n++) {
        recordAudit(view, {
          actor: pick(actors, n),
          action: pick(deeds, n),
          detail: { before: null, after: null },
          subject: pick(subjects, n),
          nowMs: FIRST_MS + n * HOUR_MS,
        });
      }
    },
  });
}

Deno.test("every filter of the audit log, and each two of them, shows exactly its rows", async () => {
  await using gateway = await startFilled();
  const { names: [acme = []], rows } = gateway;
  const [, ann = "", , , api = ""] = acme;
  const is = (query: Record<string, string>, holds: (row: AuditRow) => boolean) => ({
    query,
    holds,
  });
  const grouped = ([action, { deeds }]: [string, { readonly deeds: object }]) =>
    is({ action }, (row) => Object.hasOwn(deeds, row.action));
  const cases: FilterCase<AuditRow>[] = [
    is({ actor: ANN.toUpperCase() }, ({ actor }) => actor === ann),
    is({ actor: api.slice(4) }, ({ actor }) => actor === api),
    is({ actor: "Command line" }, ({ actor }) => actor === "cli"),
    is({ actor: "gateway" }, ({ actor }) => actor === "worker"),
    is({ actor: "user:999" }, ({ actor }) => actor === "user:999"),
    is({ actor: "nobody@example.com" }, () => false),
    is({ subject: ANN }, ({ subject }) => subject === ann),
    is({ subject: "payout 7" }, ({ subject }) => subject === "withdrawal:7"),
    is({ subject: "account 1" }, ({ subject }) => subject === "account:1"),
    is({ account: "1" }, (row) => acme.includes(row.actor) || acme.includes(row.subject)),
    is({ account: "77" }, () => false),
    is({ action: "key.created" }, ({ action }) => action === "key.created"),
    is({ action: "withdrawal.approved" }, ({ action }) => action === "withdrawal.approved"),
    ...Object.entries(DEED_GROUPS).map(grouped),
    is(
      { from: "2026-10-02T00:00", until: "2026-10-03T12:00Z" },
      ({ atMs }) => atMs >= FIRST_MS + 24 * HOUR_MS && atMs < FIRST_MS + 60 * HOUR_MS,
    ),
    is({ until: "2026-10-02T00:00:00Z" }, ({ atMs }) => atMs < FIRST_MS + 24 * HOUR_MS),
  ];
  const list = { ...gateway, rows, path: "/audit", caption: "Audit log", isNameFirst: true };
  const found = await assertFilters({ ...list, nameOf: ({ id }) => String(id) }, cases);
  assert.ok(found.tried > 200, JSON.stringify(found));
  await assertFilters({ ...list, nameOf: ({ id }) => String(id) }, [
    is({ last: "1h" }, ({ atMs }) => atMs > Date.now() - HOUR_MS),
    is({ last: "all", actor: ANN }, ({ actor }) => actor === ann),
  ]);
});

Deno.test("the audit log's pages show each row once, newest first, and keep the filters", async () => {
  await using gateway = await startFilled();
  const { url, token, rows } = gateway;
  const seen: number[] = [];
  let path: string | undefined = "/audit?until=2026-10-05T00:00:00Z";
  while (path !== undefined) {
    const html: string = await (await dashboardFetch(url, { path, token })).text();
    seen.push(
      ...[...html.matchAll(/<td class="number at-none"\s*>(\d+)</g)].map(([, id]) => Number(id)),
    );
    path = /rel="next" href="\/dashboard([^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
  }
  const expected = rows.filter(({ atMs }) => atMs < FIRST_MS + 96 * HOUR_MS);
  assert.ok(expected.length > 60);
  assert.deepEqual(seen, expected.map(({ id }) => id));
});

/** The texts of the cells of a row. */
function cellsOf(html: string, id: number): string[] {
  const row = html.split("<tr>").find((one) => new RegExp(`at-none"\\s*>${id}<`).test(one)) ?? "";
  return [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)]
    .map(([, cell]) => cell!.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim());
}

Deno.test("the audit log says who did what to what in words, with before and after", async () => {
  await using gateway = await startFilled();
  const { deps, url, token, names: [acme = []] } = gateway;
  await setAccount(deps, { id: 1, change: { mayPush: true, name: "Acme Ltd" }, actor: acme[1]! });
  const [api = "", webhook = ""] = [acme[4], acme[3]];
  await deps.db.write({
    reads: [],
    decide: (view) => {
      const say = (actor: string, action: Deed, subject: string) =>
        recordAudit(view, { actor, action, subject, detail: { from: "a", to: "b" }, nowMs: 5 });
      say(api, "withdrawal.sent", "withdrawal:7");
      say("worker", "webhook.enabled", webhook);
    },
  });
  const asked = { actor: null, subject: null, cursor: null, limit: 3 };
  const [enabled, sent, changed] = await auditPage(deps.db, asked);
  const html = await (await dashboardFetch(url, { path: "/audit", token })).text();
  assert.deepEqual(cellsOf(html, changed!.id).slice(2), [
    ANN,
    "Account changed",
    "Acme Ltd History",
    "may push no → yes name Acme → Acme Ltd",
  ]);
  const cells = cellsOf(html, sent!.id).slice(2);
  assert.deepEqual(cells, [
    "Key &quot;till 0&quot; Acme Ltd",
    "Payout sent",
    "Payout 7 History",
    "status a → b",
  ]);
  assert.deepEqual(cellsOf(html, enabled!.id).slice(2, 4), ["Gateway", "Webhook enabled"]);
  assert.match(cellsOf(html, enabled!.id)[4]!, /^Webhook 1 of Acme Ltd History$/);
  assert.ok(html.includes('href="/dashboard/withdrawals/7"'));
  const table = /<tbody>[^]*<\/tbody>/.exec(html)![0].replace(/<[^>]*>/g, " ");
  assert.doesNotMatch(table, /\{|user:\d|key:/);
});
