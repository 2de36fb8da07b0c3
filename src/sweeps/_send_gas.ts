import { openTopUpOf, topUpsOfSweep } from "../transfers/reads/transfers.ts";
import { parkSweep, postpone } from "./steps.ts";
import type { Sweeping } from "./_sweeping.ts";
import { topUp } from "../transfers/top_up.ts";
import type { Deps } from "../deps/deps.ts";

const ON_ITS_WAY_MS = 15_000;
const TOP_UPS_PER_SWEEP_MAX = 5;

/**
 * Gas for a token sweep, somewhat more than needed now, because its price may rise before the sweep
 * is signed.
 */
export async function sendGas(
  deps: Deps,
  { sweeping, neededRaw, nativeRaw }: { sweeping: Sweeping; neededRaw: bigint; nativeRaw: bigint },
): Promise<void> {
  const { network, chain, sweep, address, deposits } = sweeping;
  if (await openTopUpOf(deps.db, { network: network.code, address: address.address })) {
    const reason = "gas is on its way to the address";
    return await postpone(deps, { sweep, code: "gas_on_its_way", reason, forMs: ON_ITS_WAY_MS });
  }
  if (await topUpsOfSweep(deps.db, sweep.id) >= TOP_UPS_PER_SWEEP_MAX) {
    const reason = `${TOP_UPS_PER_SWEEP_MAX} gas top-ups were not enough: the price outruns them`;
    return await parkSweep(deps, sweeping, { code: "gas_not_enough", reason });
  }
  const amountRaw = neededRaw * 13n / 10n - nativeRaw;
  const target = { accountId: sweep.accountId, address: address.address };
  await topUp(deps, { network, chain, target, amountRaw, owner: { sweep, deposits } });
}
