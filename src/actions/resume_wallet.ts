import { sleep } from "../base/clock.ts";
import { OperatorError } from "../domain/refusal.ts";
import type { WalletState } from "../chains/chain.ts";
import type { AddressRow, NetworkRow } from "../store/rows.ts";
import { Addresses } from "../store/tables.ts";
import { bidsFor, foreignSpendsOf } from "../store/transfer_reads.ts";
import { read } from "../store/workspace.ts";
import { alertRead, closeAlert } from "./_alerts.ts";
import { isMadeAgain } from "./_halt_wallet.ts";
import { lifetimeOf } from "./_next_nonce.ts";
import { checkReadBack, checkUncounted, stateSeen } from "./_read_back.ts";
import { recordAudit } from "./_records.ts";
import { haltedFailing } from "./_withdrawals_failing.ts";
import type { Actor, Deps } from "./deps.ts";
import { cursorOf } from "./follow_network.ts";
import { findNetwork } from "./manage_networks.ts";

export interface ResumeOrder {
  readonly network: string;
  readonly address: string;
  readonly actor: Actor;
  /** Whatever the books cannot explain is not theirs to know, says who looked. */
  readonly isAnyway?: boolean | undefined;
  /** How long our own reading may take to come to where the chain is. */
  readonly waitMs?: number | undefined;
}

const LOOK_EVERY_MS = 250;

/** An operator has found out who used a wallet's key: it goes on where the chain's count of it stands. */
export async function resumeWallet(
  deps: Deps,
  { actor, ...order }: ResumeOrder,
): Promise<AddressRow> {
  const network = await findNetwork(deps, order.network);
  const wallet = await deps.db.find(Addresses, [network.code, order.address], "address");
  if (!wallet) {
    throw new OperatorError(`${order.address} is no address of this gateway on ${network.code}`);
  }
  const { isAnyway, waitMs = 0 } = order;
  const { address } = wallet;
  const { scanHeight, tipHeight } = await cursorOf(deps, network);
  const seenTo = isMadeAgain(wallet) && !isAnyway ? Math.max(scanHeight, tipHeight) : 0;
  const state = await stateSeen(deps, { network, address, seenTo, waitMs });
  const { nonce } = state;
  if (!isAnyway) await checkExplained(deps, { network, wallet, state, seenTo, waitMs });
  const failing = haltedFailing(wallet);
  return await deps.db.write({
    reads: [
      read(Addresses, [wallet.id]),
      alertRead("wallet_halted", wallet.address),
      alertRead(failing.kind, failing.subject),
    ],
    decide: (view) => {
      const row = view.find(Addresses, [wallet.id])!;
      if (row.haltedReason === null) throw new OperatorError(`${wallet.address} is not halted`);
      const nowMs = deps.clock.nowMs();
      closeAlert(view, { kind: "wallet_halted", subject: wallet.address, nowMs });
      closeAlert(view, { ...failing, nowMs });
      recordAudit(view, {
        actor,
        action: "wallet.resumed",
        subject: `address:${wallet.address}`,
        detail: { reason: row.haltedReason, nonce },
        nowMs,
      });
      return view.update(Addresses, row, {
        haltedReason: null,
        nonceFloor: Math.max(row.nonceFloor, nonce),
      });
    },
  });
}

interface Resuming {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  readonly state: WalletState;
}

/** What the books do not know may have paid what waits in them: that would be paid twice. */
async function checkExplained(
  deps: Deps,
  asked: Resuming & { seenTo: number; waitMs: number },
): Promise<void> {
  const { network, wallet, state, waitMs } = asked;
  const { code } = network;
  const { address, nonceFloor } = wallet;
  const anyway = `"wallet resume --network ${code} --address ${address} --anyway"`;
  const otherwise = `${anyway} if you know that none of it paid a withdrawal`;
  const untilMs = performance.now() + waitMs;
  while (!await isRead(deps, { network, wallet, state })) {
    if (performance.now() < untilMs) {
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    const { scanHeight } = await cursorOf(deps, network);
    throw new OperatorError(
      `${code} is read up to block ${scanHeight}, and what ${address} sent up to block ` +
        `${state.height} has to be known first: let the server read on, book what it finds with ` +
        `"wallet adopt", then try again; or ${otherwise}`,
    );
  }
  await checkReadBack(deps, { ...asked, anyway });
  const order = { network: code, sender: address, fromNonce: nonceFloor };
  const [first, ...others] = await foreignSpendsOf(deps.db, order);
  if (!first) return await checkUncounted(deps, { ...asked, anyway });
  const count = others.length === 0 ? "one payment" : `${others.length + 1} payments`;
  throw new OperatorError(
    `${address} sent ${count} that the books do not explain, ${first.txHash} first: ` +
      `"wallet adopt ${first.txHash} --network ${code}" books what was yours, so that nothing ` +
      `is paid twice; or ${otherwise}`,
  );
}

/** All that it had sent, as the chain counted it. A nonce that was read in a block has those before it there too. */
async function isRead(deps: Deps, { network, wallet, state }: Resuming): Promise<boolean> {
  const { scanHeight } = await cursorOf(deps, network);
  if (scanHeight >= state.height) return true;
  if (lifetimeOf(network) !== null) return false;
  if (state.nonce <= wallet.nonceFloor) return true;
  const order = { network: network.code, sender: wallet.address, nonce: state.nonce - 1 };
  return (await bidsFor(deps.db, order)).some(({ blockHash }) => blockHash !== null);
}
