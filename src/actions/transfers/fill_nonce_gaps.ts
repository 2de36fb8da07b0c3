import type { NetworkRow } from "../../store/tables/setup.ts";
import { type SignedTransferRow, SignedTransfers } from "../../store/tables/signed_transfers.ts";
import { Addresses } from "../../store/tables/addresses.ts";
import { heldCostsOf, openTransfersOfNetwork } from "../../store/reads/transfers.ts";
import { CannotPay } from "../books/cannot_pay.ts";
import { lifetimeOf } from "./next_nonce.ts";
import { preflightTransfer } from "./preflight.ts";
import { sendTransfer } from "./send.ts";
import { AlreadyMoved, signTransfer } from "./sign.ts";
import { isStopped, SigningPaused } from "../books/stopped.ts";
import type { Deps } from "../deps.ts";

const GAP_OLDER_THAN_MS = 10_000;
/** Each costs gas, and for nonces far below what was signed there may only be one node's word. */
const GAPS_AT_ONCE_MAX = 20;

/**
 * An unused nonce below a pending one blocks the wallet forever. If no withdrawal has used it after
 * a while, the wallet sends itself an empty transfer.
 */
export async function fillNonceGaps(deps: Deps, network: NetworkRow): Promise<number> {
  if (lifetimeOf(network) !== null || await isStopped(deps)) return 0;
  const open = await openTransfersOfNetwork(deps.db, network.code);
  const waiting = open.filter((row) =>
    row.blockHash === null && deps.clock.nowMs() - row.createdAtMs >= GAP_OLDER_THAN_MS
  );
  let filled = 0;
  for (const [sender, rows] of Map.groupBy(waiting, (row) => row.sender)) {
    filled += await fillWallet(deps, { network, sender, rows });
  }
  return filled;
}

async function fillWallet(
  deps: Deps,
  { network, sender, rows }: {
    network: NetworkRow;
    sender: string;
    rows: readonly SignedTransferRow[];
  },
): Promise<number> {
  const chain = deps.chains.of(network);
  const { nonce: next } = await chain.walletState(sender, []);
  const held = await heldCostsOf(deps.db, { network: network.code, sender, fromNonce: next });
  const taken = new Set(held.map(({ nonce }) => nonce));
  const highest = Math.max(...rows.map((row) => row.nonce));
  const gaps: number[] = [];
  for (let nonce = next; nonce < highest && gaps.length < GAPS_AT_ONCE_MAX; nonce++) {
    if (!taken.has(nonce)) gaps.push(nonce);
  }
  const wallet = await deps.db.find(Addresses, [network.code, sender], "address");
  if (gaps.length === 0 || !wallet) return 0;
  const request = { from: sender, to: sender, contract: null, amountRaw: 0n };
  const preflight = await preflightTransfer(deps, { network, chain, request });
  if (preflight.kind === "refused") return 0;
  for (const nonce of gaps) {
    const holder = await deps.db.find(SignedTransfers, [network.code, sender, nonce], "nonce");
    if (holder) continue;
    try {
      const order = {
        network,
        wallet,
        chain,
        prepared: preflight.prepared,
        nonce,
      };
      const saved = await signTransfer(deps, { ...order, purpose: "void" });
      const result = await sendTransfer(deps, { chain, transfer: saved });
      deps.log.warn("nonce filled", { network: network.code, sender, nonce, result });
    } catch (error) {
      if (error instanceof AlreadyMoved) continue;
      if (error instanceof SigningPaused) return 0;
      if (!(error instanceof CannotPay)) throw error;
      deps.log.error("nonce gap cannot be filled", {
        network: network.code,
        sender,
        nonce,
        error: error.message,
      });
      return 0;
    }
  }
  return gaps.length;
}
