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
import type { Metrics } from "../base/metrics.ts";

export async function keepHouse(jobs: JobHolder, metrics: Metrics): Promise<void> {
  await doJob(jobs, { job: "keep house" }, async (deps) => {
    await expireApprovals(deps);
    await expireProposals(deps);
    if (await checkBook(deps)) {
      await resumeFilling(deps);
      await keepMeters(deps);
    }
    await prune(deps);
    await addUpVolumes(deps);
    await measureWallets(deps, metrics);
    await fillHotWallets(deps);
    await watchHotWallets(deps);
    await reconcileSome(deps);
    await noteAuditHead(deps);
    await endMissingRates(deps);
    await remindOfAlerts(deps);
  });
}
