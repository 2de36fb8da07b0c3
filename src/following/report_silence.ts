import { alertRead, closeAlert, type NewAlert, raiseAlert } from "../books/alerts.ts";
import type { Tip } from "../chains/chain.ts";
import type { Deps } from "../deps/deps.ts";
import { isoUtc } from "../domain/time.ts";
import { isStalled } from "../networks/stalled.ts";
import type { NetworkRow } from "../networks/table.ts";

/** Another instance may have followed meanwhile, and left the alert open. */
const LOOK_AGAIN_MS = 60_000;

type Named = Pick<NewAlert, "kind" | "subject">;

function networkSilent({ code }: NetworkRow): Named {
  return { kind: "network_silent", subject: `network:${code}` };
}

function networkStalled({ code }: NetworkRow): Named {
  return { kind: "network_stalled", subject: `network:${code}` };
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
  await close(deps, networkSilent(network));
}

/** People are told even if the nodes answer. */
export async function watchStall(
  deps: Deps,
  { network, tip }: { network: NetworkRow; tip: Tip },
): Promise<void> {
  const { code } = network;
  const { stalls } = deps.memory;
  const nowMs = deps.clock.nowMs();
  const isOld = isStalled(network, { tipAtMs: tip.atMs, nowMs });
  const known = stalls.get(code);
  const isSame = known?.isStalled === isOld;
  // An operator who resolved the alert isn't told again.
  if (isSame && (isOld || Math.abs(nowMs - known.atMs) < LOOK_AGAIN_MS)) return;
  const alert = networkStalled(network);
  if (isOld) {
    const message = `The newest block of ${code}, ${tip.height}, is from ${isoUtc(tip.atMs)}: ` +
      "payments after it can't be seen";
    await raiseAlert(deps, { ...alert, message });
  } else await close(deps, alert);
  stalls.set(code, { isStalled: isOld, atMs: nowMs });
}

async function close(deps: Deps, alert: Named): Promise<void> {
  await deps.db.write({
    reads: [alertRead(alert.kind, alert.subject)],
    decide: (view) => closeAlert(view, { ...alert, nowMs: deps.clock.nowMs() }),
  });
}
