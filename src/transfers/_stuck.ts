import type { SignedTransferRow } from "./table.ts";
import { raiseAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";

export async function alertStuck(
  deps: Deps,
  { transfer, why }: { transfer: SignedTransferRow; why: string },
): Promise<void> {
  const { sender, nonce, network } = transfer;
  await raiseAlert(deps, {
    kind: "transfer_stuck",
    subject: `${network}/${sender}/${nonce}`,
    message:
      `Transfer ${nonce} of ${sender} on ${network} is not mined, and all after it wait: ${why}`,
  });
}
