import { sendDueNotices } from "../actions/notifications/send_due.ts";
import { doJob, type JobHolder } from "../actions/operations/leases.ts";

export async function sendNotices(jobs: JobHolder): Promise<void> {
  await doJob(jobs, { job: "send notices" }, sendDueNotices);
}
