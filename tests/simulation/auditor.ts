import type { ApiClient } from "../support/api_client.ts";
import { CREDITED_STATUSES } from "../support/auditor.ts";
import { type Listed, transactionsOf } from "../support/views.ts";
import type { Ground, Move } from "./ground.ts";

export interface Payout {
  readonly reference: string;
  readonly currency: string;
  readonly to: string;
  readonly amount: string;
  /** Undefined if it was refused. */
  id: number | undefined;
}

export interface EventSeen {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  // deno-lint-ignore no-explicit-any -- whatever the event's type says
  readonly data: any;
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
  readonly payouts: ReadonlyMap<string, Payout>;
  readonly events: readonly EventSeen[];
}

interface Audit {
  readonly ground: Ground;
  readonly merchants: readonly MerchantBooks[];
  readonly gasWallet: string;
}

/**
 * A second set of books, made only of what the API answers, what the webhooks told and what the chain
 * holds. Returns every difference in words. Nothing may be in progress.
 */
export async function auditBooks({ ground, merchants, gasWallet }: Audit): Promise<string[]> {
  const moves = ground.moves();
  const broken: string[] = [];
  for (const merchant of merchants) {
    const at = `&network=${ground.network}`;
    const books: Books = {
      ground,
      gasWallet,
      moves,
      place: placeOf(merchant, ground),
      rows: await transactionsOf(merchant.api, at),
      withdrawals: await withdrawalsOf(merchant.api, at),
    };
    const found = [
      ...depositsOf(books),
      ...payoutsOf(merchant, books),
      ...sweepsOf(books),
      ...await balancesOf(merchant, books),
      ...eventsOf(merchant, books),
    ];
    broken.push(...found.map((one) => `${merchant.name} on ${ground.network}: ${one}`));
  }
  return broken;
}

interface Books extends Told {
  readonly ground: Ground;
  readonly gasWallet: string;
  readonly moves: readonly Move[];
  readonly place: Place;
}

/** What a merchant has on one network. */
export interface Place {
  readonly addresses: Set<string>;
  hotWallet: string;
  readonly receiver: string;
}

export function placeOf({ places }: MerchantBooks, { network }: Ground): Place {
  const place = places.get(network);
  if (!place) throw new Error(`Nothing of this merchant is on ${network}`);
  return place;
}

interface Withdrawal {
  readonly id: number;
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

/** Every coin that reached an address is credited once when it is deep enough, and nothing else. */
function depositsOf({ rows, moves, ground, place: { addresses }, gasWallet }: Books): string[] {
  const deep = ground.height - ground.minConfirmations + 1;
  const paid = moves.filter(({ to, from, height, raw }) =>
    addresses.has(to) && raw > 0n && height <= deep && from !== gasWallet && !addresses.has(from)
  );
  const credited = rows.filter(({ direction, status }) =>
    direction === "deposit" && CREDITED_STATUSES.includes(status)
  );
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
    ...withdrawals.filter(({ client_reference }) => !payouts.has(client_reference ?? ""))
      .map(({ id }) => `nobody asked for payout ${id}`),
  ];
}

function sweepsOf({ rows, moves, ground, place: { addresses, receiver } }: Books): string[] {
  const left = moves.filter(({ from, raw }) => addresses.has(from) && raw > 0n);
  const got = moves.filter(({ to, raw }) => to === receiver && raw > 0n);
  const books = rows
    .filter(({ direction, status }) => direction === "sweep" && status === "confirmed")
    .map((row) => keyOfRow(row, ground));
  return [
    ...differences("sweep", { chain: left.map(keyOf), books }),
    ...differences("payment to the receiving wallet", { chain: got.map(keyOf), books }),
  ];
}

async function balancesOf(
  { api, float }: MerchantBooks,
  { rows, withdrawals, ground }: Books,
): Promise<string[]> {
  const broken: string[] = [];
  for (const { symbol } of [ground.coin, ground.token]) {
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

function nameOf({ type, data }: EventSeen): string {
  return `${type} ${type.startsWith("deposit.") ? data.transaction_id : data.id}`;
}

/** None tells of something that isn't so, and none is told as two. */
function eventsOf(merchant: MerchantBooks, { withdrawals }: Told): string[] {
  const told = Map.groupBy(merchant.events, nameOf);
  return [
    ...[...told].filter(([, all]) => all.length > 1).map(([what]) =>
      `${what} is told as several events`
    ),
    ...withdrawals.flatMap(({ id, status }) =>
      Object.values(LAST_EVENT).filter((type) => type !== LAST_EVENT[status])
        .filter((type) => told.has(`${type} ${id}`))
        .map((type) => `somebody was told of ${type} ${id}, which is ${status}`)
    ),
  ];
}

function differences(
  what: string,
  { chain, books }: { chain: readonly string[]; books: readonly string[] },
): string[] {
  const counts = new Map<string, number>();
  for (const key of chain) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const key of books) counts.set(key, (counts.get(key) ?? 0) - 1);
  return [...counts].filter(([, count]) => count !== 0).map(([key, count]) =>
    count > 0
      ? `a ${what} is ${count} times too often on the chain for the books: ${key}`
      : `a ${what} is ${-count} times too often in the books for the chain: ${key}`
  );
}

function keyOf({ hash, to, raw, currency }: Move): string {
  return `${hash} ${to} ${raw} ${currency}`;
}

function keyOfRow(
  row: { tx_hash: string; to_address: string; amount_decimal: string; currency: string },
  { same, coin, token }: Ground,
): string {
  const { decimals } = row.currency === coin.symbol ? coin : token;
  const raw = units(row.amount_decimal) / 10n ** BigInt(DIGITS - decimals);
  return `${row.tx_hash} ${same(row.to_address)} ${raw} ${row.currency}`;
}

const DIGITS = 40;

/** Exact, with room for every digit that an amount may have. */
export function units(text: string): bigint {
  const [, sign = "", whole = "0", rest = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const raw = BigInt(whole + rest.padEnd(DIGITS, "0"));
  return sign === "-" ? -raw : raw;
}

function shown(raw: bigint): string {
  const digits = String(raw < 0n ? -raw : raw).padStart(DIGITS + 1, "0");
  const text = `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`.replace(/\.?0+$/, "");
  return raw < 0n ? `-${text}` : text;
}
