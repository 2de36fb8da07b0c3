import { zip } from "../base/lists.ts";
import { filterGenuine, genuine } from "../books/tampered.ts";
import type { Chain } from "../chains/chain.ts";
import type { ChainCollector, Collector } from "../chains/collecting.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { gasWalletOf, ownedAddresses } from "../wallets/reads/addresses.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { collectorRows } from "./reads.ts";
import { type CollectorRow, Collectors } from "./table.ts";

/** A contract whose code was just seen on the chain. */
interface Usable {
  readonly collector: Collector;
  readonly address: string;
}

type CollectorNow =
  | {
    readonly kind: "usable";
    /** What addresses delegate to. */
    readonly current: Usable;
    /** Of older builds: what delegates to them can be collected until it delegates anew. */
    readonly older: readonly Usable[];
  }
  | { readonly kind: "none"; readonly why: string };

/** Looked at on the chain, so it is to be asked before every use. */
export async function usableCollector(
  deps: Deps,
  { network, chain }: { network: NetworkRow; chain: Chain },
): Promise<CollectorNow> {
  if (!chain.collector) return { kind: "none", why: "addresses of this chain can't delegate" };
  const wallet = await gasWalletOf(deps.db, network.code);
  if (!wallet) return { kind: "none", why: "there is no gas wallet" };
  await genuine(deps, Addresses, [wallet]);
  const rows = await filterGenuine(deps, Collectors, await collectorRows(deps.db, network.code));
  const owners = await ownedAddresses(deps.db, {
    network: network.code,
    addresses: [...new Set(rows.map(({ owner }) => owner))],
  });
  const wallets = (await filterGenuine(deps, Addresses, owners))
    .filter(({ purpose }) => purpose === "gas").map(({ address }) => address);
  // Also what another gas wallet of ours deployed, which that one can use.
  const own = rows.filter(({ owner }) => wallets.includes(owner));
  if (own.length === 0) return { kind: "none", why: "no contract is deployed" };
  const { build } = await chain.collector.deployedBy(wallet.address);
  const sound = await withCode(chain.collector, own);
  const usable = (row: CollectorRow): Usable => ({
    collector: { chainId: Number(network.chainId), owner: row.owner, nonce: row.nonce },
    address: row.address,
  });
  const current = sound.find((row) => row.build === build);
  if (!current) {
    const isKnown = own.some((row) => row.build === build);
    const why = isKnown
      ? "the contract's code isn't on the chain"
      : "the contract is of an older version";
    return { kind: "none", why };
  }
  const older = sound.filter((row) => row !== current).map(usable);
  return { kind: "usable", current: usable(current), older };
}

/** Those whose address follows from who deployed them, and has exactly their code. */
async function withCode(
  chain: ChainCollector,
  rows: readonly CollectorRow[],
): Promise<CollectorRow[]> {
  const codes = await chain.codeAt(rows.map(({ address }) => address));
  const found: CollectorRow[] = [];
  for (const [row, code] of zip(rows, codes)) {
    const { address } = (await chain.deployedBy(row.owner)).withNonce(row.nonce);
    const isThere = code.kind === "contract" && code.hash === row.codeHash;
    if (isThere && address === row.address) found.push(row);
  }
  return found;
}
