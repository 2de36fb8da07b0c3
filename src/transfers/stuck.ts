import type { SignedTransactionRow } from "./table.ts";
import { raiseAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";
import { hasOutputs } from "../networks/fitting.ts";

export async function alertStuck(
  deps: Deps,
  { tx, why }: { tx: SignedTransactionRow; why: string },
): Promise<void> {
  const { sender, place, network: code, txHash } = tx;
  const alert = { kind: "transfer_stuck", subject: `${code}/${sender}/${place}` } as const;
  const network = (await deps.catalog.current()).network(code);
  await raiseAlert(
    deps,
    // No order of places holds up others there, and no gas wallet sends anything.
    network && hasOutputs(network)
      ? {
        ...alert,
        message: `Transaction ${txHash} of ${sender} on ${code} is in no block: ${why}`,
        advice: { code: "bid_anyway", network: code },
      }
      : {
        ...alert,
        message:
          `Transfer ${place} of ${sender} on ${code} is not mined, and all after it wait: ${why}`,
      },
  );
}
