import { first } from "../../base/lists.ts";
import { randomToken } from "../../base/bytes.ts";
import type { Method } from "../../domain/invoices/coins.ts";
import { judgedAgainAtMs } from "../../domain/invoices/judge.ts";
import { Refused } from "../../domain/refusal.ts";
import { type InvoiceRow, Invoices } from "../../store/tables/checkout/invoices.ts";
import { Accounts, type CurrencyRow } from "../../store/tables/setup.ts";
import { read, type View } from "../../store/engine/workspace.ts";
import {
  type HandCaller,
  once,
  signatureRead,
  type SignedCaller,
} from "../books/claim_signature.ts";
import { recordAudit } from "../books/records.ts";
import { isSuspended } from "../books/stopped.ts";
import { genuine, mustBeGenuine } from "../books/tampered.ts";
import { type AddressToGive, withAddress } from "../deposits/for_invoice.ts";
import { rateOf } from "../rates/current.ts";
import type { CheckoutRow } from "../../store/tables/checkout/checkouts.ts";
import type { Actor, Deps } from "../deps.ts";
import { checkoutOf } from "./checkout.ts";
import { enabledCoins, quoteOf } from "./currency.ts";

const TOKEN_BYTES = 16;
export const EXPIRES_S = 900;
export const TOLERANCE_PERCENT = "0.5";

/** A coin on a network, spelled in any case. */
export interface Coin {
  readonly network: string;
  readonly currency: string;
}

export interface NewInvoice {
  readonly amount: string;
  readonly currency: string;
  /** What the payer may choose from; null: everything enabled for deposits. */
  readonly coins: readonly Coin[] | null;
  /** Already chosen. */
  readonly chosen: Coin | null;
  readonly expiresInS: number | null;
  readonly tolerancePercent: string | null;
  readonly idempotencyKey: string | null;
  readonly details: Pick<
    InvoiceRow,
    "reference" | "description" | "customer" | "metadata" | "redirectUrl" | "language"
  >;
}

interface Created {
  readonly row: InvoiceRow;
  /** True if an earlier request with this idempotency key created it. */
  readonly isReplay: boolean;
}

/** With an address if a coin is chosen: both or neither. */
export async function createInvoice(
  deps: Deps,
  { caller, ...wish }: NewInvoice & { caller: SignedCaller | HandCaller },
): Promise<Created> {
  const { accountId, keyId } = caller;
  const { idempotencyKey } = wish;
  const key = [keyId, idempotencyKey];
  const earlier = idempotencyKey === null
    ? undefined
    : await deps.db.find(Invoices, key, "idempotency");
  if (earlier) await genuine(deps, Invoices, [earlier]);
  if (earlier) return { row: earlier, isReplay: true };
  const checkout = await checkoutOf(deps, accountId);
  const terms = await termsOf(deps, { checkout, wish });
  const making = { caller, checkout, wish, terms };
  if (!wish.chosen) return await make(deps, making);
  const asked = { caller, asset: wish.chosen };
  return await withAddress(deps, asked, (given) => make(deps, { ...making, given }));
}

interface Making {
  readonly caller: SignedCaller | HandCaller;
  readonly checkout: CheckoutRow;
  readonly wish: NewInvoice;
  readonly terms: Terms;
  /** Of the chosen coin. */
  readonly given?: AddressToGive;
}

async function make(deps: Deps, making: Making): Promise<Created> {
  const { caller, given, wish: { idempotencyKey } } = making;
  const { accountId, keyId } = caller;
  const key = [keyId, idempotencyKey];
  const signed = caller.signature === null ? undefined : caller;
  const outcome = await deps.db.write<Created | Refused>({
    reads: [
      ...[read(Invoices, key, "idempotency"), read(Accounts, [accountId])],
      ...signed ? [signatureRead(signed)] : [],
      ...given?.reads ?? [],
    ],
    decide: (view) => {
      const replay = idempotencyKey === null ? undefined : view.find(Invoices, key, "idempotency");
      if (replay) mustBeGenuine(view, Invoices, replay);
      if (replay) return { row: replay, isReplay: true };
      const order = () => insertWithAddress(view, { deps, ...making });
      const row = signed
        ? once(view, { caller: signed, reference: idempotencyKey }, order)
        : order();
      return row instanceof Refused ? row : { row, isReplay: false };
    },
  });
  if (outcome instanceof Refused) throw outcome;
  return outcome;
}

function insertWithAddress(
  view: View,
  { given, ...making }: Making & { deps: Deps },
): InvoiceRow | Refused {
  const { caller } = making;
  const give = given?.prepare(view);
  if (give instanceof Refused) return give;
  const by = caller.signature === null ? caller.actor : null;
  const row = insertInvoice(view, { ...making, by });
  if (!(row instanceof Refused)) give?.(row);
  return row;
}

