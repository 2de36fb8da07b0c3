import type { WithdrawalRow } from "../withdrawals/table.ts";
import type { Deps } from "../deps/deps.ts";
import { type HandOrder, payAs } from "../withdrawals/by_hand.ts";
import { handKeyOf } from "../access/manage_api_keys.ts";
import type { Actor } from "../deps/deps.ts";
import { makeRefundLink } from "./links.ts";
import { refundInvoice } from "./refund.ts";

/** With the same checks, hold and sending as through the API. */
export async function refundByHand(
  deps: Deps,
  { invoiceId, ...order }: HandOrder & { invoiceId: number },
): Promise<WithdrawalRow> {
  return await payAs(deps, order, async (input) => {
    const { isOfInvoice, ...made } = await refundInvoice(deps, { ...input, invoiceId });
    return { ...made, isOther: !isOfInvoice };
  });
}

interface LinkWish {
  readonly accountId: number;
  readonly invoiceId: number;
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
  readonly actor: Actor;
}

/** A page on which the payer says where to. */
export async function makeRefundLinkByHand(
  deps: Deps,
  { accountId, actor, ...asked }: LinkWish,
): Promise<string> {
  const keyId = await handKeyOf(deps, { accountId, actor });
  const caller = { accountId, keyId, actor, signature: null };
  return await makeRefundLink(deps, { ...asked, caller });
}
