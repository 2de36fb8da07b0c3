import type { NetworkRow } from "../../store/tables/setup.ts";
import { alertRead, closeAlert, type NewAlert, raiseAlert } from "../books/alerts.ts";
import type { Deps } from "../deps.ts";

function networkSilent({ code }: NetworkRow): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "network_silent", subject: `network:${code}` };
}

/** Meanwhile nothing is credited, settled or paid out there. */
export async function reportSilence(
  deps: Deps,
  { network, reason }: { network: NetworkRow; reason: string },
): Promise<void> {
  await raiseAlert(deps, {
    ...networkSilent(network),
    message: `${network.code} has not been followed for a minute or more: ${reason}`,
  });
}

export async function reportSilenceOver(deps: Deps, network: NetworkRow): Promise<void> {
  const alert = networkSilent(network);
  await deps.db.write({
    reads: [alertRead(alert.kind, alert.subject)],
    decide: (view) => closeAlert(view, { ...alert, nowMs: deps.clock.nowMs() }),
  });
}
