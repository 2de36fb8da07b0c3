import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { mustShareSweeps } from "../networks/collecting.ts";
import type { NetworkRow } from "../networks/table.ts";
import { collectorRows, deploymentOf } from "./reads.ts";
import { type CollectorRow, Collectors } from "./table.ts";

/** The newest that is there or on its way. */
export async function collectorOf(
  deps: Deps,
  { code }: Pick<NetworkRow, "code">,
): Promise<CollectorRow | undefined> {
  const rows = await filterGenuine(deps, Collectors, await collectorRows(deps.db, code));
  for (const row of rows) {
    if (await deploymentOf(deps.db, row)) return row;
  }
  return undefined;
}

type CollectChange = Parameters<typeof mustShareSweeps>[1];

/** Refuses what this network can't do, or can't do without a contract. */
export async function mustCollect(
  deps: Deps,
  { network, change }: { network: NetworkRow; change: CollectChange },
): Promise<void> {
  mustShareSweeps(network, change);
  if (change.collect !== "batch" || network.collect === "batch") return;
  if (!await collectorOf(deps, network)) throw refuse("collector_missing", { code: network.code });
}
