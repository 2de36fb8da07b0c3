import { Accounts, ReceivingWallets } from "../accounts/tables/accounts.ts";
import { present } from "../base/assert.ts";
import { allDone } from "../base/waiting/all_done.ts";
import { balanceRead } from "../books/records.ts";
import { Balances, LedgerEntries, type LedgerEntryRow } from "../books/table.ts";
import { genuine, isGenuine, reportTampered } from "../books/tampered.ts";
import { receiverOf } from "../accounts/receiver.ts";
import { familyOf, rulesOf } from "../chains/registry.ts";
import type { PreparedTransfer, TransferRequest } from "../chains/transfer.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPayYet } from "../domain/cannot_pay.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { checkAccountNoted } from "../integrity/account_noted.ts";
import { checkLedgerFollows } from "../integrity/ledger_follows.ts";
import { keepStopped } from "../integrity/manage_stop.ts";
import { isNeverSigned, isUnsigned, UnprovenWithdrawal } from "../integrity/never_signed.ts";
import { UnnotedPayment, unnotedPayment } from "../integrity/payment_noted.ts";
import { Currencies, type CurrencyRow, type NetworkRow, Networks } from "../networks/table.ts";
import { tampered } from "../store/engine/tampered_row.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { type SweepRow, Sweeps } from "../sweeps/table.ts";
import { type Signed, type SignedPaymentRow, SignedPayments, SignedTransactions } from "./table.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";

/** What is to be signed, by which wallet and for what. */
export interface Spend {
  readonly network: NetworkRow;
  /** Signs it and pays its fee. */
  readonly wallet: AddressRow;
  readonly prepared: PreparedTransfer;
  /** What it does, order by order; nothing if it deploys or releases. */
  readonly payments: readonly NewPayment[];
  /** The newest bytes with the claims that these compete for. */
  readonly outbids?: Signed;
}

/** One order of a transaction. */
export interface NewPayment {
  readonly purpose: SignedPaymentRow["purpose"];
  readonly withdrawalId?: number | null;
  readonly sweepId?: number | null;
  /** In a batch: from where to where. Otherwise it is what was prepared. */
  readonly part?: PaymentPart;
}

type Asked = Pick<TransferRequest, "from" | "to" | "contract" | "amountRaw">;

interface PaymentPart extends Asked {
  /** Whose coins move. Not for a bid: the bytes are the ones that were signed. */
  readonly holder?: AddressRow;
}

export function askedBy(
  { prepared: { request } }: Pick<Spend, "prepared">,
  { part }: NewPayment,
): Asked {
  return part ?? request;
}

/** What a signature requires in the books, checked in the unit that saves it. */
export interface Authority {
  readonly reads: readonly Read[];
  /** Throws unless genuine rows ask for exactly this. */
  check(view: View): void;
}

/** Nothing is signed unless genuine rows of the books ask for it. */
export async function authorityOf(deps: Deps, spend: Spend): Promise<Authority> {
  const { network, wallet, payments, outbids } = spend;
  const { from } = spend.prepared.request;
  if (!await isGenuine(deps, Networks, network)) throw tampered(Networks, network);
  if (!await isGenuine(deps, Addresses, wallet)) throw tampered(Addresses, wallet);
  if (outbids) {
    await genuine(deps, SignedTransactions, [outbids.tx]);
    await genuine(deps, SignedPayments, outbids.payments);
  }
  // A bid moves what the outbid bytes move. No account's row that was changed since keeps a batch
  // of sweeps from being mined; withdrawals that share bytes are of one account, and are looked at.
  const asked = outbids
    ? payments.filter(({ part, purpose }) => !part || purpose === "withdrawal")
    : payments;
  const parts = await Promise.all(asked.map((payment) => partAuthority(deps, spend, payment)));
  const own = holderAuthority(network, { holder: wallet, from });
  return {
    reads: [own, ...parts].flatMap(({ reads }) => reads),
    check: (view) => {
      for (const { check } of [own, ...parts]) check(view);
    },
  };
}