export function insertInvoice(
  view: View,
  { deps, caller, checkout, wish, terms, by }: {
    deps: Deps;
    caller: Pick<HandCaller, "accountId" | "keyId">;
    checkout: CheckoutRow;
    wish: NewInvoice;
    terms: Terms;
    /** Who made it by hand. */
    by: Actor | null;
  },
): InvoiceRow | Refused {
  const { accountId, keyId } = caller;
  if (isSuspended(view, accountId)) return new Refused("account_suspended");
  const nowMs = deps.clock.nowMs();
  const expiresAtMs = nowMs + (wish.expiresInS ?? checkout.expiresInS ?? EXPIRES_S) * 1_000;
  const row = view.insert(Invoices, {
    ...{ accountId, keyId, idempotencyKey: wish.idempotencyKey, ...wish.details, ...terms },
    token: randomToken(TOKEN_BYTES),
    tolerancePercent: wish.tolerancePercent ?? checkout.tolerancePercent ?? TOLERANCE_PERCENT,
    status: "open",
    expiresAtMs,
    createdAtMs: nowMs,
    ...{ paidAtMs: null, cancelledAtMs: null, acceptedValue: null, acceptedCoins: null },
    judgeAtMs: judgedAgainAtMs("open", { expiresAtMs }),
  });
  if (by !== null) {
    const { amount, currency, reference } = row;
    const [subject, detail] = [`invoice:${row.id}`, { accountId, amount, currency, reference }];
    recordAudit(view, { actor: by, action: "invoice.created", subject, detail, nowMs });
  }
  return row;
}

type Terms = Pick<InvoiceRow, "amount" | "currency" | "methods">;

/** What is owed, and the price of each coin it can be paid with, from now on. */
export async function termsOf(
  deps: Deps,
  { checkout: { accountId, digits }, wish }: { checkout: CheckoutRow; wish: NewInvoice },
): Promise<Terms> {
  const enabled = await enabledCoins(deps, accountId);
  const currency = await quoteOf(deps, { enabled, wanted: wish.currency });
  const coins = await wantedCoins(deps, { wish, enabled });
  const priced = await Promise.all(coins.map((coin) => methodOf(deps, { coin, currency })));
  const methods = priced.flatMap((method) =>
    method ? [{ ...method, digits, ...chosenIn(wish, method) }] : []
  );
  mustHaveRates(methods, { wish, currency, coins });
  return { amount: wish.amount, currency, methods };
}

/** For the chosen coin, or for at least one if none was chosen. */
function mustHaveRates(
  methods: readonly Method[],
  { wish: { chosen }, currency, coins }: {
    wish: NewInvoice;
    currency: string;
    coins: readonly CurrencyRow[];
  },
): void {
  if (methods.length === 0) throw noRate(chosen?.currency ?? first(coins).symbol, currency);
  if (chosen && !methods.some((method) => isSame(method, chosen))) {
    throw noRate(chosen.currency, currency);
  }
}

export function noRate(base: string, quote: string): Refused {
  return new Refused("rate_unavailable", { text: `${base.toUpperCase()}/${quote}` });
}

function chosenIn({ chosen }: NewInvoice, method: Coin): Pick<Method, "isChosen"> {
  return chosen && isSame(method, chosen) ? { isChosen: true } : {};
}

async function wantedCoins(
  deps: Deps,
  { wish, enabled }: { wish: NewInvoice; enabled: readonly CurrencyRow[] },
): Promise<readonly CurrencyRow[]> {
  const catalog = await deps.catalog.current();
  const { coins, chosen } = wish;
  const asked = [...coins ?? [], ...chosen ? [chosen] : []];
  const found = asked.map((coin) => {
    if (!catalog.network(coin.network)?.isActive) throw new Refused("network_not_found");
    const listed = catalog.currency(coin.network, coin.currency);
    if (!listed?.isActive) throw new Refused("currency_not_found");
    if (!enabled.includes(listed)) throw new Refused("deposits_disabled");
    return listed;
  });
  if (coins) return [...new Set(found)];
  if (enabled.length === 0) throw new Refused("deposits_disabled");
  return enabled;
}

async function methodOf(
  deps: Deps,
  { coin, currency }: { coin: CurrencyRow; currency: string },
): Promise<Method | undefined> {
  const { network, symbol, decimals } = coin;
  const rate = symbol === currency
    ? { value: "1", atMs: deps.clock.nowMs() }
    : await rateOf(deps, { base: symbol, quote: currency });
  if (!rate) return undefined;
  return { network, currency: symbol, decimals, rate: rate.value, rateAtMs: rate.atMs };
}

export function isSame(one: Coin, other: Coin): boolean {
  return one.network.toLowerCase() === other.network.toLowerCase() &&
    one.currency.toLowerCase() === other.currency.toLowerCase();
}
