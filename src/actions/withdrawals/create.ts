import { Lru } from "../../base/lru.ts";
import { familyOf } from "../../chains/registry.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { available } from "../../domain/money/balance.ts";
import { feeOf } from "../../domain/money/fee.ts";
import { Refused } from "../../domain/refusal.ts";
import { refusalOfWithdrawal } from "../../domain/withdrawal_check.ts";
import type {
  AddressRow,
  CurrencyRow,
  NetworkRow,
  WithdrawalRow,
} from "../../store/tables/rows.ts";
import { hotWalletOf } from "../../store/reads/addresses.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { AccountCurrencies, Accounts } from "../../store/tables/setup.ts";
import { NetworkCursors } from "../../store/tables/following.ts";
import { Addresses, Freezes, Withdrawals } from "../../store/tables/tables.ts";
import { type Read, read, UniqueConflict, type View } from "../../store/engine/workspace.ts";
import { isRestored } from "../wallets/halt.ts";
import { lossAt } from "../books/lost_money.ts";
import { mustBeNew, rememberAsked } from "./_asked_before.ts";
import { once, signatureRead, type SignedCaller } from "../books/claim_signature.ts";
import { mustBeGenuine, TamperedRow } from "../books/tampered.ts";
import { type Asset, balanceOf, balanceRead, postEntry, recordAudit } from "../books/records.ts";
import { isSuspended, stopIn, stopRead } from "../books/stopped.ts";
import type { Actor, Deps } from "../deps.ts";

/** Somebody in the dashboard, whose orders have a reference and need no signature. */
interface HandCaller {
  readonly accountId: number;
  readonly keyId: string;
  readonly actor: Actor;
  readonly signature: null;
}

export interface WithdrawalInput {
  readonly caller: SignedCaller | HandCaller;
  readonly network: string;
  readonly currency: string;
  readonly toAddress: string;
  /** Plain digits. */
  readonly amount: string;
  readonly clientReference: string | null;
}

interface CreatedWithdrawal {
  readonly row: WithdrawalRow;
  /** True when an earlier request with this client_reference made it. */
  readonly isReplay: boolean;
}

const NO_ADDRESS = "This is not an address of that network, or its checksum is wrong";
/** An operator has to look first. */
const LATER = { retryAfterS: 60 };

/** Accepts a withdrawal and holds its money (spec 4.6). Nothing has been sent yet. */
export async function createWithdrawal(
  deps: Deps,
  input: WithdrawalInput,
): Promise<CreatedWithdrawal> {
  const { caller, clientReference } = input;
  const catalog = await deps.catalog.current();
  const network = catalog.network(input.network);
  const currency = network && catalog.currency(network.code, input.currency);
  const asset = assetFields(input, { network, currency });
  const { payee, loss } = payeeOf(catalog, { network, toAddress: input.toAddress });
  const wallet = catalog.numberedFrom > 0 ? await hotWalletOf(deps.db, asset) : null;
  // One that is made only now is halted as well.
  const isUnsure = wallet !== null && (wallet === undefined || isRestored(wallet));
  const signed = caller.signature === null ? undefined : caller;
  const earlier = clientReference === null
    ? undefined
    : read(Withdrawals, [caller.keyId, clientReference], "reference");
  const books = booksOf(asset);
  const own = payee === undefined ? undefined : read(Addresses, [asset.network, payee], "address");
  const reads: Read[] = Object.values(books);
  if (own) reads.push(own);
  if (signed) reads.push(signatureRead(signed));
  if (earlier) reads.push(earlier);
  const unit = deps.db.write<CreatedWithdrawal | Refused>({
    reads,
    decide: (view) => {
      const replay = earlier && view.rowOf(earlier);
      if (replay) mustBeGenuine(view, Withdrawals, replay);
      if (replay) return { row: replay, isReplay: true };
      if (earlier) mustBeNew(deps.db, { accountId: caller.accountId, name: earlier.text });
      const nowMs = deps.clock.nowMs();
      const order = () =>
        decide(view, { input, network, currency, own, books, loss, isUnsure, nowMs });
      return signed ? once(view, { caller: signed, reference: clientReference }, order) : order();
    },
  });
  const outcome = await unit.catch((error) => replayAfterRace(deps, input, error));
  if (outcome instanceof Refused) throw outcome;
  if (earlier) rememberAsked(deps.db, { id: outcome.row.id, name: earlier.text });
  return outcome;
}

function findReplay(deps: Deps, { caller, clientReference }: WithdrawalInput) {
  if (clientReference === null) return undefined;
  return deps.db.find(Withdrawals, [caller.keyId, clientReference], "reference");
}

/** The unique index has the last word: another process may have stored this reference meanwhile. */
async function replayAfterRace(
  deps: Deps,
  input: WithdrawalInput,
  error: unknown,
): Promise<CreatedWithdrawal> {
  // The operator was told of it; the caller has to wait.
  if (error instanceof TamperedRow) throw new Refused("currency_paused", LATER);
  const row = error instanceof UniqueConflict ? await findReplay(deps, input) : undefined;
  if (!row) throw error;
  return { row, isReplay: true };
}

type Books = ReturnType<typeof booksRead>;

const BOOKS_REMEMBERED = 1_000;
/** Payments of one account that come together ask for the same rows: the same reads are merged sooner. */
const booksKnown = new Lru<string, Books>(BOOKS_REMEMBERED);

