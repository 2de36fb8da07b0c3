import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { createBatch } from "../../../src/payouts/create_batch.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { makeInvoice } from "../checkout/invoices.ts";
import { startCountingSqld } from "../database/counting_sqld.ts";
import { dashboardFetch, makeLogin } from "./dashboard.ts";
import { enable, makeNetwork, startGateway } from "../gateway.ts";
import { pagePaths, type PageSamples } from "./page_paths.ts";
import { addOwnRule } from "../payouts.ts";
import { makeWebhook } from "../webhooks.ts";

interface PageReads {
  readonly page: string;
  /** Rows read by the database for the page, with few and with many rows in each growing table. */
  readonly few: number;
  readonly many: number;
}

const ROLES = ["operator", "merchant"] as const;
const SAMPLES: PageSamples = {
  endpointId: 1,
  eventId: 500,
  withdrawalId: 500,
  depositId: 501,
  addressId: 42,
  sweepId: 500,
  invoiceId: 1,
  address: addressOf(500),
  txHash: hashOf(500),
  user: "user 500",
  cursor: 500,
  actor: "api:k1",
};

/** The first list by date reads the time of every row, once. */
const BY_DATE = [
  "/deposits?from=2026-01-01",
  "/withdrawals?from=2026-01-01",
  "/invoices?from=2026-01-01",
  "/audit?last=24h",
];

/** Each page and list of both roles at both sizes, as counted by the database server. */
export async function countPageReads(
  { few, many }: { few: number; many: number },
): Promise<PageReads[]> {
  await using server = await startCountingSqld();
  await using gateway = await startGateway({
    CPG_DATABASE_URL: server.url,
    CPG_DATABASE_TOKEN: "",
    CPG_WORKER: "false",
  });
  const { deps, url } = gateway;
  const place = await makeFillable(deps);
  const count = async () => {
    const counts = new Map<string, number>();
    for (const path of BY_DATE) await open(url, { path, token: place.tokens.operator });
    for (const role of ROLES) {
      for (const pathOf of pagePaths(role)) {
        const path = pathOf(SAMPLES);
        const before = server.rowsRead();
        await open(url, { path, token: place.tokens[role] });
        counts.set(`${role} ${path}`, server.rowsRead() - before);
      }
    }
    return counts;
  };
  await fill(deps, { ...place, from: 1, to: few });
  const fewReads = await count();
  await fill(deps, { ...place, from: few + 1, to: many });
  const manyReads = await count();
  return [...fewReads].map(([page, few]) => ({ page, few, many: manyReads.get(page)! }));
}

async function open(
  url: string,
  { path, token }: { path: string; token: string },
): Promise<void> {
  const answer = await dashboardFetch(url, { path: path === "/" ? "" : path, token });
  const text = await answer.text();
  // A step that is done leads to the next one.
  if (answer.status === 303 && path.startsWith("/begin")) return;
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
}

interface Fillable {
  readonly accountId: number;
  readonly keyId: string;
  readonly tokens: Readonly<Record<typeof ROLES[number], string>>;
}

async function makeFillable(deps: Deps): Promise<Fillable> {
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const key = { accountId, label: "x", permissions: [], ipList: [], rateLimit: 1, actor: "test" };
  const { row: { keyId } } = await createApiKey(deps, key);
  await makeWebhook(deps, { url: "https://shop.example.com/hooks", accountId });
  const line = { line: 1, network: "ETH", currency: "ETH", toAddress: addressOf(1), amount: "1" };
  const lines = [{ ...line, reference: null }];
  await createBatch(deps, { accountId, lines, actor: "test" });
  await makeInvoice(deps, { accountId, chosen: null });
  await addOwnRule(deps, { accountId });
  const { token: operator } = await makeLogin(deps);
  const { token: merchant } = await makeLogin(deps, { accountId });
  return { accountId, keyId, tokens: { operator, merchant } };
}

const COUNTED = `WITH RECURSIVE counted (n) AS (
  SELECT ? UNION ALL SELECT n + 1 FROM counted WHERE n < ?
)`;
const ROWS_PER_PIECE = 1_000;
const AT_MS = 1_767_225_600_000;

/** Adds this many rows to each growing table; rare rows are among the first twenty. */
async function fill(
  deps: Deps,
  { accountId, keyId, from, to }: Fillable & { from: number; to: number },
): Promise<void> {
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
      `INSERT INTO invoices (account_id, key_id, token, amount, currency, tolerance_percent, methods,
  reference, customer, metadata, status, expires_at_ms, created_at_ms)
SELECT ?, ?, printf('t%d', n), '1.25', 'ETH', '0.5', '[]', printf('order %d', n),
  printf('buyer %d', n % 30), '{}',
  CASE WHEN n < 10 THEN 'open' ELSE 'paid' END, ${AT_MS} + n, ${AT_MS} + n`,
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
    for (const [first, last] of piecesOf(from, to)) {
      await deps.db.execute([{ sql: counted, args: [first, last, ...args] }]);
    }
  }
  const settled = `UPDATE webhook_deliveries
SET state = CASE WHEN event_id < 5 THEN 'dead' ELSE 'delivered' END, settled_at_ms = 1
WHERE (event_id < 5 OR event_id >= 10) AND event_id BETWEEN ? AND ?`;
  for (const args of piecesOf(from, to)) await deps.db.execute([{ sql: settled, args }]);
}

/** One large piece could exceed the server's limit of five seconds on a busy machine. */
function piecesOf(from: number, to: number): [first: number, last: number][] {
  const pieces: [number, number][] = [];
  for (let at = from; at <= to; at += ROWS_PER_PIECE) {
    pieces.push([at, Math.min(to, at + ROWS_PER_PIECE - 1)]);
  }
  return pieces;
}

function hashOf(n: number): string {
  return `0x${n.toString(16).padStart(64, "0")}`;
}

function addressOf(n: number): string {
  return `0x${n.toString(16).padStart(40, "0")}`;
}
