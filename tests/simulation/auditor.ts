import { CREDITED_STATUSES } from "../support/auditor.ts";
import { type Listed, transactionsOf } from "../support/views.ts";
import {
  DIGITS,
  type EventSeen,
  isOrder,
  type MerchantBooks,
  type Place,
  placeOf,
  shown,
  units,
  type Withdrawal,
  withdrawalsOf,
} from "./books.ts";
import { auditInvoices } from "./checkout.ts";
import { coinNamed, coinsOf, type Ground, isDeep, type Move } from "./ground.ts";
import { auditRules, type Rule } from "./rules.ts";
import { differences } from "../support/differences.ts";

interface Audit {
  readonly ground: Ground;
  readonly merchants: readonly MerchantBooks[];
  readonly rules: readonly Rule[];
}

/**
 * A second set of books, made only of what the API answers, what the webhooks told and what the chain
 * holds. Returns every difference in words. Nothing may be in progress.
 */
export async function auditBooks(
  { ground, merchants, rules }: Audit,
): Promise<string[]> {
  const moves = ground.moves();
  const broken: string[] = [];
  for (const merchant of merchants) {
    const at = `&network=${ground.network}`;
    const books: Books = {
      ground,
      moves,
      place: placeOf(merchant, ground),
      rows: await transactionsOf(merchant.api, at),
      withdrawals: await withdrawalsOf(merchant.api, at),
    };
    const found = [
      ...depositsOf(books),
      ...payoutsOf(merchant, books),
      ...sweepsOf(books),
      ...leftBehind(books),
      ...await balancesOf(merchant, books),
      ...eventsOf(merchant, books),
      ...auditRules(rules, { merchant, withdrawals: books.withdrawals }),
      ...await auditInvoices(merchant, invoiceFacts(books)),
    ];
    broken.push(...found.map((one) => `${merchant.name} on ${ground.network}: ${one}`));
  }
  return broken;
}

interface Books extends Told {
  readonly ground: Ground;
  readonly moves: readonly Move[];
  readonly place: Place;
}

/**
 * Every coin that reached an address is credited once when it is deep enough, and nothing else. Dust
 * may wait for more.
 */
function depositsOf({ rows, moves, ground, place: { addresses } }: Books): string[] {
  const { gasWallet } = ground;
  const credited = rows.filter(({ direction, status }) =>
    direction === "deposit" && CREDITED_STATUSES.includes(status)
  );
  const keys = new Set(credited.map((row) => keyOfRow(row, ground)));
  const paid = moves.filter((move) =>
    addresses.has(move.to) && move.raw > 0n && isDeep(ground, move) && move.from !== gasWallet &&
    !addresses.has(move.from)
  ).filter((move) => move.raw >= ground.dustAt(move.to) || keys.has(keyOf(move)));
  return differences("deposit", {
    chain: paid.map(keyOf),
    books: credited.map((row) => keyOfRow(row, ground)),
  });
}

/** Every confirmed payout is one payment of the hot wallet, and the other way round. */
function payoutsOf(
  { payouts }: MerchantBooks,
  { withdrawals, moves, ground, place: { hotWallet } }: Books,
): string[] {
  const paid = moves.filter(({ from, raw }) => from === hotWallet && raw > 0n);
  const confirmed = withdrawals.filter(({ status }) => status === "confirmed");
  const byReference = Map.groupBy(withdrawals, ({ client_reference }) => client_reference);
  return [
    ...differences("payout", {
      chain: paid.map(keyOf),
      books: confirmed.map((row) =>
        keyOfRow({ ...row, amount_decimal: row.amount, tx_hash: row.tx_hash ?? "" }, ground)
      ),
    }),
    ...[...byReference].filter(([reference, rows]) => reference !== null && rows.length > 1)
      .map(([reference]) => `${reference} is several payouts`),
    ...otherThanAsked(withdrawals, { payouts, ground }),
  ];
}

/** Each was asked for as it is; what was asked for without a reference, once. */
function otherThanAsked(
  withdrawals: readonly Withdrawal[],
  { payouts, ground }: Pick<MerchantBooks, "payouts"> & { ground: Ground },
): string[] {
  const once = new Set([...payouts.values()].filter(({ isOnce }) => isOnce));
  return withdrawals.filter((row) => {
    const reference = row.client_reference;
    if (reference !== null) {
      const payout = payouts.get(reference);
      return !payout || !isOrder(row, { payout, ground });
    }
    const payout = [...once].find((payout) => isOrder(row, { payout, ground }));
    return !payout || !once.delete(payout);
  }).map(({ id, amount, currency, to_address }) =>
    `nobody asked for payout ${id}, ${amount} ${currency} to ${to_address}`
  );
}

