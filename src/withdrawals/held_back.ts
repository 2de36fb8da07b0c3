import { AccountCurrencies } from "../accounts/tables/accounts.ts";
import { present } from "../base/assert.ts";
import { availableIn } from "../books/records.ts";
import { NotSignedYet } from "../books/stopped.ts";
import { type BalanceRow, Balances } from "../books/table.ts";
import { genuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { inRefundTurn, type Room, roomOf } from "../invoices/refund_room.ts";
import { Invoices } from "../invoices/tables/invoices.ts";
import { Currencies, Networks } from "../networks/table.ts";
import { type HeldBack, heldBackText, whyOff, whyUncovered } from "../payouts/rules/held_back.ts";
import { Refunds } from "../refunds/table.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import type { WithdrawalRow } from "./table.ts";

/** It waits until this has changed. */
export class Held extends NotSignedYet {
  override name = "Held";

  constructor(readonly why: HeldBack) {
    super(heldBackText(why));
  }
}

/** Other refunds of the invoice were asked for meanwhile: whoever looks again knows them too. */
export class RefundsChanged extends NotSignedYet {
  override name = "RefundsChanged";

  constructor(readonly invoiceId: number) {
    super("Other refunds of the invoice were asked for at the same time");
  }
}

/** If its invoice has to change before it is paid. Whatever else it waits for is switched by people. */
export function heldByInvoice(error: unknown): number | undefined {
  if (error instanceof RefundsChanged) return error.invoiceId;
  if (!(error instanceof Held) || error.why.code !== "refund_too_high") return undefined;
  return error.why.invoiceId;
}

/** What was true when a payout was accepted, and has to be true when it is approved and signed. */
export interface Conditions {
  readonly reads: readonly Read[];
  /** In the unit that decides. Undefined: nothing is against it. */
  whyNot(view: View): HeldBack | undefined;
  /** As it was a moment ago, before anything is asked of a node. */
  whyNotYet(): Promise<HeldBack | undefined>;
}

export async function conditionsOf(deps: Deps, row: WithdrawalRow): Promise<Conditions> {
  const { accountId, network, currency } = row;
  const asset = { network, currency };
  const key = [accountId, network, currency];
  const [refund, seen, seenBalance, catalog] = await Promise.all([
    refundOf(deps, row),
    deps.db.find(AccountCurrencies, key),
    deps.db.find(Balances, key),
    deps.catalog.current(),
  ]);
  const uncovered = (balance: BalanceRow | undefined) =>
    balance && whyUncovered(asset, availableIn(balance));
  const reads = [
    ...[read(AccountCurrencies, key), read(Networks, [network]), read(Balances, key)],
    ...[read(Currencies, [network, currency]), ...refund?.room.reads ?? []],
  ];
  const whyNot = (view: View) => {
    const enabled = view.find(AccountCurrencies, key);
    const on = view.get(Networks, [network]);
    const coin = view.get(Currencies, [network, currency]);
    const balance = view.find(Balances, key);
    return whyOff(asset, { network: on, currency: coin, enabled }) ??
      (refund && whyTooHigh(view, { row, ...refund })) ?? uncovered(balance);
  };
  return {
    reads,
    whyNot,
    whyNotYet: async () => {
      const why = whyOff(asset, {
        network: present(catalog.network(network), "Networks stay"),
        currency: present(catalog.currency(network, currency), "Currencies stay"),
        enabled: seen,
      });
      if (why) return why;
      if (refund) {
        return await inRefundTurn(deps, row, () => deps.db.write({ reads, decide: whyNot }));
      }
      return uncovered(seenBalance);
    },
  };
}

/** For people. A row that somebody else changed is an alert of its own, and pauses the currency. */
export async function whyHeldBack(deps: Deps, row: WithdrawalRow): Promise<HeldBack | undefined> {
  try {
    return await (await conditionsOf(deps, row)).whyNotYet();
  } catch (error) {
    if (error instanceof TamperedRow || error instanceof RefundsChanged) return undefined;
    throw error;
  }
}

interface RefundRoom {
  readonly invoiceId: number;
  readonly room: Room;
}

async function refundOf(deps: Deps, row: WithdrawalRow): Promise<RefundRoom | undefined> {
  const link = await deps.db.find(Refunds, [row.id]);
  if (!link) return undefined;
  await genuine(deps, Refunds, [link]);
  const invoice = await deps.db.get(Invoices, [link.invoiceId]);
  await genuine(deps, Invoices, [invoice]);
  return { invoiceId: invoice.id, room: await roomOf(deps, { invoice, asked: row }) };
}

/** Deposits are reversed, by the chain or by an operator, while their refunds wait. */
function whyTooHigh(
  view: View,
  { row, invoiceId, room }: RefundRoom & { row: WithdrawalRow },
): HeldBack | undefined {
  const asset = assetOf(row);
  const { left, isCurrent } = room.leftToSign(view);
  if (!left.isLessThan(Amount.parse(row.amount, asset))) return undefined;
  if (!isCurrent) throw new RefundsChanged(invoiceId);
  return {
    ...{ code: "refund_too_high", invoiceId, currency: row.currency },
    left: left.isNegative() ? Amount.zero(asset) : left,
  };
}
