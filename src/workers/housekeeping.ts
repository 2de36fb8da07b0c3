import { addUpVolumes } from "../actions/accounts/add_up_volumes.ts";
import { expireApprovals } from "../actions/approvals/expire.ts";
import { expireProposals } from "../actions/proposals/end.ts";
import { checkBook } from "../actions/policies/book.ts";
import { keepMeters } from "../actions/policies/judging.ts";
import { resumeFilling } from "../actions/policies/manage.ts";
import { fillHotWallets } from "../actions/transfers/fill_hot_wallets.ts";
import { doJob, type JobHolder } from "../actions/operations/leases.ts";
import { measureWallets } from "../actions/wallets/measure.ts";
import { watchHotWallets } from "../actions/wallets/watch_hot.ts";
import { noteAuditHead } from "../actions/integrity/note_audit_head.ts";
import { remindOfAlerts } from "../actions/notifications/remind.ts";
import { endMissingRates } from "../actions/rates/watch.ts";
import { prune } from "../actions/operations/prune.ts";
import { reconcileSome } from "../actions/reconcile/reconcile.ts";
import type { Deps } from "../actions/deps.ts";
import type { Metrics } from "../base/metrics.ts";

/** Those that ask nodes come last: they take the longest. */
const STEPS: readonly ((deps: Deps, metrics: Metrics) => Promise<unknown>)[] = [
  expireApprovals,
  expireProposals,
  keepPolicyBook,
  prune,
  addUpVolumes,
  noteAuditHead,
  endMissingRates,
  remindOfAlerts,
  measureWallets,
  fillHotWallets,
  watchHotWallets,
  reconcileSome,
];

/** A step that fails doesn't stop the others. */
export async function keepHouse(jobs: JobHolder, metrics: Metrics): Promise<void> {
  await doJob(jobs, { job: "keep house" }, async (deps) => {
    const errors: unknown[] = [];
    for (const step of STEPS) await step(deps, metrics).catch((error) => errors.push(error));
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join("; "));
    if (errors.length > 0) throw errors[0];
  });
}

async function keepPolicyBook(deps: Deps): Promise<void> {
  if (!await checkBook(deps)) return;
  await resumeFilling(deps);
  await keepMeters(deps);
}
