import type { Clock } from "../../base/clock.ts";
import { familyOf } from "../../chains/registry.ts";
import { collectorRows } from "../../collectors/reads.ts";
import { costsOfMonth } from "../../costs/of_month.ts";
import { monthOf } from "../../domain/money/period.ts";
import { aboutText } from "../../domain/money/written.ts";
import type { NetworkRow } from "../../networks/table.ts";
import type { Finding } from "../../operations/host.ts";
import { createCatalogSource } from "../../store/engine/catalog.ts";
import type { Db } from "../../store/engine/db.ts";
import { nativeAmount } from "../../transfers/price.ts";

/** Fewer show nothing. */
const SWEEPS_MIN = 20;
const WAYS = { single: "one by one", batch: "in batches" } as const;

/** Only where the other mode would have cost less than half. Stakes bind coins, so none is advised. */
export async function checkCosts(db: Db, clock: Clock): Promise<Finding[]> {
  const { networks } = await createCatalogSource(db, clock).current();
  const shared = networks.filter(({ isActive, family }) =>
    isActive && familyOf(family).hasCollectors
  );
  const nowMs = clock.nowMs();
  const found = [];
  for (const network of shared) found.push(await checkNetwork(db, { network, nowMs }));
  return found.flat();
}

async function checkNetwork(
  db: Db,
  { network, nowMs }: { network: NetworkRow; nowMs: number },
): Promise<Finding[]> {
  const { currencies } = await costsOfMonth(db, { network, month: monthOf(nowMs), nowMs });
  for (const way of ["batch", "single"] as const) {
    const own = currencies.filter(({ other }) => other?.way === way);
    const sum = (values: readonly bigint[]) => values.reduce((all, raw) => all + raw, 0n);
    const feeRaw = sum(own.map((one) => one.feeRaw));
    const otherRaw = sum(own.map(({ other }) => other?.feeRaw ?? 0n));
    const sweeps = own.reduce((all, one) => all + one.sweeps, 0);
    if (sweeps < SWEEPS_MIN || 2n * otherRaw >= feeRaw) continue;
    const { code, nativeSymbol: symbol } = network;
    const [cost, other] = [feeRaw, otherRaw].map((raw) =>
      `${aboutText(`${nativeAmount(network, raw)}`)} ${symbol}`
    );
    return [{
      check: `sweeps on ${code}`,
      state: "warning",
      message: `${sweeps} sweeps have cost ${cost} this month; ${WAYS[way]}, they would have ` +
        `cost about ${other}`,
      advice: await adviceFor(db, { network, way }),
    }];
  }
  return [];
}

async function adviceFor(
  db: Db,
  { network: { code, collect }, way }: { network: NetworkRow; way: keyof typeof WAYS },
): Promise<string> {
  const set = `"network set ${code} --collect auto" takes what is cheaper`;
  if (way === "single") return set;
  if (collect === "auto" || collect === "batch") {
    return 'addresses that may be paid coins share only with "account set N --delegate-native on"';
  }
  const isThere = (await collectorRows(db, code)).length > 0;
  return isThere ? set : `"network collector ${code} --deploy on" is needed once, then ${set}`;
}