function invoiceFacts({ ground, moves, rows, withdrawals }: Books) {
  const credited = new Set(
    rows.filter(({ direction, status }) =>
      direction === "deposit" && CREDITED_STATUSES.includes(status)
    ).map((row) => keyOfRow(row, ground)),
  );
  const paid = new Set(
    withdrawals.filter(({ status }) => status !== "failed" && status !== "cancelled")
      .map(({ client_reference }) => client_reference),
  );
  return {
    ground,
    paidTo: (address: string, currency: string) => {
      const deep = moves.filter((move) =>
        move.to === address && move.currency === currency && isDeep(ground, move)
      );
      const counted = deep.filter((move) =>
        move.raw >= ground.dustAt(move.to) || credited.has(keyOf(move))
      );
      return {
        paid: counted.reduce((sum, { raw }) => sum + raw, 0n),
        isMore: counted.length < deep.length,
      };
    },
    isUnpaid: (reference: string) => !paid.has(reference),
  };
}

function sweepsOf({ rows, moves, ground, place: { addresses, receivers } }: Books): string[] {
  const left = moves.filter(({ from, raw }) => addresses.has(from) && raw > 0n);
  const got = moves.filter(({ to, raw }) => receivers.has(to) && raw > 0n);
  const books = rows
    .filter(({ direction, status }) => direction === "sweep" && status === "confirmed")
    .map((row) => keyOfRow(row, ground));
  return [
    ...differences("sweep", { chain: left.map(keyOfGiven), books }),
    ...differences("payment to the receiving wallet", { chain: got.map(keyOfGiven), books }),
  ];
}

/** Tokens that count as swept have left their address. Coins pay fees on their way. */
function leftBehind({ rows, ground }: Books): string[] {
  const sums = new Map<string, bigint>();
  const add = (address: string, { currency, amount_decimal }: Listed, sign: bigint) => {
    const key = `${currency} on ${address}`;
    sums.set(key, (sums.get(key) ?? 0n) + sign * units(amount_decimal));
  };
  for (const row of rows.filter(({ currency }) => currency !== ground.coin.symbol)) {
    if (row.direction === "deposit" && row.status === "swept") add(row.to_address, row, 1n);
    if (row.direction === "sweep" && row.status === "confirmed") add(row.from_address, row, -1n);
  }
  return [...sums].filter(([, left]) => left > 0n).map(([key, left]) =>
    `${shown(left)} ${key} count as swept and were not moved`
  );
}

/** Whatever is worth its fee is moved on; what was paid in smaller coins may wait for more. */
export function isLeft(
  { direction, status, amount_decimal, currency, network }: Listed,
  grounds: readonly Ground[],
): boolean {
  const { coin, worth } = groundOf(network, grounds)!;
  const isWorthIt = units(amount_decimal) >= units(currency === coin.symbol ? worth : "1");
  return direction === "deposit" && status === "confirmed" && isWorthIt;
}

/** It is dust that waits until more comes to its address, or can't come any more. */
export function mayWait(
  { direction, status, amount_decimal, network, tx_hash, to_address: to }: Listed,
  grounds: readonly Ground[],
): boolean {
  if (direction !== "deposit" || status !== "detected") return false;
  const ground = groundOf(network, grounds)!;
  const { coin: { decimals } } = ground;
  return units(amount_decimal) < ground.dustAt(to) * 10n ** BigInt(DIGITS - decimals) ||
    ground.isLost?.(tx_hash) === true;
}

function groundOf(network: string, grounds: readonly Ground[]): Ground | undefined {
  return grounds.find((ground) => ground.network === network);
}

async function balancesOf(
  { api, float }: MerchantBooks,
  { rows, withdrawals, ground }: Books,
): Promise<string[]> {
  const broken: string[] = [];
  for (const { symbol } of coinsOf(ground)) {
    const credited = rows.filter((row) =>
      row.direction === "deposit" && CREDITED_STATUSES.includes(row.status) &&
      row.currency === symbol
    ).reduce((sum, row) => sum + units(row.amount_decimal), 0n);
    const cost = withdrawals.filter((row) => row.status === "confirmed" && row.currency === symbol)
      .reduce((sum, { amount, fee }) => sum + units(amount) + units(fee), 0n);
    const must = units(float) + credited - cost;
    const { body } = await api.get(`/v1/balances?currency=${symbol}&network=${ground.network}`);
    const [{ balance, held }] = body.data;
    if (units(balance) !== must) {
      broken.push(`the balance is ${balance} ${symbol}, must be ${shown(must)}`);
    }
    if (units(held) !== 0n) broken.push(`${held} ${symbol} are still held`);
  }
  return broken;
}

const LAST_EVENT: Readonly<Record<string, string>> = {
  confirmed: "withdrawal.confirmed",
  failed: "withdrawal.failed",
  cancelled: "withdrawal.cancelled",
};

interface Told {
  readonly rows: readonly Listed[];
  readonly withdrawals: readonly Withdrawal[];
}