async function partAuthority(
  deps: Deps,
  spend: Spend,
  payment: NewPayment,
): Promise<Authority> {
  const { network } = spend;
  const { part } = payment;
  const isSenders = !part || spend.outbids !== undefined;
  const holder = isSenders ? spend.wallet : present(part.holder, "Only bids have none");
  const request = askedBy(spend, payment);
  const catalog = await deps.catalog.current();
  const listed = catalog.currencyByContract(network.code, request.contract);
  const currency = present(listed, "Currencies stay");
  if (!await isGenuine(deps, Currencies, currency)) throw tampered(Currencies, currency);
  if (!await isGenuine(deps, Addresses, holder)) throw tampered(Addresses, holder);
  const own = await ownAuthority(deps, { spend, payment, holder, request, currency });
  const held = holderAuthority(network, { holder, from: request.from });
  return {
    reads: [...held.reads, ...own.reads],
    check: (view) => {
      held.check(view);
      own.check(view);
    },
  };
}

/** Whose coins move. Nothing is signed for an account whose row somebody else changed. */
function holderAuthority(
  network: NetworkRow,
  { holder: { id, accountId }, from }: { holder: AddressRow; from: string },
): Authority {
  return {
    reads: [
      read(Addresses, [id]),
      ...accountId === null ? [] : [read(Accounts, [accountId])],
    ],
    check: (view) => {
      if (accountId !== null) view.find(Accounts, [accountId]);
      const row = view.get(Addresses, [id]);
      if (row.address !== from || row.network !== network.code) throw new Changed();
    },
  };
}

/** The rows are genuine, but were legitimately changed since this was prepared. */
class Changed extends CannotPayYet {
  constructor() {
    super("The order has changed since it was prepared");
  }
}

interface Order {
  readonly spend: Spend;
  readonly payment: NewPayment;
  /** Whose coins move. */
  readonly holder: AddressRow;
  readonly request: Asked;
  readonly currency: CurrencyRow;
}

async function ownAuthority(deps: Deps, order: Order): Promise<Authority> {
  const { spend: { outbids }, payment: { purpose, withdrawalId, sweepId } } = order;
  if (purpose === "withdrawal") {
    const row = await deps.db.get(Withdrawals, [present(withdrawalId, "It pays one")]);
    if (!outbids) {
      // All that they report is recorded before anybody learns that the payment failed.
      await allDone([
        neverSigned(deps, row),
        checkLedgerFollows(deps, row),
        checkWalletNoted(deps, order.holder),
        checkAccountNoted(deps, row),
      ]);
    }
    return payoutAuthority(order, row);
  }
  if (purpose === "sweep") {
    const row = await deps.db.get(Sweeps, [present(sweepId, "It sends one")]);
    return sweepAuthority(order, row);
  }
  return purpose === "gas_topup" ? topUpAuthority(order) : voidAuthority(order);
}

/** A withdrawal that was put back to before its payment is not paid again, nor marked as failed. */
export async function neverSigned(deps: Deps, order: WithdrawalRow): Promise<void> {
  if (await isNeverSigned(deps, order)) {
    return await keepStopped(deps, () => isNeverSigned(deps, order));
  }
  // If another instance has just taken it on, the row shows that.
  const row = await deps.db.get(Withdrawals, [order.id]);
  if (!isUnsigned(row)) return;
  const fault = new UnprovenWithdrawal(row);
  await reportTampered(deps, fault);
  throw fault;
}

const ENDS = ["release", "debit"] as const;

function payoutAuthority(
  { spend: { network, outbids }, holder, request, currency }: Order,
  { id, ...asset }: WithdrawalRow,
): Authority {
  const entryRead = (kind: string) => read(LedgerEntries, [id, kind], "withdrawal");
  return {
    reads: [
      read(Withdrawals, [id]),
      balanceRead(asset),
      ...["hold", ...ENDS].map(entryRead),
    ],
    check: (view) => {
      const row = view.get(Withdrawals, [id]);
      // Others were first; `claim` will notice.
      if (!outbids && !isUnsigned(row)) return;
      const name = assetOf(row);
      const amount = Amount.parse(row.amount, name);
      const isAsked = row.network === network.code && row.currency === currency.symbol &&
        rulesOf(network).canonicalAddress(row.toAddress) === request.to &&
        // Decimals may have been corrected since the first bid, so they aren't compared.
        (outbids !== undefined || amount.toRaw(currency.decimals) === request.amountRaw);
      const isPayer = holder.purpose === "hot" && holder.accountId === row.accountId;
      const isOwed = isHeld(view, row) || (outbids !== undefined && isDebited(view, row));
      if (!isOwed) throw tampered(Withdrawals, row);
      if (!isAsked || !isPayer) throw new Changed();
    },
  };
}

