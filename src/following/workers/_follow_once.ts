import type { Metrics } from "../../base/metrics.ts";
import { cursorOf } from "../../books/find.ts";
import { confirmDeposits } from "../../deposits/confirm.ts";
import { failOvertakenDeposits, forgetInputs } from "../../deposits/fail_overtaken.ts";
import { noteMissedSpends } from "../../deposits/note_missed_spends.ts";
import { failVanishedDeposits } from "../../deposits/fail_vanished.ts";
import type { Deps } from "../../deps/deps.ts";
import { checkTokens } from "../check_tokens.ts";
import { followNetwork } from "../follow_network.ts";
import { waitForReadAhead } from "../read_ahead.ts";
import type { Follower } from "./_follower_faults.ts";
import { genuineSetUp } from "../../integrity/genuine_set_up.ts";
import type { NetworkRow } from "../../networks/table.ts";
import { closeSpentOutputs } from "../../outputs/close_spent.ts";
import { dropOrphaned } from "../../settlement/drop_orphaned.ts";
import { dropOvertaken } from "../../settlement/drop_overtaken.ts";
import { expireTransfers } from "../../settlement/expire_transfers.ts";
import { settleTransfers } from "../../settlement/settle_transfers.ts";
import { TamperedRow } from "../../store/engine/tampered_row.ts";
import { sweepDeposits } from "../../sweeps/sweep.ts";
import { fillNonceGaps } from "../../transfers/fill_nonce_gaps.ts";
import { outbidStuck } from "../../transfers/outbid_stuck.ts";
import { signLostAgain } from "../../transfers/sign_lost_again.ts";
import { watchFees } from "../../transfers/watch_fees.ts";
import { doSteps, type JobHolder } from "../../upkeep/leases.ts";
import { resumeWithdrawals } from "../../withdrawals/resume.ts";

const STEPS_PER_ROUND_MAX = 50;

export interface Round {
  readonly network: NetworkRow;
  readonly follower: Follower;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  readonly jobs: JobHolder;
}

export async function followOnce(deps: Deps, { network, follower, signal }: Round): Promise<void> {
  const catalog = await genuineSetUp(deps, network).catch(nothingIfTampered);
  // The failure has been reported.
  if (!catalog) return;
  if (network.isActive) {
    const config = JSON.stringify([network.rpcUrls, catalog.version]);
    if (follower.tokensCheckedFor !== config && await checkTokens(deps, network)) {
      follower.tokensCheckedFor = config;
    }
  }
  // A switched-off network accepts nothing new, but finishes what is in flight.
  try {
    for (let step = 0; step < STEPS_PER_ROUND_MAX && !signal.aborted; step++) {
      const followed = await followNetwork(deps, network, step === 0 ? follower.pushed : undefined);
      if (followed.isQuiet && step === 0) return;
      await confirmDeposits(deps, network);
      if (followed.isCaughtUp) break;
    }
  } finally {
    await waitForReadAhead(deps, network);
  }
  const { haltedReason } = await cursorOf(deps, network);
  if (signal.aborted || haltedReason !== null) return;
  const errors = await doSteps(STEPS.map((step) => () => step(deps, network)));
  if (errors.length > 0) throw errors[0];
}

function nothingIfTampered(error: unknown): undefined {
  if (!(error instanceof TamperedRow)) throw error;
}

/** What follows from new blocks. */
const STEPS = [
  failVanishedDeposits,
  noteMissedSpends,
  failOvertakenDeposits,
  settleTransfers,
  signLostAgain,
  expireTransfers,
  dropOvertaken,
  dropOrphaned,
  resumeWithdrawals,
  fillNonceGaps,
  outbidStuck,
  sweepDeposits,
  watchFees,
  closeSpentOutputs,
  forgetInputs,
] as const;
