import { createInvoiceByHand } from "../../../src/invoices/by_hand.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import type { Installation } from "../installation.ts";

export const OPEN_INVOICES = 10_000;
export const ETH = { network: "ETH", currency: "ETH" };
const AT_ONCE = 200;
const LASTS_S = 3_600;
const DETAILS = {
  ...{ reference: null, description: null, customer: null, metadata: {} },
  ...{ redirectUrl: null, language: null },
};

/** Open invoices with an address each, which all end in this moment. */
export async function fillInvoices(
  { env, accountId }: Pick<Installation, "env" | "accountId">,
  count: number,
): Promise<number> {
  const nowMs = Date.now();
  const config = readConfig({ ...env, CPG_LOG_LEVEL: "silent" });
  const { deps, close } = await openGateway(config, { clock: { nowMs: () => nowMs } });
  for (let left = count; left > 0; left -= AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(left, AT_ONCE) }, () =>
        createInvoiceByHand(deps, {
          ...{ amount: "0.01", currency: "ETH", coins: null, chosen: ETH, accountId },
          ...{ expiresInS: LASTS_S, tolerancePercent: null, idempotencyKey: null },
          ...{ details: DETAILS, actor: "bench" },
        })),
    );
  }
  await close();
  return nowMs + LASTS_S * 1_000;
}
