import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { NetworkCursors } from "../following/table.ts";
import { insertCurrency, mustBeSpelledAlike, type NewCurrency } from "./currencies.ts";
import { mustBeFinal, mustCountIn, mustFit } from "./fitting.ts";
import { shownUrls } from "./logins.ts";
import { NEVER_ANSWERED } from "./rules/network_health.ts";
import { Currencies, type NetworkRow, Networks } from "./table.ts";
import { read, type View } from "../store/engine/workspace.ts";

type NetworkFallbacks = Pick<
  NetworkRow,
  | "feeModel"
  | "gasPriceMaxRaw"
  | "feeMax"
  | "hotGasTarget"
  | "isTest"
  | "testChanges"
  | "wsUrls"
  | "collect"
  | "collectWaitMs"
  | "finalBlocks"
  | "feeTarget"
  | "rpcUrlsSealed"
  | "wsUrlsSealed"
>;

const NETWORK_FALLBACKS: NetworkFallbacks = {
  feeModel: "l1",
  gasPriceMaxRaw: null,
  feeMax: null,
  hotGasTarget: "0",
  isTest: null,
  testChanges: null,
  wsUrls: null,
  collect: null,
  collectWaitMs: null,
  finalBlocks: null,
  feeTarget: null,
  rpcUrlsSealed: null,
  wsUrlsSealed: null,
};

/** With URLs in full. */
export interface NewNetwork
  extends
    Omit<NetworkRow, "isActive" | "createdAtMs" | keyof NetworkFallbacks>,
    Partial<NetworkFallbacks> {
  /** Native coin first, then the tokens of a preset. */
  readonly currencies: readonly Omit<NewCurrency, "network">[];
  /** When the node's newest block was made; null: no node was asked, or none has answered. */
  readonly tipAtMs: number | null;
}

/** Adds a network with its native coin and the block from which it is read. */
export async function addNetwork(
  deps: Deps,
  { network, actor }: { network: NewNetwork; actor: Actor },
): Promise<NetworkRow> {
  const { currencies, tipAtMs: _, ...fields } = network;
  const { code } = network;
  mustFit(network, network);
  mustBeFinal(network, network.finalBlocks);
  mustCountIn(network, network.nativeDecimals);
  const nowMs = deps.clock.nowMs();
  const catalog = await deps.catalog.current();
  if (catalog.network(code)) throw refuse("network_taken", { code });
  for (const { symbol } of currencies) mustBeSpelledAlike(catalog, symbol);
  const sealed = await deps.nodeUrls.sealed(code, network);
  return await deps.db.write({
    reads: [
      read(Networks, [code]),
      read(NetworkCursors, [code]),
      ...currencies.map(({ symbol }) => read(Currencies, [code, symbol])),
    ],
    decide: (view) => {
      if (view.find(Networks, [code])) throw refuse("network_taken", { code });
      const made = { isActive: true, createdAtMs: nowMs };
      const row = view.insertKeyed(Networks, {
        ...NETWORK_FALLBACKS,
        ...fields,
        ...sealed,
        ...made,
      });
      insertCursor(view, { network, nowMs });
      for (const currency of currencies) insertCurrency(view, { network, currency, nowMs });
      const subject = `network:${code}`;
      recordAudit(view, { actor, action: "network.added", subject, detail: shownUrls(row), nowMs });
      return row;
    },
  });
}

function insertCursor(
  view: View,
  { network: { code, startHeight, tipAtMs }, nowMs }: { network: NewNetwork; nowMs: number },
): void {
  view.insertKeyed(NetworkCursors, {
    network: code,
    scanHeight: startHeight - 1,
    topHeight: startHeight - 1,
    tipHeight: startHeight - 1,
    tipAtMs,
    finalizedHeight: null,
    finalizedAgeMs: null,
    haltedReason: null,
    paidRaw: null,
    paidAtMs: null,
    refusedGas: null,
    updatedAtMs: tipAtMs === null ? NEVER_ANSWERED : nowMs,
  });
}
