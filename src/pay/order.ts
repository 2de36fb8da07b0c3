import { Accounts } from "../accounts/tables/accounts.ts";
import { genuine } from "../books/tampered.ts";
import { familyOf, rulesOf } from "../chains/registry.ts";
import { checkoutOf, logoOf, type Picture } from "../checkout/checkout.ts";
import { confirmationsOf } from "../deposits/rules/transaction_moves.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import { transactionUrl } from "../dashboard/explorers.ts";
import { NetworkCursors } from "../following/table.ts";
import { seenAtMs } from "../invoices/facts.ts";
import {
  chosenFor,
  type InvoiceLook,
  isOver,
  isTestInvoice,
  lookAt,
  methodsOf,
  type SeenPayment,
} from "../invoices/look.ts";
import { coinsFor, type Method } from "../invoices/rules/coins.ts";
import { countsAs, judge } from "../invoices/rules/judge.ts";
import { type InvoiceStatus, isPayable } from "../invoices/rules/status.ts";
import { type Refunded, refundedOf } from "../invoices/rules/sums.ts";
import { uriOf } from "../invoices/shape.ts";
import { type InvoiceRow, Invoices } from "../invoices/tables/invoices.ts";
import { networkName } from "../networks/catalogue.ts";
import { hasAnswered } from "../networks/rules/network_health.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";

/** What a payer may know of an invoice. */
export interface Order {
  readonly row: InvoiceRow;
  /** Who is paid. */
  readonly name: string;
  readonly brand: Brand;
  readonly status: InvoiceStatus;
  readonly refunded: Refunded | undefined;
  /** The amount is one, and not a state's money. */
  readonly isCoin: boolean;
  readonly paid: string;
  readonly due: string;
  readonly overpaid: string;
  /** A payment has no value yet, and the merchant decides. */
  readonly isUnrated: boolean;
  /** Prices are current ones, and may change. */
  readonly isLate: boolean;
  /** It takes test coins. */
  readonly isTest: boolean;
  readonly coins: readonly CoinChoice[];
  readonly payments: readonly PaymentShown[];
  /** So many more have come. */
  readonly others: number;
  /** That arrived, oldest first. */
  readonly refunds: readonly RefundShown[];
  /** So many were made that those before these are left out. */
  readonly hasOlderRefunds: boolean;
  readonly nowMs: number;
}

interface Brand {
  /** Of buttons; null: the page's own. */
  readonly colour: string | null;
  readonly hasLogo: boolean;
}

export interface CoinChoice {
  /** As in the page's address. */
  readonly id: string;
  readonly coin: string;
  readonly networkCode: string;
  /** By the name that payers know. */
  readonly network: string;
  readonly isCheap: boolean;
  /** By whoever made the invoice. */
  readonly isChosen: boolean;
  readonly due: string;
  /** Null until the payer has chosen it. */
  readonly target: Target | null;
}

/** Where to send it, and what wallets are asked. */
export interface Target {
  readonly address: string;
  readonly uri: string;
  /** The same two as codes show them. */
  readonly inCode: { readonly address: string; readonly uri: string };
  /** Null: on a chain that its wallets don't know, or more than they can send. */
  readonly wallet: WalletRequest | null;
}

interface WalletRequest {
  readonly chainId: string;
  readonly to: string;
  readonly value: string;
  readonly data: string;
  /** Opens MetaMask on a phone. */
  readonly link: string;
}

/** To whom is nobody's business who has the link. */
export interface RefundShown {
  readonly txHash: string;
  readonly coin: string;
  /** By the name that payers know. */
  readonly network: string;
  readonly amount: string;
  readonly atMs: number;
  /** Where anybody can look it up. */
  readonly url: string | undefined;
}

interface PaymentShown extends RefundShown {
  /** As of a choice. */
  readonly id: string;
  readonly confirmations: number;
  readonly needed: number;
}

/** A page stays small, however many there are. */
const SHOWN_MAX = 20;
const REFUNDS_SHOWN_MAX = 10;
const TOKEN = /^[\w-]{22}$/;
const TRANSFER = "0xa9059cbb";
const WORD_HEX = 64;
/** In base units: more doesn't fit the word of a contract's call. */
const WALLET_MAX = 2n ** 256n - 1n;

