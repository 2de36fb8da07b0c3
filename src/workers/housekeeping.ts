import { watchQuotas } from "../actions/accounts/watch_quotas.ts";
import { addUpCoins } from "../actions/accounts/coins_moved.ts";
import { addUpVolumes } from "../actions/accounts/add_up_volumes.ts";
import { expireApprovals } from "../actions/approvals/expire.ts";
import { expireProposals } from "../actions/proposals/end.ts";
import { checkBook } from "../actions/policies/book.ts";
import { keepMeters } from "../actions/policies/judging.ts";
import { resumeFilling } from "../actions/policies/manage.ts";
import { doAll, doJob, type JobHolder } from "../actions/operations/leases.ts";
import { watchHotWallets } from "../actions/wallets/watch_hot.ts";
import { noteAuditHead } from "../actions/integrity/note_audit_head.ts";
import { remindOfAlerts } from "../actions/notifications/remind.ts";
import { endMissingRates } from "../actions/rates/watch.ts";
import { prune } from "../actions/operations/prune.ts";
import { checkSomeLedgers } from "../actions/reconcile/reconcile.ts";
import type { Deps } from "../actions/deps.ts";

const STEPS: readonly ((deps: Deps) => Promise<unknown>)[] = [
  expireApprovals,
  expireProposals,
  keepPolicyBook,
  prune,
  addUpVolumes,
  addUpCoins,
  noteAuditHead,
  endMissingRates,
  remindOfAlerts,
  watchQuotas,
  checkSomeLedgers,
  // The only one that asks nodes, and not for long.
  watchHotWallets,
];

export async function keepHouse(jobs: JobHolder): Promise<void> {
  await doJob(
    jobs,
    { job: "keep house" },
    (deps) => doAll(STEPS.map((step) => () => step(deps))),
  );
}

async function keepPolicyBook(deps: Deps): Promise<void> {
  if (!await checkBook(deps)) return;
  await resumeFilling(deps);
  await keepMeters(deps);
}
