import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { inboxOf } from "../../../src/proposals/inbox.ts";
import { ApprovalRequests } from "../../../src/approvals/table.ts";
import { Proposals } from "../../../src/proposals/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";
import { noteTest } from "../../support/stage.ts";
import { makeWithdrawal } from "../../store/reads/make_rows.ts";

const HOUR_MS = 3_600_000;
const SHOWN = 50;
const MORE = "More are shown once these are decided";
const TO = "0x52908400098527886E0F7030069857D2E4169EE7";

async function start() {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
  const { accountId: many, credentials: { keyId } } = await makeMerchant(gateway);
  const { id: few } = await createAccount(deps, { name: "Few", actor: "test" });
  return { ...gateway, many, few, keyId };
}

interface Waiting {
  readonly accountId: number;
  readonly keyId: string;
  readonly ids: readonly number[];
}

/** In the order in which they expire. */
async function makePayouts({ db, clock }: Deps, { accountId, keyId, ids }: Waiting): Promise<void> {
  const nowMs = clock.nowMs();
  const amounts = { currency: "ETH", amount: "1", fee: "0", toAddress: TO };
  await db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      for (const id of ids) {
        const row = { id, accountId, keyId, ...amounts, approval: "waiting" as const };
        view.insertKeyed(Withdrawals, makeWithdrawal({ ...row, requestedAtMs: nowMs }));
        view.insertKeyed(ApprovalRequests, {
          ...{ withdrawalId: id, accountId, needed: 1, given: 0, rules: [], decidedBy: "merchant" },
          ...{ requestedBy: null, requestedIp: null, countedAtMs: nowMs, open: 1 },
          ...{ createdAtMs: nowMs, expiresAtMs: nowMs + HOUR_MS + id },
        });
      }
    },
  });
}

async function makeProposals(
  { db, clock }: Deps,
  { accountId, ids }: { accountId: number | null; ids: readonly number[] },
): Promise<void> {
  const nowMs = clock.nowMs();
  await db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      for (const id of ids) {
        view.insertKeyed(Proposals, {
          ...{ id, kind: "account.set", wanted: {} as never, accountId, before: null, after: {} },
          ...{ passwordHash: null, linkHash: null, keyId: "", secretSealed: null, askedBy: "cli" },
          ...{ askedIp: null, state: "waiting", decidedBy: null, decidedAtMs: null, reason: null },
          ...{ open: 1, createdAtMs: nowMs, expiresAtMs: nowMs + HOUR_MS + id },
        });
      }
    },
  });
}

function numbered(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => from + n);
}

Deno.test("an account with many payouts to decide leaves room for the others, and says so", async () => {
  await using gateway = await start();
  const { deps, url, many, few, keyId } = gateway;
  await makePayouts(deps, { accountId: many, keyId, ids: numbered(1, 60) });
  await makePayouts(deps, { accountId: few, keyId, ids: [100] });
  const seen = async (accountId: number | null) => {
    const email = `${accountId}@example.com`;
    const { token } = await makeLogin(deps, { accountId, email });
    const [inbox, home] = await Promise.all(
      ["/inbox", "/"].map(async (path) =>
        await (await dashboardFetch(url, { path, token })).text()
      ),
    );
    const ids = [...inbox!.matchAll(/id="payout-(\d+)"/g)].map(([, id]) => Number(id));
    const [, title] = /<h1[^>]*>([^<]*)</.exec(inbox!)!;
    return { ids, title, says: inbox!.includes(MORE), home: home! };
  };
  const { home, ...operator } = await seen(null);
  const ids = [...numbered(1, SHOWN - 1), 100];
  assert.deepEqual(operator, { ids, title: "Inbox: 50+ to decide", says: true });
  assert.match(home, /50\+ decisions wait for you/);
  const { home: _many, ...own } = await seen(many);
  const all = numbered(1, SHOWN);
  assert.deepEqual(own, { ids: all, title: "Inbox: 50+ to decide", says: true });
  const { home: one, ...other } = await seen(few);
  assert.deepEqual(other, { ids: [100], title: "Inbox: 1 to decide", says: false });
  assert.match(one, /One decision waits for you/);
});

Deno.test("changes of one account leave room for those of others and of the installation", async () => {
  await using gateway = await start();
  const { deps, many, few } = gateway;
  const shown = async () => {
    const { proposals, isMore } = await inboxOf(deps, user);
    return { ids: proposals.map(({ row }) => row.id), isMore };
  };
  const { user } = await makeLogin(deps);
  await makeProposals(deps, { accountId: many, ids: numbered(1, SHOWN - 2) });
  await makeProposals(deps, { accountId: few, ids: [100] });
  await makeProposals(deps, { accountId: null, ids: [200] });
  const others = [100, 200];
  assert.deepEqual(await shown(), { ids: [...numbered(1, SHOWN - 2), ...others], isMore: false });
  await makeProposals(deps, { accountId: many, ids: numbered(SHOWN - 1, 30) });
  assert.deepEqual(await shown(), { ids: [...numbered(1, SHOWN - 2), ...others], isMore: true });
});
