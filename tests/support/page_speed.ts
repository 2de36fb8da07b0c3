import { createAccount } from "../../src/actions/manage_accounts.ts";
import type { Deps } from "../../src/actions/deps.ts";
import { NAV } from "../../src/dashboard/pages.ts";
import { dashboardFetch, type Login, makeLogin } from "./dashboard.ts";
import { enable, makeNetwork, startGateway } from "./gateway.ts";

export interface PageSpeed {
  readonly page: string;
  /** Median milliseconds with few rows, and with many. */
  readonly fewMs: number;
  readonly manyMs: number;
}

/** What is rare stands where nobody looks first: at the beginning. */
const FILTERS = [
  "/deposits?status=detected",
  "/deposits?status=failed",
  "/deposits?below=on",
  "/deposits?network=ETH&currency=ETH&status=failed",
  "/deposits?q=nobody",
  `/deposits?q=0x${"0".repeat(64)}`,
  "/transactions?direction=sweep",
  "/transactions?status=failed",
  "/transactions?direction=withdrawal&status=failed&network=ETH",
  "/transactions?currency=ETH",
  "/transactions?cursor=500",
];

/** Every page of the navigation, and the lists by their filters, of both roles at both sizes. */
export async function measurePages(
  { few, many, rounds }: { few: number; many: number; rounds: number },
): Promise<PageSpeed[]> {
  await using small = await filledGateway(few);
  await using large = await filledGateway(many);
  const speeds: PageSpeed[] = [];
  for (const role of ["operator", "merchant"] as const) {
    for (const path of [...NAV[role].map((item) => item.path), ...FILTERS]) {
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

async function fill(
  { db }: Deps,
  { accountId, rows }: { accountId: number; rows: number },
): Promise<void> {
  const sql = `WITH RECURSIVE counted (n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?
)
INSERT INTO transactions (account_id, network, currency, direction, status, tx_hash, position, live,
  from_address, to_address, amount, block_number, block_hash, sender, sender_nonce,
  is_below_minimum, created_at_ms, confirmed_at_ms)
SELECT ?, 'ETH', 'ETH',
  CASE n % 5 WHEN 0 THEN 'withdrawal' ELSE 'deposit' END,
  CASE WHEN n < 5 THEN 'failed' WHEN n < 10 THEN 'detected' ELSE 'confirmed' END,
  printf('0x%064x', n + 1000), 0, 1, '0x01', '0x02', '1.25', n, printf('0x%064x', n), '0x01', n,
  n < 20, 1767225600000 + n, 1767225600000 + n
FROM counted`;
  await db.execute([{ sql, args: [rows, accountId] }]);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
