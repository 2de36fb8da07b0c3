import { HAND_KEY_PREFIX } from "../access/manage_api_keys.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { InvoiceRow } from "../invoices/tables/invoices.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import type { Deps } from "../deps/deps.ts";
import { refundByHand } from "../refunds/by_hand.ts";
import { dustTest } from "../refunds/dust.ts";
import { refundableOf } from "../refunds/refundable.ts";
import { type HandOrder, withdrawByHand } from "../withdrawals/by_hand.ts";
import { type NotPayable, whyNotPayableNow } from "../withdrawals/payable_now.ts";
import { type CheckedPayout, checkPayout, type PayoutWish } from "./check.ts";

interface PaymentOrder extends HandOrder {
  /** It gives back what was paid for this. */
  readonly refundOf?: InvoiceRow;
}

export type Paid =
  | { readonly kind: "paid"; readonly row: WithdrawalRow }
  /** Nothing was written. */
  | { readonly kind: "faults"; readonly checked: CheckedPayout }
  | { readonly kind: "not_payable"; readonly why: NotPayable };

/** The withdrawal that somebody made in the dashboard with this reference. */
function madeByHand(
  { db }: Pick<Deps, "db">,
  { accountId, clientReference }: HandOrder,
): Promise<WithdrawalRow | undefined> {
  return db.find(Withdrawals, [`${HAND_KEY_PREFIX}${accountId}`, clientReference], "reference");
}

/** Pays once, however often it is called, and leaves nothing behind if it can't be paid now. */
export async function payByHand(deps: Deps, order: PaymentOrder): Promise<Paid> {
  if (!await madeByHand(deps, order)) {
    const { refundOf } = order;
    const [room, isDust] = refundOf
      ? await Promise.all([roomIn(deps, { ...order, refundOf }), dustTest(deps, order)])
      : [];
    const checked = await checkPayout(deps, { ...order, room, isDust });
    if (checked.faults.length > 0) return { kind: "faults", checked };
    const amount = checked.amount.toString();
    const why = await whyNotPayableNow(deps, { ...order, ...await spelled(deps, order), amount });
    if (why) return { kind: "not_payable", why };
  }
  const { refundOf, ...rest } = order;
  const row = refundOf
    ? await refundByHand(deps, { ...rest, invoiceId: refundOf.id })
    : await withdrawByHand(deps, rest);
  return { kind: "paid", row };
}

async function roomIn(
  deps: Deps,
  { refundOf, ...wish }: PayoutWish & { refundOf: InvoiceRow },
): Promise<Amount> {
  const coin = await spelled(deps, wish);
  const all = await refundableOf(deps, refundOf);
  const asset = assetOf(coin);
  return all.find(({ left }) => left.asset === asset)?.left ?? Amount.zero(asset);
}

/** Network and currency as they are listed. */
async function spelled(
  { catalog }: Deps,
  { network, currency }: PayoutWish,
): Promise<{ network: string; currency: string }> {
  const listed = await catalog.current();
  const code = listed.network(network)?.code ?? network;
  return { network: code, currency: listed.currency(code, currency)?.symbol ?? currency };
}
