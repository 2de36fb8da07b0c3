import type { ApiClient } from "../support/api_client.ts";
import type { Ground } from "./ground.ts";

/** What a merchant asked for, whatever was answered. */
export interface Payout {
  readonly reference: string;
  /** Sent once, without a reference, which is only a name here. */
  readonly isOnce?: boolean;
  readonly network: string;
  readonly currency: string;
  readonly to: string;
  readonly amount: string;
}

export interface EventSeen {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  // deno-lint-ignore no-explicit-any -- whatever the event's type says
  readonly data: any;
  /** How often the books had been restored before. */
  readonly restores: number;
}

export interface MerchantBooks {
  readonly name: string;
  readonly account: string;
  readonly api: ApiClient;
  readonly hook: string;
  readonly webhookSecret: string;
  /** By network. */
  readonly places: ReadonlyMap<string, Place>;
  /** What the operator gave of each currency. */
  readonly float: string;
  readonly keyId: string;
  readonly payouts: Map<string, Payout>;
  /** References of payouts that were booked again after a restore. */
  readonly adopted: Set<string>;
  readonly invoices: Map<number, Invoiced>;
  readonly events: EventSeen[];
}

/** What a merchant knows of an invoice, and of the refunds that it asked for. */
export interface Invoiced {
  readonly id: number;
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
  readonly address: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Undefined: a restore may have undone it. */
  isCancelled: boolean | undefined;
  cancelledAtMs: number;
  /** By reference, of those that were accepted. */
  readonly refunds: Map<string, string>;
}

/** What a merchant has on one network. */
export interface Place {
  /** With the time of the answer. */
  readonly addresses: Map<string, number>;
  hotWallet: string;
  receiver: string;
  /** All that its receiving wallet ever was. */
  readonly receivers: Set<string>;
}

export function placeOf({ places }: MerchantBooks, { network }: Ground): Place {
  const place = places.get(network);
  if (!place) throw new Error(`Nothing of this merchant is on ${network}`);
  return place;
}

export interface Withdrawal {
  readonly id: number;
  readonly network: string;
  readonly requested_at: string;
  readonly status: string;
  readonly currency: string;
  readonly amount: string;
  readonly fee: string;
  readonly to_address: string;
  readonly tx_hash: string | null;
  readonly client_reference: string | null;
}

export async function withdrawalsOf(api: ApiClient, query = ""): Promise<Withdrawal[]> {
  const rows: Withdrawal[] = [];
  for (let cursor: number | null = null;;) {
    const at: string = cursor === null ? "" : `&cursor=${cursor}`;
    const { body } = await api.get(`/v1/withdrawals?limit=200${query}${at}`);
    rows.push(...body.data);
    cursor = body.next_cursor;
    if (cursor === null) return rows;
  }
}

/** Of an amount, more than any currency has. */
export const DIGITS = 40;

/** Exact, with room for every digit that an amount may have. */
export function units(text: string): bigint {
  const [, sign = "", whole = "0", rest = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const raw = BigInt(whole + rest.padEnd(DIGITS, "0"));
  return sign === "-" ? -raw : raw;
}

export function shown(raw: bigint): string {
  const digits = String(raw < 0n ? -raw : raw).padStart(DIGITS + 1, "0");
  const text = `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`.replace(/\.?0+$/, "");
  return raw < 0n ? `-${text}` : text;
}

/** Whether a payout in the books is what was asked for. */
export function isOrder(
  row: Pick<Withdrawal, "network" | "currency" | "amount" | "to_address">,
  { payout, ground }: { payout: Payout; ground: Ground },
): boolean {
  return payout.network === row.network && payout.currency === row.currency &&
    ground.same(payout.to) === ground.same(row.to_address) &&
    units(payout.amount) === units(row.amount);
}
