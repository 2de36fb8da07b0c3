import { type NetworkRow, Networks } from "../../store/tables/setup.ts";
import { read } from "../../store/engine/workspace.ts";
import { alertRead, closeAlert, tracesGone } from "../books/alerts.ts";
import { findNetwork } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps.ts";

type NetworkChange = Partial<Omit<NetworkRow, "code" | "family" | "createdAtMs">>;

export async function setNetwork(
  deps: Deps,
  { code, change, actor }: { code: string; change: NetworkChange; actor: Actor },
): Promise<NetworkRow> {
  const network = await findNetwork(deps, code);
  const gone = tracesGone(network.code);
  return await deps.db.write({
    reads: [read(Networks, [network.code]), alertRead(gone.kind, gone.subject)],
    decide: (view) => {
      const before = view.get(Networks, [network.code]);
      const nowMs = deps.clock.nowMs();
      const subject = `network:${network.code}`;
      const detail = { before, change };
      recordAudit(view, { actor, action: "network.changed", subject, detail, nowMs });
      if (change.traces || change.rpcUrls) closeAlert(view, { ...gone, nowMs });
      return view.update(Networks, before, change);
    },
  });
}
