import { sendDueNotices } from "./send_due.ts";
import { doJob, type JobHolder } from "../upkeep/leases.ts";

export async function sendNotices(jobs: JobHolder): Promise<void> {
  await doJob(jobs, { job: "send notices" }, sendDueNotices);
}
