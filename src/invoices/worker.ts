import { judgeDue } from "./judge_due.ts";
import { doJob, type JobHolder } from "../upkeep/leases.ts";

export async function judgeInvoices(jobs: JobHolder): Promise<void> {
  await doJob(jobs, { job: "judge invoices" }, judgeDue);
}
