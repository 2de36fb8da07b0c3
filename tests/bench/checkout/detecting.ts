import { followNetwork } from "../../../src/following/follow_network.ts";
import { present } from "../../../src/base/assert.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { InvoiceAddresses, InvoicePayments } from "../../../src/invoices/tables/invoices.ts";
import type { Anvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import type { Installation } from "../installation.ts";
import { median, ratioRow, type Round, type Row } from "../row.ts";

/** Paid in each block. */
export const PAID = 20;
export const DETECTED = {
  name: "a block with 20 payments to invoices, beside 10,000 open ones",
  unit: "ms",
  limitIs: "the same beside none",
  must: 1.2,
  isAtMost: true,
};
const BLOCKS = 10;

export async function measureDetecting(
  { few, many, anvil, rounds }: {
    few: Installation;
    many: Installation;
    anvil: Anvil;
    rounds: number;
  },
): Promise<Row> {
  await using one = await startFollower(few);
  await using other = await startFollower(many);
  await anvil.rpc("evm_setAutomine", [false]);
  let isOtherFirst = false;
  const block = async () => {
    for (const to of [...one.addresses, ...other.addresses]) {
      await sendTx(anvil, { to, valueRaw: 1n, isPooled: true });
    }
    await anvil.rpc("evm_mine");
    // Whoever comes first reads from a node that has just been busy.
    isOtherFirst = !isOtherFirst;
    if (isOtherFirst) return { ours: await other.follow(), limit: await one.follow() };
    return { limit: await one.follow(), ours: await other.follow() };
  };
  const measured: Round[] = [];
  for (let round = -1; round < rounds; round++) {
    const blocks: Round[] = [];
    for (let i = 0; i < BLOCKS; i++) blocks.push(await block());
    const of = (side: "limit" | "ours") => median(blocks.map((one) => one[side]));
    if (round >= 0) measured.push({ limit: of("limit"), ours: of("ours") });
  }
  await anvil.rpc("evm_setAutomine", [true]);
  return ratioRow(DETECTED, measured);
}

async function startFollower({ env }: Installation) {
  const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  const network = present((await deps.catalog.current()).network("ETH"), "It was added");
  const rows = await deps.db.rows(InvoiceAddresses, `ORDER BY invoice_id LIMIT ${PAID}`);
  const toTip = async () => {
    while (!(await followNetwork(deps, network)).isCaughtUp);
  };
  await toTip();
  let payments = 0;
  return {
    addresses: rows.map(({ address }) => address),
    follow: async () => {
      const startedAt = performance.now();
      await toTip();
      const ms = performance.now() - startedAt;
      const { length } = await deps.db.rows(InvoicePayments, "ORDER BY id");
      if (length !== (payments += PAID)) {
        throw new Error(`${length} payments instead of ${payments}`);
      }
      return ms;
    },
    [Symbol.asyncDispose]: close,
  };
}
