import { judgeDue } from "../actions/invoices/judge_due.ts";
import { doJob, type JobHolder } from "../actions/operations/leases.ts";

export async function judgeInvoices(jobs: JobHolder): Promise<void> {
  await doJob(jobs, { job: "judge invoices" }, judgeDue);
}
