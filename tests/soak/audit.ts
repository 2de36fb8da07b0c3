import type { Anvil } from "../support/nodes/anvil.ts";
import type { ApiClient } from "../support/api_client.ts";
import { CREDITED_STATUSES } from "../support/auditor.ts";
import { balanceOf, type Listed, transactionsOf, withdrawalOf } from "../support/views.ts";
import { type ChainBooks, DECIMALS, type Movement, readChain } from "./chain_books.ts";
import { differences } from "../support/differences.ts";

export interface AuditedMerchant {
  readonly name: string;
  readonly api: ApiClient;
  readonly addresses: readonly string[];
  readonly hotWallet: string;
  /** An address that nothing but its sweeps pays. */
  readonly receiver: string;
  /** The operator's manual adjustments by currency. */
  readonly adjusted: Readonly<Record<string, string>>;
}

export interface SoakAudit {
  readonly anvil: Anvil;
  readonly merchants: readonly AuditedMerchant[];
  readonly gasWallet: string;
  readonly token: string;
  readonly minConfirmations: number;
  /** The highest id of a withdrawal. */
  readonly withdrawalIdMax: number;
}

interface PaidOut {
  readonly id: number;
  readonly status: string;
  readonly currency: string;
  readonly amount: string;
  readonly fee: string;
  readonly to_address: string;
  readonly tx_hash: string | null;
}

/** The books that the API shows to one account. */
interface Reported extends AuditedMerchant {
  readonly rows: readonly Listed[];
  readonly withdrawals: readonly PaidOut[];
}

interface Findings {
  readonly chain: ChainBooks;
  readonly reported: readonly Reported[];
  readonly order: SoakAudit;
}

const CURRENCIES = Object.keys(DECIMALS);
const DIGITS = 40;

/**
 * A second set of books for many accounts, made only from the API and the chain. Returns every
 * difference in words. Nothing may be in progress.
 */
export async function auditSoak(order: SoakAudit): Promise<string[]> {
  const chain = await readChain(order.anvil, order);
  const reported = await Promise.all(
    order.merchants.map((one) => reportOf(one, order.withdrawalIdMax)),
  );
  const findings = { chain, reported, order };
  return [
    ...reported.flatMap(openOf),
    ...(await Promise.all(reported.map(booksOf))).flat(),
    ...depositsOf(findings),
    ...reported.flatMap((one) => paymentsOf(chain, one)),
    ...topUpsOf(findings),
    ...reported.flatMap((one) => sweepsOf(chain, one)),
    ...(await Promise.all(reported.map((one) => coinsOf(chain, one)))).flat(),
  ];
}

export async function reportOf(
  merchant: AuditedMerchant,
  withdrawalIdMax: number,
): Promise<Reported> {
  const { api } = merchant;
  const ids = Array.from({ length: withdrawalIdMax }, (_, i) => i + 1);
  const found: PaidOut[] = [];
  for (const id of ids) found.push(await withdrawalOf(api, id));
  return { ...merchant, rows: await transactionsOf(api), withdrawals: found.filter(Boolean) };
}

/** Whatever is still held now would be held for ever. */
export function openOf({ name, rows, withdrawals }: Reported): string[] {
  return [
    ...withdrawals.filter(({ status }) => ["pending", "broadcasted"].includes(status))
      .map(({ id, status }) => `${name}: withdrawal ${id} is still ${status}`),
    ...rows.filter(({ direction, status }) => direction !== "withdrawal" && status === "detected")
      .map(({ id, direction, tx_hash }) => `${name}: ${direction} ${id} is open: ${tx_hash}`),
    ...rows.filter(({ status }) => status === "sweep_pending")
      .map(({ id }) => `${name}: deposit ${id} is being swept`),
  ];
}

async function booksOf({ name, api, rows, withdrawals, adjusted }: Reported): Promise<string[]> {
  const wrong: string[] = [];
  for (const currency of CURRENCIES) {
    const credited = sum(
      depositRows(rows).filter((row) => row.currency === currency && isCredited(row))
        .map((row) => row.amount_decimal),
    );
    const cost = sum(
      withdrawals.filter((row) => row.currency === currency && row.status === "confirmed")
        .flatMap(({ amount, fee }) => [amount, fee]),
    );
    const must = credited + units(adjusted[currency] ?? "0") - cost;
    const balance = await balanceOf(api, currency);
    if (units(balance.balance) !== must) {
      wrong.push(`${name}: ${currency} balance is ${balance.balance}, must be ${shown(must)}`);
    }
    if (units(balance.held) !== 0n) wrong.push(`${name}: ${currency} held is ${balance.held}`);
  }
  return wrong;
}

