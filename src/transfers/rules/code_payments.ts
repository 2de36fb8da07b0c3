/** An account's payments to one recipient whose code runs when it is paid. */
export interface CodeRecord {
  /** Signed, but in no block yet. */
  readonly waiting: number;
  readonly paid: number;
  /** Within a day. */
  readonly failed: number;
}

/** The limit of unmined payments to one recipient; each that succeeded raises it by one. */
const AT_ONCE = 2;
/** The account's limit of unmined payments to recipients that never took one or have failed. */
const UNPROVEN_MAX = 20;

type CodeRefusal = "recipient" | "account";

/**
 * Code may accept coins in a trial and burn all its gas in the block. Signed payments can't be
 * recalled, so few are signed before the first one is mined.
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
