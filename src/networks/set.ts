import { alertRead, closeAlert, tracesGone } from "../books/alerts.ts";
import { findNetwork } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { isTestNetwork } from "./test_networks.ts";
import { shownUrls } from "./logins.ts";
import { mustBeFinal, mustFit } from "./fitting.ts";
import { type NetworkRow, Networks } from "./table.ts";
import { read } from "../store/engine/workspace.ts";

/** With URLs in full, as people give them. */
type NetworkChange = Partial<
  Omit<
    NetworkRow,
    "code" | "family" | "createdAtMs" | "testChanges" | "rpcUrlsSealed" | "wsUrlsSealed"
  >
>;

export async function setNetwork(
  deps: Deps,
  { code, change, actor }: { code: string; change: NetworkChange; actor: Actor },
): Promise<NetworkRow> {
  const network = await findNetwork(deps, code);
  mustFit(network, change);
  mustBeFinal(network, change.finalBlocks);
  const sealed = await deps.nodeUrls.sealed(network.code, change);
  const gone = tracesGone(network.code);
  return await deps.db.write({
    reads: [read(Networks, [network.code]), alertRead(gone.kind, gone.subject)],
    decide: (view) => {
      const before = view.get(Networks, [network.code]);
      const nowMs = deps.clock.nowMs();
      const subject = `network:${network.code}`;
      const detail = { before: shownUrls(before), change: shownUrls(change) };
      recordAudit(view, { actor, action: "network.changed", subject, detail, nowMs });
      if (change.traces || change.rpcUrls) closeAlert(view, { ...gone, nowMs });
      const isOther = isTestNetwork({ ...before, ...change }) !== isTestNetwork(before);
      // With it, the database has its open invoices judged again.
      const testChanges = isOther ? (before.testChanges ?? 0) + 1 : before.testChanges;
      return view.update(Networks, before, { ...change, ...sealed, testChanges });
    },
  });
}