/** All that says whether the account may pay now, whomever. */
function booksOf(asset: Asset): Books {
  const name = `${asset.accountId}/${assetOf(asset)}`;
  let books = booksKnown.get(name);
  if (!books) booksKnown.set(name, books = booksRead(asset));
  return books;
}

function booksRead(asset: Asset) {
  const { accountId, network, currency } = asset;
  return {
    enabled: read(AccountCurrencies, [accountId, network, currency]),
    account: read(Accounts, [accountId]),
    stop: stopRead(),
    freeze: read(Freezes, [accountId, network, currency]),
    cursor: read(NetworkCursors, [network]),
    balance: balanceRead(asset),
  };
}

interface Facts {
  readonly books: Books;
  /** The payee, should it be an address of ours; undefined: it is no address of the network. */
  readonly own: Read<AddressRow> | undefined;
  readonly input: WithdrawalInput;
  readonly network: NetworkRow | undefined;
  readonly currency: CurrencyRow | undefined;
  /** Why what is sent there is lost. */
  readonly loss: string | undefined;
  /** What the restored books lack may have been asked for before: it must stay without a trace. */
  readonly isUnsure: boolean;
  readonly nowMs: number;
}

function payeeOf(
  catalog: Catalog,
  { network, toAddress }: { network: NetworkRow | undefined; toAddress: string },
): { payee?: string; loss?: string | undefined } {
  const family = network && familyOf(network.family);
  if (!family?.isAddress(toAddress)) return {};
  const payee = family.canonicalAddress(toAddress);
  return { payee, loss: lossAt(catalog, { network: network!, address: payee }) };
}

/** A deposit address is booked there as a deposit; wallets that pay would only move our own money. */
function whyUnpayable(view: View, { network, own: ownRead, loss }: Facts): string | undefined {
  if (!network || !ownRead) return NO_ADDRESS;
  if (loss !== undefined) return `This ${loss}`;
  const own = view.rowOf(ownRead);
  if (own === undefined || own.purpose === "deposit") return undefined;
  return "This is a wallet that this gateway itself pays from: the money would not leave it";
}

function decide(view: View, facts: Facts): CreatedWithdrawal | Refused {
  const { input, network, currency, books, nowMs } = facts;
  const asset = assetFields(input, facts);
  const priced = currency && price(input, currency);
  const enabled = view.rowOf(books.enabled);
  if (enabled) mustBeGenuine(view, AccountCurrencies, enabled);
  const zero = Amount.zero(assetOf(asset));
  const unpayable = whyUnpayable(view, facts);
  const refusal = refusalOfWithdrawal({
    isNetworkActive: network?.isActive ?? false,
    isCurrencyActive: currency?.isActive ?? false,
    isEnabled: enabled?.isWithdrawalEnabled ?? false,
    isPaused: facts.isUnsure || isPaused(view, books),
    isAddress: unpayable === undefined,
    amount: priced?.amount ?? zero,
    minimum: Amount.parse(currency?.minWithdrawalAmount ?? "0", zero.asset),
    fee: priced?.fee ?? zero,
    available: available(balanceOf(view, asset)),
    isSuspended: isSuspended(view, asset.accountId),
    isStopped: stopIn(view) !== undefined,
  });
  if (refusal) {
    if (refusal === "invalid_address") return new Refused(refusal, { text: unpayable! });
    const isLater = refusal === "currency_paused" || refusal === "withdrawals_paused";
    return new Refused(refusal, isLater ? LATER : {});
  }
  const { amount, fee } = priced!;
  const row = view.insert(Withdrawals, {
    ...asset,
    keyId: input.caller.keyId,
    clientReference: input.clientReference,
    toAddress: input.toAddress,
    amount: amount.toString(),
    fee: fee.toString(),
    status: "pending",
    transferId: null,
    txHash: null,
    errorMessage: null,
    failureReason: null,
    requestedAtMs: nowMs,
    broadcastAtMs: null,
    confirmedAtMs: null,
  });
  postEntry(view, {
    ...asset,
    kind: "hold",
    amount: amount.plus(fee),
    withdrawalId: row.id,
    nowMs,
  });
  recordAudit(view, {
    actor: input.caller.signature === null ? input.caller.actor : `api:${input.caller.keyId}`,
    action: "withdrawal.requested",
    subject: `withdrawal:${row.id}`,
    nowMs,
  });
  return { row, isReplay: false };
}

/** The books may not be what the chain is: nothing leaves before an operator has looked. */
function isPaused(view: View, { freeze, cursor }: Books): boolean {
  const halted = view.rowOf(cursor)?.haltedReason ?? null;
  return view.rowOf(freeze) !== undefined || halted !== null;
}

/** The fee and the debit follow from what the chain can carry. */
function price(input: WithdrawalInput, currency: CurrencyRow): { amount: Amount; fee: Amount } {
  const name = assetOf({ network: currency.network, currency: currency.symbol });
  const amount = Amount.parse(input.amount, name).truncatedTo(currency.decimals);
  return { amount, fee: feeOf(amount, currency) };
}

function assetFields(
  input: WithdrawalInput,
  found: { network: NetworkRow | undefined; currency: CurrencyRow | undefined },
) {
  return {
    accountId: input.caller.accountId,
    network: found.network?.code ?? "",
    currency: found.currency?.symbol ?? "",
  };
}
