import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { first } from "../../../src/base/lists.ts";
import { Invoices } from "../../../src/invoices/tables/invoices.ts";
import { startBrowser } from "../../support/dashboard/browser.ts";
import { firstPaint } from "../../support/dashboard/first_paint.ts";
import type { Installation } from "../installation.ts";
import { SERVE, startProgram } from "../processes.ts";
import { figureRow, median, type Row } from "../row.ts";

export const PAINTED = {
  name: "a browser shows a payer the page, beside 10,000 open invoices",
  unit: "ms",
  must: 200,
  isAtMost: true,
};
const LOADS = 10;

export async function measurePainting({ env }: Installation, rounds: number): Promise<Row> {
  const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  const { token } = first(await deps.db.rows(Invoices, "ORDER BY id DESC LIMIT 1"));
  await close();
  await using gateway = await startProgram({ args: SERVE, env });
  await using browser = await startBrowser();
  const page = await browser.open({ isPhone: true });
  const measured: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const loads: number[] = [];
    for (let i = 0; i < LOADS; i++) {
      await page.goto(`http://127.0.0.1:${gateway.port}/pay/${token}`);
      loads.push((await firstPaint(page)).tookMs);
    }
    if (round >= 0) measured.push(median(loads));
  }
  return figureRow(PAINTED, measured);
}
