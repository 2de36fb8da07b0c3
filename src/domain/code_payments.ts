/** What became of an account's payments to one recipient whose code runs when it is paid. */
export interface CodeRecord {
  /** Signed, and in no block yet. */
  readonly waiting: number;
  readonly paid: number;
  /** Within a day. */
  readonly failed: number;
}

/** So many may be under way to one recipient; each that arrived allows one more. */
const AT_ONCE = 2;
/** So many of one account may be under way to recipients that never took one, or have failed. */
const UNPROVEN_MAX = 20;

type CodeRefusal = "recipient" | "account";

/**
 * Code may take coins when a payment is tried out, and burn all of its gas in the block. What is signed
 * before the first of them is mined cannot be called back, so few are signed.
 */
export function refusalOfCode(
  records: ReadonlyMap<string, CodeRecord>,
  to: string,
): CodeRefusal | undefined {
  const { waiting = 0, paid = 0 } = records.get(to) ?? {};
  if (waiting >= AT_ONCE + paid) return "recipient";
  if (paid > 0) return undefined;
  let unproven = 0;
  for (const record of records.values()) {
    unproven += record.failed + (record.paid > 0 ? 0 : record.waiting);
  }
  return unproven >= UNPROVEN_MAX ? "account" : undefined;
}