/** Of which nobody was told yet. */
export function untoldEvents({ events }: MerchantBooks, { rows, withdrawals }: Told): string[] {
  const told = new Set(events.map(nameOf));
  const due = [
    ...rows.filter(({ direction, status }) =>
      direction === "deposit" && CREDITED_STATUSES.includes(status)
    ).map(({ id }) => `deposit.confirmed ${id}`),
    ...withdrawals.flatMap(({ id, status }) =>
      LAST_EVENT[status] ? `${LAST_EVENT[status]} ${id}` : []
    ),
  ];
  return due.filter((what) => !told.has(what));
}

/**
 * What is confirmed stands in a block that has as many on top as the operator asked for. No branch
 * is left that has grown as long, so this holds whenever it is heard of.
 */
export function toldTooEarly(
  { type, data }: Pick<EventSeen, "type" | "data">,
  grounds: readonly Ground[],
): string | undefined {
  if (type === "invoice.paid") return paidTooEarly(data, grounds);
  if (type !== "deposit.confirmed" && type !== "withdrawal.confirmed") return undefined;
  const ground = groundOf(data.network, grounds);
  if (!ground) return `${type} is of no network: ${JSON.stringify(data)}`;
  const depth = depthOf(data.tx_hash, ground);
  const isYoung = ground.moves().some(({ hash, maturesAt = 0 }) =>
    hash === data.tx_hash && maturesAt > ground.height + 1
  );
  if (depth >= ground.minConfirmations && !isYoung) return undefined;
  return `${type} is told of ${data.tx_hash}, which is ${depth} of ${ground.minConfirmations} deep`;
}

/** The gateway's own gas is nobody's deposit. */
export function toldOfGas(
  { type, data }: Pick<EventSeen, "type" | "data">,
  grounds: readonly Ground[],
): string | undefined {
  if (!type.startsWith("deposit.")) return undefined;
  const ground = groundOf(data.network, grounds);
  const isGas = ground?.moves().some(({ hash, from }) =>
    hash === data.tx_hash && from === ground.gasWallet
  );
  return isGas ? `${type} is told of ${data.tx_hash}, which is gas of the gateway` : undefined;
}

function depthOf(txHash: string, ground: Ground): number {
  const move = ground.moves().find(({ hash }) => hash === txHash);
  return move ? ground.height - move.height + 1 : 0;
}

/** What is deep enough must be enough. */
function paidTooEarly(
  { invoice_id, amount, payments }: EventSeen["data"],
  grounds: readonly Ground[],
): string | undefined {
  const deep = payments.filter((
    { tx_hash, network }: { tx_hash: string; network: string },
  ) =>
    grounds.some((ground) =>
      ground.network === network && depthOf(tx_hash, ground) >= ground.minConfirmations
    )
  ).reduce(
    (sum: bigint, one: { amount_decimal: string }) => sum + units(one.amount_decimal),
    0n,
  );
  if (deep >= units(amount)) return undefined;
  return `invoice ${invoice_id} of ${amount} is called paid when ${shown(deep)} is deep enough`;
}

function nameOf({ type, data }: EventSeen): string {
  const id = type.startsWith("deposit.")
    ? data.transaction_id
    : type.startsWith("invoice.")
    ? data.invoice_id
    : data.id;
  return `${type} ${id}`;
}

/**
 * None tells of something that isn't so, and none is told as two. What was told before a restore may
 * be told again, and may have come to another end.
 */
function eventsOf({ events }: MerchantBooks, { withdrawals }: Told): string[] {
  const restores = Math.max(0, ...events.map((one) => one.restores));
  const told = Map.groupBy(events.filter((one) => one.restores === restores), nameOf);
  return [
    // An invoice may be processing again after a reorganisation.
    ...[...told].filter(([what, all]) => all.length > 1 && !what.startsWith("invoice.")).map((
      [what],
    ) => `${what} is told as several events`),
    ...withdrawals.flatMap(({ id, status }) =>
      Object.values(LAST_EVENT).filter((type) => type !== LAST_EVENT[status])
        .filter((type) => told.has(`${type} ${id}`))
        .map((type) => `somebody was told of ${type} ${id}, which is ${status}`)
    ),
  ];
}

function keyOf({ hash, to, raw, currency }: Move): string {
  return `${hash} ${to} ${raw} ${currency}`;
}

function keyOfGiven(move: Move): string {
  return keyOf({ ...move, raw: move.gaveRaw ?? move.raw });
}

function keyOfRow(
  row: { tx_hash: string; to_address: string; amount_decimal: string; currency: string },
  ground: Ground,
): string {
  const { decimals } = coinNamed(ground, row.currency);
  const raw = units(row.amount_decimal) / 10n ** BigInt(DIGITS - decimals);
  return `${row.tx_hash} ${ground.same(row.to_address)} ${raw} ${row.currency}`;
}