/** Compares the chain's payments to each address with the credits, each once. */
function depositsOf({ chain, reported, order }: Findings): string[] {
  const deep = chain.head - order.minConfirmations + 1;
  return reported.flatMap(({ name, rows, addresses }) => {
    const ours = new Set(addresses.map((address) => address.toLowerCase()));
    const paid = chain.movements
      .filter((one) => ours.has(one.to) && one.raw > 0n && one.height <= deep)
      .filter(({ from }) => from !== order.gasWallet.toLowerCase())
      .map(keyOf);
    const credited = depositRows(rows).filter(isCredited).map(keyOfRow);
    return differences(`${name}: deposit`, { chain: paid, books: credited });
  });
}

/** Every confirmed withdrawal is one payment of the hot wallet, and the other way round. */
function paymentsOf(chain: ChainBooks, { name, hotWallet, withdrawals }: Reported): string[] {
  const paid = chain.movements.filter(({ from }) => from === hotWallet.toLowerCase()).map(keyOf);
  const confirmed = withdrawals.filter(({ status }) => status === "confirmed").map((row) =>
    `${row.tx_hash} ${row.to_address.toLowerCase()} ${
      rawOf(row.amount, row.currency)
    } ${row.currency}`
  );
  return differences(`${name}: withdrawal`, { chain: paid, books: confirmed });
}

function topUpsOf({ chain, reported, order }: Findings): string[] {
  const sent = chain.movements
    .filter(({ from }) => from === order.gasWallet.toLowerCase())
    .map(keyOf);
  const booked = reported.flatMap(({ rows }) => outgoing(rows, "gas_topup")).map(keyOfRow);
  return differences("Gas top-up", { chain: sent, books: booked });
}

function sweepsOf(chain: ChainBooks, { name, addresses, receiver, rows }: Reported): string[] {
  const ours = new Set(addresses.map((address) => address.toLowerCase()));
  const left = chain.movements.filter(({ from }) => ours.has(from)).map(keyOf);
  const got = chain.movements.filter(({ to }) => to === receiver.toLowerCase()).map(keyOf);
  const booked = outgoing(rows, "sweep").map(keyOfRow);
  return [
    ...differences(`${name}: sweep`, { chain: left, books: booked }),
    ...differences(`${name}: receiver`, { chain: got, books: booked }),
  ];
}

/** The credits of an address, less sweeps and their fees, must be on it. */
async function coinsOf(chain: ChainBooks, { name, addresses, rows }: Reported): Promise<string[]> {
  const wrong: string[] = [];
  for (const address of addresses) {
    const to = (row: Listed) => row.to_address.toLowerCase() === address.toLowerCase();
    const from = (row: Listed) => row.from_address.toLowerCase() === address.toLowerCase();
    const sweeps = outgoing(rows, "sweep", ["confirmed", "failed"]).filter(from);
    const feesRaw = sweeps.reduce((all, row) => all + (chain.feesRaw.get(row.tx_hash) ?? 0n), 0n);
    for (const currency of CURRENCIES) {
      const of = (some: readonly Listed[]) =>
        some.filter((row) => row.currency === currency)
          .reduce((all, row) => all + rawOf(row.amount_decimal, currency), 0n);
      const came = of(depositRows(rows).filter((row) => isCredited(row) && to(row))) +
        of(outgoing(rows, "gas_topup").filter(to));
      const left = of(sweeps.filter(({ status }) => status === "confirmed")) +
        (currency === "ETH" ? feesRaw : 0n);
      const has = await chain.balanceRaw(address, currency);
      if (has !== came - left) {
        wrong.push(`${name}: ${address} has ${has} of ${currency}, by the rows ${came - left}`);
      }
    }
  }
  return wrong;
}

function keyOf({ hash, to, raw, currency }: Movement): string {
  return `${hash} ${to} ${raw} ${currency}`;
}

function keyOfRow({ tx_hash, to_address, amount_decimal, currency }: Listed): string {
  return `${tx_hash} ${to_address.toLowerCase()} ${rawOf(amount_decimal, currency)} ${currency}`;
}

function depositRows(rows: readonly Listed[]): readonly Listed[] {
  return rows.filter(({ direction }) => direction === "deposit");
}

function outgoing(
  rows: readonly Listed[],
  direction: string,
  statuses: readonly string[] = ["confirmed"],
): readonly Listed[] {
  return rows.filter((row) => row.direction === direction && statuses.includes(row.status));
}

function isCredited({ status }: Listed): boolean {
  return CREDITED_STATUSES.includes(status);
}

function sum(amounts: readonly string[]): bigint {
  return amounts.reduce((all, one) => all + units(one), 0n);
}

function rawOf(text: string, currency: string): bigint {
  return units(text) / 10n ** BigInt(DIGITS - DECIMALS[currency]!);
}

function units(text: string): bigint {
  const [, minus, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)!;
  return BigInt(`${minus}${whole}${fraction.padEnd(DIGITS, "0")}`);
}

function shown(value: bigint): string {
  const text = String(value < 0n ? -value : value).padStart(DIGITS + 1, "0");
  const fraction = text.slice(-DIGITS).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${text.slice(0, -DIGITS)}${fraction && `.${fraction}`}`;
}
