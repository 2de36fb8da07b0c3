import { createAccount } from "../../src/actions/manage_accounts.ts";
import { createApiKey } from "../../src/actions/manage_api_keys.ts";
import type { Deps } from "../../src/actions/deps.ts";
import { NAV } from "../../src/dashboard/pages.ts";
import { dashboardFetch, type Login, makeLogin } from "./dashboard.ts";
import { enable, makeNetwork, startGateway } from "./gateway.ts";
import { makeWebhook } from "./webhooks.ts";

export interface PageSpeed {
  readonly page: string;
  /** Median milliseconds with few rows, and with many. */
  readonly fewMs: number;
  readonly manyMs: number;
}

const ABSENT = `0x${"0".repeat(64)}`;

/** What is rare stands where nobody looks first: at the beginning. */
const FILTERS = [
  "/deposits?status=detected",
  "/deposits?status=failed",
  "/deposits?below=on",
  "/deposits?network=ETH&currency=ETH&status=failed",
  "/deposits?q=nobody",
  `/deposits?q=${ABSENT}`,
  `/deposits?q=${hashOf(500)}`,
  `/deposits?q=${addressOf(500)}`,
  "/deposits?q=user+500",
  "/transactions?direction=sweep",
  "/transactions?status=failed",
  "/transactions?network=ETH",
  "/transactions?direction=withdrawal&status=failed&network=ETH",
  "/transactions?currency=ETH",
  "/transactions?cursor=500",
  "/withdrawals?status=failed",
  "/withdrawals?status=pending",
  "/withdrawals?status=confirmed",
  "/withdrawals?network=ETH&currency=ETH&status=failed",
  "/withdrawals?cursor=500",
  "/withdrawals/500",
  "/deposits/3",
  "/sweeps?state=parked",
  "/sweeps?state=done",
  "/sweeps?network=ETH&currency=ETH&state=parked",
  `/sweeps?q=${addressOf(500)}`,
  "/sweeps?cursor=500",
  "/sweeps/3",
  "/webhooks/1",
  "/webhooks/deliveries?state=pending",
  "/webhooks/deliveries?state=delivered",
  "/webhooks/deliveries?state=dead",
  "/webhooks/deliveries?webhook=1",
  "/webhooks/deliveries?webhook=1&state=delivered",
  "/webhooks/deliveries?webhook=1&state=dead",
  "/webhooks/deliveries?webhook=1&state=pending",
  "/webhooks/deliveries?cursor=500-1",
  "/webhooks/1/deliveries/500",
];

const FILTERS_OF_OPERATORS = [
  "/deposits?account=1&status=failed",
  "/transactions?account=1&direction=withdrawal",
  "/withdrawals?account=1&status=failed",
  "/sweeps?account=1&state=parked",
  "/webhooks?account=1",
  "/webhooks/deliveries?account=1",
  "/webhooks/deliveries?account=1&state=dead",
  "/webhooks/deliveries?account=1&state=delivered",
  "/accounts/1",
  "/networks/ETH",
  "/audit?actor=api:k1",
  "/audit?actor=nobody",
  "/audit?subject=withdrawal:500",
  "/audit?subject=user:unknown",
  "/audit?actor=api:k1&subject=user:unknown",
  "/audit?actor=api:k1&subject=withdrawal:3",
  "/audit?cursor=500",
];

/** Every page of the navigation, and the lists by their filters, of both roles at both sizes. */
export async function measurePages(
  { few, many, rounds }: { few: number; many: number; rounds: number },
): Promise<PageSpeed[]> {
  await using small = await filledGateway(few);
  await using large = await filledGateway(many);
  const speeds: PageSpeed[] = [];
  for (const role of ["operator", "merchant"] as const) {
    const filters = role === "operator" ? [...FILTERS, ...FILTERS_OF_OPERATORS] : FILTERS;
    for (const path of [...NAV[role].map((item) => item.path), ...filters]) {
      const took: { few: number[]; many: number[] } = { few: [], many: [] };
      for (let round = 0; round <= rounds; round++) {
        const fewMs = await timeOf(small, { path, login: small.logins[role] });
        const manyMs = await timeOf(large, { path, login: large.logins[role] });
        // The first one only warms up.
        if (round === 0) continue;
        took.few.push(fewMs);
        took.many.push(manyMs);
      }
      const page = `${role} ${path}`;
      speeds.push({ page, fewMs: median(took.few), manyMs: median(took.many) });
    }
  }
  return speeds;
}

async function timeOf(
  { url }: { url: string },
  { path, login }: { path: string; login: Login },
): Promise<number> {
  const startedAt = performance.now();
  const target = path === "/" ? "" : path;
  const answer = await dashboardFetch(url, { path: target, token: login.token });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return performance.now() - startedAt;
}