/** Its money is held in the ledger, and was neither released nor debited. */
function isHeld(view: View, row: WithdrawalRow): boolean {
  const { accountId, network, currency } = row;
  const balance = view.find(Balances, [accountId, network, currency]);
  if (!balance || ENDS.some((kind) => entryOf(view, row, kind))) return false;
  const name = assetOf(row);
  return isBooked(view, row, "hold") && !Amount.parse(balance.held, name).isLessThan(costOf(row));
}

/** It was paid, and a reorganisation has undone that. */
function isDebited(view: View, row: WithdrawalRow): boolean {
  return row.status === "confirmed" && !entryOf(view, row, "release") &&
    isBooked(view, row, "hold") && isBooked(view, row, "debit");
}

function isBooked(view: View, row: WithdrawalRow, kind: "hold" | "debit"): boolean {
  const entry = entryOf(view, row, kind);
  const name = assetOf(row);
  return entry !== undefined && entry.accountId === row.accountId && assetOf(entry) === name &&
    Amount.parse(entry.amount, name).equals(costOf(row));
}

function entryOf(view: View, { id }: WithdrawalRow, kind: string): LedgerEntryRow | undefined {
  return view.find(LedgerEntries, [id, kind], "withdrawal");
}

function costOf(row: WithdrawalRow): Amount {
  const name = assetOf(row);
  return Amount.parse(row.amount, name).plus(Amount.parse(row.fee, name));
}

/** From an address of the account to the account's own receiving wallet. */
function sweepAuthority(
  { spend: { network, wallet, prepared, outbids }, holder, request, currency }: Order,
  { id, ...sweep }: SweepRow,
): Authority {
  const isGathered = familyOf(network.family).holdings === "outputs";
  const receivingKey = [sweep.accountId, network.code];
  return {
    reads: [read(Sweeps, [id]), read(ReceivingWallets, receivingKey)],
    check: (view) => {
      const row = view.get(Sweeps, [id]);
      const isOurs = row.addressId === holder.id && row.accountId === holder.accountId &&
        row.network === network.code && row.currency === currency.symbol;
      // An address sends by itself or with others of its account, or the gas wallet collects.
      const isSender = holder.id === wallet.id || wallet.purpose === "gas" ||
        (isGathered && wallet.purpose === "deposit" && wallet.accountId === holder.accountId);
      // One output pays for all of them.
      const isThere = !isGathered || request.to === prepared.request.to;
      if (!isOurs || !isSender || !isThere) throw new Changed();
      // The first bid went to the receiving wallet of that time.
      if (outbids) return;
      const receiving = view.find(ReceivingWallets, receivingKey);
      const to = receiving && receiverOf(network, receiving.address).sweptTo;
      if (to !== request.to) throw new Changed();
    },
  };
}

/** Gas goes only to our own addresses. */
function topUpAuthority({ spend: { network }, holder, request }: Order): Authority {
  const key = [network.code, request.to];
  return {
    reads: [read(Addresses, key, "address")],
    check: (view) => {
      const target = view.find(Addresses, key, "address");
      if (!target || holder.purpose !== "gas") throw new Changed();
    },
  };
}

function voidAuthority({ holder, request }: Order): Authority {
  return {
    reads: [],
    check: () => {
      const isEmpty = request.to === holder.address && request.amountRaw === 0n;
      if (!isEmpty) throw new Changed();
    },
  };
}

/** Checked before a wallet's first payment in this program: the log must contain its newest one. */
async function checkWalletNoted(deps: Deps, wallet: AddressRow): Promise<void> {
  const { checkedWallets } = deps.memory;
  const key = `${wallet.network}/${wallet.address}`;
  if (checkedWallets.has(key)) return;
  const unnoted = await unnotedPayment(deps, wallet);
  if (unnoted) {
    const fault = new UnnotedPayment(unnoted, wallet.accountId);
    await reportTampered(deps, fault);
    throw fault;
  }
  checkedWallets.add(key);
}
