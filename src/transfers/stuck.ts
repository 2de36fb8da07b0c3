import type { SignedTransactionRow } from "./table.ts";
import { raiseAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";

export async function alertStuck(
  deps: Deps,
  { tx, why }: { tx: SignedTransactionRow; why: string },
): Promise<void> {
  const { sender, place, network } = tx;
  await raiseAlert(deps, {
    kind: "transfer_stuck",
    subject: `${network}/${sender}/${place}`,
    message:
      `Transfer ${place} of ${sender} on ${network} is not mined, and all after it wait: ${why}`,
  });
}
