import { watchQuotas } from "../accounts/watch_quotas.ts";
import { addUpCoins } from "../accounts/coins_moved.ts";
import { addUpVolumes } from "../accounts/add_up_volumes.ts";
import { addUpCosts } from "../costs/add_up.ts";
import { expireApprovals } from "../approvals/expire.ts";
import { expireProposals } from "../proposals/end.ts";
import { checkBook } from "../policies/book.ts";
import { keepMeters } from "../policies/judging.ts";
import { resumeFilling } from "../policies/manage.ts";
import { doAll, doJob, type JobHolder } from "./leases.ts";
import { watchHotWallets } from "../wallets/watch_hot.ts";
import { noteAuditHead } from "../integrity/note_audit_head.ts";
import { remindOfAlerts } from "../notifications/remind.ts";
import { endMissingRates } from "../rates/watch.ts";
import { prune } from "./prune.ts";
import { checkSomeLedgers } from "../reconcile/reconcile.ts";
import type { Deps } from "../deps/deps.ts";

const STEPS: readonly ((deps: Deps) => Promise<unknown>)[] = [
  expireApprovals,
  expireProposals,
  keepPolicyBook,
  prune,
  addUpVolumes,
  addUpCoins,
  addUpCosts,
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