async function filledGateway(rows: number) {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  await fill(deps, { accountId, rows });
  const logins = {
    operator: await makeLogin(deps),
    merchant: await makeLogin(deps, { accountId }),
  };
  return { ...gateway, logins };
}

/** `n` counts from 1 to so many. */
const COUNTED = `WITH RECURSIVE counted (n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?
)`;
const AT_MS = 1_767_225_600_000;

/** As many rows in each table that grows: what is rare is among the first twenty. */
async function fill(
  deps: Deps,
  { accountId, rows }: { accountId: number; rows: number },
): Promise<void> {
  const key = { accountId, label: "x", permissions: [], ipList: [], rateLimit: 1, actor: "test" };
  const { row: { keyId } } = await createApiKey(deps, key);
  await makeWebhook(deps, { url: "https://shop.example.com/hooks", accountId });
  const fills: readonly (readonly [sql: string, ...args: (string | number)[]])[] = [
    [
      `INSERT INTO addresses (account_id, network, purpose, address, key_coin_type, key_account,
  key_branch, key_index, user_identifier, nonce_floor, created_at_ms)
SELECT ?, 'ETH', 'deposit', printf('0x%040x', n), 60, 900, 0, n, printf('user %d', n), 0, ${AT_MS} + n`,
      accountId,
    ],
    [
      `INSERT INTO transactions (account_id, network, currency, direction, status, tx_hash, position,
  live, from_address, to_address, amount, block_number, block_hash, sender, sender_nonce, address_id,
  is_below_minimum, created_at_ms, confirmed_at_ms)
SELECT ?, 'ETH', 'ETH',
  CASE n % 5 WHEN 0 THEN 'withdrawal' ELSE 'deposit' END,
  CASE WHEN n < 5 THEN 'failed' WHEN n < 10 THEN 'detected' ELSE 'confirmed' END,
  printf('0x%064x', n), 0, 1, '0x01', printf('0x%040x', n), '1.25', n, printf('0x%064x', n), '0x01',
  n, (SELECT id FROM addresses WHERE network = 'ETH' AND address = printf('0x%040x', n)),
  n < 20, ${AT_MS} + n, ${AT_MS} + n`,
      accountId,
    ],
    [
      `INSERT INTO sweeps (account_id, network, currency, address_id, state, open, reason, failures,
  next_try_at_ms, created_at_ms)
SELECT ?, 'ETH', 'ETH', (SELECT id FROM addresses WHERE network = 'ETH' AND address = printf('0x%040x', n)),
  CASE WHEN n < 10 THEN 'parked' ELSE 'done' END, CASE WHEN n < 10 THEN 1 END, 'x', 0, 0,
  ${AT_MS} + n`,
      accountId,
    ],
    [
      `INSERT INTO withdrawals (account_id, key_id, network, currency, to_address, amount, fee, status,
  requested_at_ms)
SELECT ?, ?, 'ETH', 'ETH', '0x02', '1.25', '0.1',
  CASE WHEN n < 5 THEN 'failed' WHEN n < 10 THEN 'pending' ELSE 'confirmed' END, ${AT_MS} + n`,
      accountId,
      keyId,
    ],
    [
      `INSERT INTO events (event_id, account_id, type, payload, created_at_ms)
SELECT printf('evt_%d', n), ?, 'deposit.confirmed', '{}', ${AT_MS} + n`,
      accountId,
    ],
    [
      `INSERT INTO webhook_attempts (event_id, endpoint_id, at_ms, latency_ms, status)
SELECT n, 1, ${AT_MS} + n, 5, 200`,
    ],
    [
      `INSERT INTO audit_log (at_ms, actor, action, subject, detail)
SELECT ${AT_MS} + n, CASE WHEN n < 5 THEN 'nobody' ELSE 'api:k1' END, 'withdrawal.requested',
  CASE WHEN n < 5 THEN 'withdrawal:3' WHEN n < 10 OR n % 2 = 0 THEN 'user:unknown'
    ELSE printf('withdrawal:%d', n) END, '{}'`,
    ],
  ];
  for (const [sql, ...args] of fills) {
    const [into, ...rest] = sql.split("\nSELECT ");
    const counted = `${into}\n${COUNTED}\nSELECT ${rest.join("\nSELECT ")}\nFROM counted`;
    await deps.db.execute([{ sql: counted, args: [rows, ...args] }]);
  }
  const settled = `UPDATE webhook_deliveries
SET state = CASE WHEN event_id < 5 THEN 'dead' ELSE 'delivered' END, settled_at_ms = 1
WHERE event_id < 5 OR event_id >= 10`;
  await deps.db.execute([{ sql: settled }]);
}

function hashOf(n: number): string {
  return `0x${n.toString(16).padStart(64, "0")}`;
}

function addressOf(n: number): string {
  return `0x${n.toString(16).padStart(40, "0")}`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
