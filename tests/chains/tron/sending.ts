import type { Chain } from "../../../src/chains/chain.ts";
import type { SignedTransfer, TransferRequest } from "../../../src/chains/transfer.ts";
import { connectTron } from "../../../src/chains/tron/mod.ts";
import type { TronNode } from "../../support/tron_node/start.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";

export const sender = makeTronWallet(1);
export const receiver = makeTronWallet(2).address;
export const TRX = 1_000_000n;

/** The sender has coins, the receiver was used before. */
export function fundBoth(node: TronNode, sun = 1_000n * TRX): void {
  node.fund(sender.address, sun);
  node.fund(receiver, 1n);
}

export function chainOf(...urls: readonly string[]): Chain {
  return connectTron({ rpcUrls: urls, timeoutMs: 10_000 });
}

type Order = Partial<Omit<TransferRequest, "from">> & { readonly laterMs?: number };

export async function makeTransfer(chain: Chain, order: Order = {}): Promise<SignedTransfer> {
  const { laterMs = 0, to = receiver, contract = null, amountRaw = 5n * TRX } = order;
  const preflight = await chain.prepareTransfer({ from: sender.address, to, contract, amountRaw });
  if (preflight.kind === "refused") throw new Error(preflight.reason);
  const { nonce: nowMs } = await chain.walletState(sender.address, []);
  const nonce = nowMs + 600_000 + laterMs;
  return await chain.signTransfer(preflight.prepared, { nonce, signer: sender.signer });
}

/** Sets the answer to this method. */
export function answering(path: string, body: unknown) {
  return (call: { readonly path: string }) =>
    call.path === path ? { body: JSON.stringify(body) } : undefined;
}