/** Whether it may be an invoice's. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export async function orderOf(
  deps: Deps,
  token: string,
  paymentsMax: number = SHOWN_MAX,
): Promise<Order | undefined> {
  const row = isToken(token) ? await deps.db.find(Invoices, [token], "token") : undefined;
  if (!row) return undefined;
  await genuine(deps, Invoices, [row]);
  const nowMs = deps.clock.nowMs();
  const [look, checkout, account] = await Promise.all([
    lookAt(deps, row, { paymentsMax, refundsMax: REFUNDS_SHOWN_MAX }),
    checkoutOf(deps, row.accountId),
    deps.db.get(Accounts, [row.accountId]),
  ]);
  const { sums } = look;
  const { paid, due, overpaid, ...judged } = judge(row, { sums, nowMs });
  // What time alone changes shows before the worker has written it.
  const isTimeUp = row.status === "open" && nowMs >= row.expiresAtMs;
  const status = isTimeUp ? judged.status : row.status;
  const isLate = isPayable(status) && isOver(row, nowMs);
  const offered = methodsOf(row, look);
  const methods = await readable(deps, isLate ? look.methodsNow ?? offered : offered);
  const coins = methods.flatMap((method) => choiceOf(method, { row, look, due }) ?? []);
  const live = look.payments.filter((one) => countsAs(one) !== "nothing");
  const payments = live.map((one) => paymentShown(one, look));
  const others = sums.counted - live.length;
  const isUnrated = row.acceptedValue === null && sums.unpriced > 0;
  const isCoin = look.catalog.currencies.some(({ symbol }) => isSameSymbol(symbol, row.currency));
  return {
    ...{
      row,
      status,
      refunded: refundedOf(sums),
      isCoin,
      paid,
      due,
      overpaid,
      isUnrated,
      coins,
      payments,
      others,
      refunds: look.refunds.flatMap((one) => refundShown(one, look.catalog)),
      hasOlderRefunds: sums.refunds > REFUNDS_SHOWN_MAX,
      nowMs,
      isLate,
    },
    isTest: isTestInvoice(row, look),
    name: checkout.name ?? account.name,
    brand: { colour: checkout.colour, hasLogo: checkout.logoHash !== null },
  };
}

/** The merchant's, for whoever has an invoice's link. */
export async function logoFor(deps: Deps, token: string): Promise<Picture | undefined> {
  const row = isToken(token) ? await deps.db.find(Invoices, [token], "token") : undefined;
  return row && await logoOf(deps, row.accountId);
}

/** What is paid on a network that no node has shown us yet may never be seen. */
async function readable({ db }: Deps, methods: readonly Method[]): Promise<readonly Method[]> {
  const cursors = await Promise.all(
    methods.map(({ network }) => db.find(NetworkCursors, [network])),
  );
  return methods.filter((_, i) => hasAnswered(cursors[i]));
}

function choiceId({ network, currency }: Pick<Method, "network" | "currency">): string {
  return `${network}.${currency}`;
}

function choiceOf(
  method: Method,
  { row, look, due }: { row: InvoiceRow; look: InvoiceLook; due: string },
): CoinChoice | undefined {
  const { catalog } = look;
  const network = catalog.network(method.network);
  const currency = catalog.currency(method.network, method.currency);
  if (!network || !currency) return undefined;
  const owed = coinsFor(due, { invoiceCurrency: row.currency, method });
  const address = chosenFor(look, method)?.address;
  const asked = { method, look, network, currency, owed };
  return {
    id: choiceId(method),
    coin: method.currency,
    networkCode: method.network,
    network: networkName(network, currency),
    isCheap: familyOf(network.family).isCheapFor(network.feeModel),
    isChosen: method.isChosen ?? false,
    due: owed,
    target: address === undefined ? null : targetOf(address, asked),
  };
}

function targetOf(
  address: string,
  { method, look, network, currency, owed }: {
    method: Method;
    look: InvoiceLook;
    network: NetworkRow;
    currency: CurrencyRow;
    owed: string;
  },
): Target | null {
  const uri = uriOf(method, { look, address, due: owed });
  if (uri === null) return null;
  const raw = Amount.parse(owed, assetOf(method)).toRaw(currency.decimals);
  const { chainId, family } = network;
  const asked = { chainId, contract: currency.contractAddress, raw, address, uri };
  const isPossible = family === "evm" && raw <= WALLET_MAX;
  const { inCode } = rulesOf(network);
  return {
    ...{ address, uri },
    inCode: { address: inCode(address), uri: inCode(uri) },
    wallet: isPossible ? walletRequest(asked) : null,
  };
}

function paymentShown({ row }: SeenPayment, { catalog, heights }: InvoiceLook): PaymentShown {
  const { txHash, network, currency, amount } = row;
  return {
    id: choiceId(row),
    txHash,
    coin: currency,
    network: knownName(row, catalog),
    amount,
    atMs: seenAtMs(row),
    url: transactionUrl(catalog.network(network), txHash),
    confirmations: confirmationsOf(heights.get(network) ?? 0, row),
    needed: catalog.network(network)?.minConfirmations ?? 1,
  };
}

/** Only of those that arrived. */
export function refundShown(row: WithdrawalRow, catalog: Catalog): RefundShown[] {
  const { status, txHash, network, currency: coin, amount, confirmedAtMs } = row;
  if (status !== "confirmed" || txHash === null || confirmedAtMs === null) return [];
  const url = transactionUrl(catalog.network(network), txHash);
  return [{ txHash, coin, network: knownName(row, catalog), amount, atMs: confirmedAtMs, url }];
}

/** Of a coin's network, as payers call it. */
export function knownName(
  { network: code, currency }: { network: string; currency: string },
  catalog: Catalog,
): string {
  const network = catalog.network(code);
  return network ? networkName(network, catalog.currency(code, currency)) : code;
}

function walletRequest(
  { chainId, contract, address, raw, uri }: {
    chainId: string;
    contract: string | null;
    address: string;
    raw: bigint;
    uri: string;
  },
): WalletRequest {
  const word = (hex: string) => hex.toLowerCase().padStart(WORD_HEX, "0");
  const link = `https://metamask.app.link/send/${uri.slice("ethereum:".length)}`;
  const hex = raw.toString(16);
  const chain = `0x${BigInt(chainId).toString(16)}`;
  if (contract === null) {
    return { chainId: chain, to: address, value: `0x${hex}`, data: "0x", link };
  }
  const data = `${TRANSFER}${word(address.slice(2))}${word(hex)}`;
  return { chainId: chain, to: contract, value: "0x0", data, link };
}
