import { first } from "../base/lists.ts";
import { isStopped, NotSignedYet } from "../books/stopped.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import type { NetworkRow } from "../networks/table.ts";
import { familyOf } from "../chains/registry.ts";
import { alertStuck } from "./stuck.ts";
import { preflightTransfer } from "./preflight.ts";
import { heldFrom, isPlaceHeld } from "./reads/places.ts";
import { openTransactions } from "./reads/transfers.ts";
import { AlreadyMoved, type SigningOrder } from "./save_signed.ts";
import { sendTransfer } from "./send.ts";
import { signTransfer } from "./sign.ts";
import { UNBOOKED_NONCES_MAX } from "./rules/unbooked.ts";
import type { SignedTransactionRow } from "./table.ts";
import { Addresses } from "../wallets/tables/addresses.ts";

const GAP_OLDER_THAN_MS = 10_000;
/** Each costs gas, and for nonces far below what was signed there may only be one node's word. */
const GAPS_AT_ONCE_MAX = 20;

/**
 * An unused nonce below a pending one blocks the wallet forever. If no withdrawal has used it after
 * a while, the wallet sends itself an empty transfer.
 */
export async function fillNonceGaps(deps: Deps, network: NetworkRow): Promise<number> {
  if (!familyOf(network.family).hasNonces || await isStopped(deps)) return 0;
  const open = await openTransactions(deps.db, network.code);
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
    rows: readonly SignedTransactionRow[];
  },
): Promise<number> {
  const chain = deps.chains.of(network);
  const { nonce: next } = await chain.walletState(sender, []);
  const held = await heldFrom(deps.db, { network: network.code, sender, fromPlace: next });
  const gaps = gapsBetween(next, { rows, taken: new Set(held.map(({ place }) => place)) });
  const wallet = await deps.db.find(Addresses, [network.code, sender], "address");
  if (gaps.length === 0 || !wallet) return 0;
  // An address signs its next nonce, so it has hardly any gaps; each costs a top-up as well.
  if (wallet.purpose === "deposit" && gaps.length > UNBOOKED_NONCES_MAX) {
    const why =
      "too many nonces below it are unused to be filled: its key is used elsewhere, or a " +
      "node lied about them";
    await alertStuck(deps, { tx: first(rows), why });
    return 0;
  }
  const request = { from: sender, to: sender, contract: null, amountRaw: 0n };
  const preflight = await preflightTransfer(deps, { network, chain, request });
  if (preflight.kind === "refused") return 0;
  for (const place of gaps) {
    const { prepared } = preflight;
    const payments = [{ purpose: "void" as const }];
    if (!await fillGap(deps, { network, wallet, chain, prepared, place, payments })) {
      return 0;
    }
  }
  return gaps.length;
}

function gapsBetween(
  next: number,
  { rows, taken }: { rows: readonly SignedTransactionRow[]; taken: ReadonlySet<number> },
): number[] {
  const highest = Math.max(...rows.map((row) => row.place));
  const gaps: number[] = [];
  for (let nonce = next; nonce < highest && gaps.length < GAPS_AT_ONCE_MAX; nonce++) {
    if (!taken.has(nonce)) gaps.push(nonce);
  }
  return gaps;
}

/** False: this wallet can't sign now, so its other gaps wait too. */
async function fillGap(
  deps: Deps,
  gap: SigningOrder & { place: number },
): Promise<boolean> {
  const { network: { code: network }, wallet: { address: sender }, chain, place: nonce } = gap;
  if (await isPlaceHeld(deps.db, { network, sender, place: nonce })) return true;
  try {
    const { tx } = await signTransfer(deps, gap);
    const result = await sendTransfer(deps, { chain, tx });
    deps.log.warn("nonce filled", { network, sender, nonce, result });
    return true;
  } catch (error) {
    if (error instanceof AlreadyMoved) return true;
    if (error instanceof NotSignedYet) return false;
    if (!(error instanceof CannotPay)) throw error;
    const { message } = error;
    deps.log.error("nonce gap cannot be filled", { network, sender, nonce, error: message });
    return false;
  }
}
