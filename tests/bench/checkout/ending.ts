import { followNetwork } from "../../../src/following/follow_network.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { present } from "../../../src/base/assert.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { createApp } from "../../../src/http/app.ts";
import { signedHeaders } from "../../support/api_client.ts";
import type { Installation } from "../installation.ts";
import { figureRow, type Row } from "../row.ts";
import { fillInvoices, OPEN_INVOICES } from "./fill_invoices.ts";

export const ENDED = {
  name: "the longest wait for the API or a follower while 10,000 invoices end at once",
  unit: "ms",
  must: 500,
  isAtMost: true,
};
const TARGET = "/v1/balances";

export async function measureEnding(
  installation: Installation,
  rounds: number,
): Promise<Row> {
  const longest: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const endMs = await fillInvoices(installation, OPEN_INVOICES);
    longest.push(await longestWait(installation, endMs));
  }
  return figureRow(ENDED, longest);
}

async function longestWait({ env, key }: Installation, endMs: number): Promise<number> {
  const config = readConfig({ ...env, CPG_LOG_LEVEL: "silent" });
  const aheadMs = endMs - Date.now();
  const clock = { nowMs: () => Date.now() + aheadMs };
  const { deps, close } = await openGateway(config, { clock });
  const app = createApp({ ...config, deps, metrics: createGatewayMetrics() });
  const network = present((await deps.catalog.current()).network("ETH"), "It was added");
  const ask = async () => {
    const timestamp = String(Math.floor(clock.nowMs() / 1_000));
    const headers = signedHeaders(key, { method: "GET", target: TARGET, timestamp });
    const request = new Request(`http://127.0.0.1${TARGET}`, { headers });
    const { status } = await app.fetch(request, { remoteIp: "127.0.0.1" });
    if (status !== 200) throw new Error(`It answered ${status}`);
  };
  let isOver = false;
  const repeated = async (work: () => Promise<unknown>) => {
    let most = 0;
    while (!isOver) {
      const startedAt = performance.now();
      await work();
      most = Math.max(most, performance.now() - startedAt);
    }
    return most;
  };
  const turns = [repeated(ask), repeated(() => followNetwork(deps, network))];
  await judgeDue(deps);
  isOver = true;
  const waits = await Promise.all(turns);
  await mustBeOver(deps);
  await close();
  return Math.max(...waits);
}

async function mustBeOver({ db }: Deps): Promise<void> {
  const [row] = await db.query("SELECT count(*) AS n FROM invoices WHERE status = 'open'");
  if (Number(row?.n) > 0) throw new Error(`${row?.n} invoices are still open`);
}
