/** A client for CPG, for Node 20 and later, Deno, Bun and workers. */
export { Cpg, type CpgOptions } from "./cpg.ts";
export {
  CpgError,
  type FieldFault,
  NoAnswerError,
  ReferenceUsedError,
  RefusedError,
  WebhookError,
  WithdrawalFailedError,
} from "./errors.ts";
export { Rows } from "./rows.ts";
export { type VerifyOptions, verifyWebhook } from "./webhook.ts";
export type * from "./events.ts";
export type * from "./invoices.ts";
export type * from "./requests.ts";
export type * from "./types.ts";
