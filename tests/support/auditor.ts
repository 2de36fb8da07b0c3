import assert from "node:assert/strict";
import { encodeFunctionData } from "viem/utils";
import type { Anvil, Reply } from "./nodes/anvil.ts";
import type { ApiClient } from "./api_client.ts";
import { type BalanceView, type Listed, transactionsOf } from "./views.ts";

interface Audit {
  readonly api: ApiClient;
  readonly anvil: Anvil;
  /** Every deposit address that the account was given. */
  readonly addresses: readonly string[];
  readonly network?: string;
  readonly currency?: string;
  /** Absent for the native coin. */
  readonly token?: { readonly contract: string; readonly decimals: number };
  /** The operator's manual adjustments. */
  readonly adjusted?: string;
  readonly minConfirmations?: number;
  /** The ids where counting began: 1, and another one after each restore. */
  readonly idsFrom?: readonly number[];
  /**
   * Transactions that our keys signed without the gateway: their hashes, and the amount that
   * reached `addresses`.
   */
  readonly outside?: { readonly hashes: readonly string[]; readonly receivedRaw: bigint };
}

interface Paid {
  readonly id: number;
  readonly status: string;
  readonly amount: string;
  readonly fee: string;
  readonly to_address: string;
  readonly tx_hash: string | null;
}

/** Exact for every amount and fee that the API can show. */
const DIGITS = 40;
const IDS_WITHOUT_ONE_MAX = 20;
/** Its own list: a mistake in the gateway's mustn't be repeated here. */
export const CREDITED_STATUSES = ["confirmed", "sweep_pending", "swept"];
const BALANCE_OF = [{
  type: "function",
  name: "balanceOf",
  stateMutability: "view",
  inputs: [{ type: "address" }],
  outputs: [{ type: "uint256" }],
}] as const;

/**
 * A second set of books, made only from the API and the chain. It checks the account's balance, its
 * addresses' balances, and that its hot wallet paid what it should and no more.
 */
export async function audit(order: Audit): Promise<void> {
  const filled = { network: "ETH", currency: "ETH", minConfirmations: 3, idsFrom: [1], ...order };
  const { api, network, currency, idsFrom } = filled;
  const query = `&network=${network}&currency=${currency}`;
  const deposits = await transactionsOf(api, `${query}&direction=deposit`);
  const withdrawals = await withdrawalsOf(api, { network, currency, idsFrom });
  const balance = await balanceOf(api, { network, currency });
  checkBooks({ deposits, withdrawals, balance, adjusted: order.adjusted ?? "0" });
  await checkDeposits(filled, deposits);
  await checkPayments(filled, withdrawals);
}

function checkBooks(
  { deposits, withdrawals, balance, adjusted }: {
    deposits: readonly Listed[];
    withdrawals: readonly Paid[];
    balance: BalanceView;
    adjusted: string;
  },
): void {
  const credits = sum(
    deposits.filter((row) => CREDITED_STATUSES.includes(row.status)).map((row) =>
      row.amount_decimal
    ),
  );
  const costs = (statuses: string[]) =>
    sum(
      withdrawals.filter((row) => statuses.includes(row.status))
        .flatMap((row) => [row.amount, row.fee]),
    );
  const held = costs(["pending", "broadcasted"]);
  const must = credits + units(adjusted) - costs(["confirmed"]);
  assert.equal(units(balance.balance), must, "The balance is what came in less what went out");
  assert.equal(units(balance.held), held, "Held is what open withdrawals take");
  assert.equal(units(balance.available), must - held, "Available is the rest");
}

/** A deposit address received what it holds plus its sweeps and their fees. */
async function checkDeposits(
  order: Audit & { minConfirmations: number },
  deposits: readonly Listed[],
): Promise<void> {
  const { anvil, addresses, token, minConfirmations } = order;
  const credited = deposits.filter((row) => CREDITED_STATUSES.includes(row.status));
  const ids = deposits.map((row) => row.id);
  assert.equal(new Set(ids).size, ids.length, "Every deposit is listed once");
  assert.ok(deposits.every((row) => addresses.includes(row.to_address)), "Every address is known");
  const head = Number(await anvil.rpc("eth_blockNumber"));
  const deep = `0x${(head - minConfirmations + 1).toString(16)}`;
  const held = await Promise.all(
    addresses.map((address) => heldAt(anvil, { address, token, block: deep })),
  );
  const moved = await movedRaw(order, Number(deep));
  const received = held.reduce((all, one) => all + one, 0n) + moved -
    (order.outside?.receivedRaw ?? 0n);
  const booked = sum(credited.map((row) => row.amount_decimal));
  const inUnits = received * 10n ** BigInt(DIGITS - (token?.decimals ?? 18));
  assert.equal(booked, inUnits, "What was credited is what the addresses hold");
}

/**
 * The amount that sweeps took from deposit addresses, including fees, less the gas sent to them.
 * Every transaction of theirs must be a sweep that the API shows, and pay nobody else.
 */
async function movedRaw(order: Audit, height: number): Promise<bigint> {
  const { anvil, api, addresses, token, network = "ETH" } = order;
  const rows = await transactionsOf(api, `&network=${network}`);
  const byHash = new Map(
    rows.filter(({ direction }) => direction === "sweep" || direction === "gas_topup")
      .map((row) => [row.tx_hash, row]),
  );
  const isOutside = (hash: string) => order.outside?.hashes.includes(hash) ?? false;
  let moved = 0n;
  for (const address of addresses) {
    for (const tx of await sentBy(anvil, address)) {
      if (Number(tx.blockNumber) > height) continue;
      const row = byHash.get(tx.hash);
      assert.ok(row || isOutside(tx.hash), `${tx.hash} of ${address} is no sweep of the account`);
      const isPaid = tx.receipt.status === "0x1";
      const fee = BigInt(tx.receipt.gasUsed) * BigInt(tx.receipt.effectiveGasPrice) +
        BigInt(tx.receipt.l1Fee ?? 0);
      if (!token) moved += fee + (isPaid ? BigInt(tx.value) : 0n);
      else if (isPaid && tx.to === token.contract.toLowerCase()) {
        moved += BigInt(tx.receipt.logs[0].data);
      }
      if (row && isPaid) checkSwept(tx, row);
    }
  }
  return token ? moved : moved - await toppedUpRaw(order, { byHash, height });
}

function checkSwept(tx: Reply, row: Listed): void {
  assert.equal(row.direction, "sweep");
  const [log] = tx.receipt.logs;
  const to = log ? `0x${log.topics[2].slice(26)}` : tx.to;
  assert.equal(to, row.to_address.toLowerCase(), "A sweep goes where the account was told");
  if (!log) assert.equal(BigInt(tx.value), units(row.amount_decimal) / 10n ** BigInt(DIGITS - 18));
}

async function toppedUpRaw(
  { anvil, addresses }: Audit,
  { byHash, height }: { byHash: ReadonlyMap<string, Listed>; height: number },
): Promise<bigint> {
  let sent = 0n;
  for (const row of byHash.values()) {
    if (row.direction !== "gas_topup" || !addresses.includes(row.to_address)) continue;
    const tx = await anvil.rpc("eth_getTransactionByHash", [row.tx_hash]);
    if (!tx || tx.blockNumber === null || Number(tx.blockNumber) > height) continue;
    assert.equal(tx.to, row.to_address.toLowerCase());
    assert.equal(BigInt(tx.value), units(row.amount_decimal) / 10n ** BigInt(DIGITS - 18));
    sent += BigInt(tx.value);
  }
  return sent;
}

/** Every transaction of the hot wallet must be a withdrawal that pays what the API shows, or nothing. */
async function checkPayments(
  order: Audit & { network: string },
  withdrawals: readonly Paid[],
): Promise<void> {
  const { api, anvil, network, token, outside } = order;
  const { body } = await api.get(`/v1/hot-wallet-address?network=${network}`);
  const sent = await sentBy(anvil, body.data.address);
  const byHash = new Map(withdrawals.filter((row) => row.tx_hash).map((row) => [row.tx_hash, row]));
  for (const row of withdrawals.filter(({ status }) => status === "confirmed")) {
    const tx = sent.find(({ hash }) => hash === row.tx_hash);
    assert.ok(tx, `Withdrawal ${row.id} is confirmed and on the chain`);
    assert.equal(tx.receipt.status, "0x1", `Withdrawal ${row.id} succeeded`);
    await checkPaid(tx, { row, token });
  }
  for (const { hash, from, to, value, receipt } of sent) {
    const row = byHash.get(hash);
    const isOpen = row?.status === "broadcasted" || row?.status === "pending";
    const isOwn = outside?.hashes.includes(hash) || (to === from && BigInt(value) === 0n);
    if (row?.status === "confirmed" || isOpen || isOwn) continue;
    const isFailed = row?.status === "failed" && receipt.status === "0x0";
    const isOther = !row && isOfOtherCurrency({ token, value });
    assert.ok(isFailed || isOther, `${hash} of the hot wallet belongs to no withdrawal`);
  }
}

/** For the native coin this is a call; the token's own audit sees the payment. */
function isOfOtherCurrency({ token, value }: { token: Audit["token"]; value: string }): boolean {
  return (token === undefined) === (BigInt(value) === 0n);
}

function checkPaid(tx: Reply, { row, token }: { row: Paid; token: Audit["token"] }): void {
  const raw = units(row.amount) / 10n ** BigInt(DIGITS - (token?.decimals ?? 18));
  if (!token) {
    assert.equal(tx.to, row.to_address.toLowerCase());
    assert.equal(BigInt(tx.value), raw);
    return;
  }
  const [log] = tx.receipt.logs;
  assert.equal(log.address, token.contract.toLowerCase());
  assert.equal(log.topics[2].slice(26), row.to_address.slice(2).toLowerCase());
  assert.equal(BigInt(log.data), raw);
}

async function heldAt(
  anvil: Anvil,
  { address, token, block }: { address: string; token: Audit["token"]; block: string },
): Promise<bigint> {
  if (!token) return BigInt(await anvil.rpc("eth_getBalance", [address, block]));
  const data = encodeFunctionData({ abi: BALANCE_OF, args: [address as `0x${string}`] });
  return BigInt(await anvil.rpc("eth_call", [{ to: token.contract, data }, block]));
}

async function sentBy(anvil: Anvil, wallet: string): Promise<Reply[]> {
  const head = Number(await anvil.rpc("eth_blockNumber"));
  const sent = [];
  for (let height = 0; height <= head; height++) {
    const block = await anvil.rpc("eth_getBlockByNumber", [`0x${height.toString(16)}`, true]);
    for (const tx of block.transactions) {
      if (tx.from !== wallet.toLowerCase()) continue;
      sent.push({ ...tx, receipt: await anvil.rpc("eth_getTransactionReceipt", [tx.hash]) });
    }
  }
  return sent;
}

/** The API lists no withdrawals that were never sent, so every id is asked for. */
async function withdrawalsOf(
  api: ApiClient,
  { network, currency, idsFrom }: {
    network: string;
    currency: string;
    idsFrom: readonly number[];
  },
): Promise<Paid[]> {
  const found: Paid[] = [];
  for (const first of idsFrom) {
    for (let id = first, missing = 0; missing < IDS_WITHOUT_ONE_MAX; id++) {
      const { status, body } = await api.get(`/v1/withdrawals/${id}`);
      missing = status === 200 ? 0 : missing + 1;
      const isOurs = status === 200 && body.data.network === network &&
        body.data.currency === currency;
      if (isOurs) found.push(body.data);
    }
  }
  return found;
}

async function balanceOf(
  api: ApiClient,
  { network, currency }: { network: string; currency: string },
): Promise<BalanceView> {
  const { body } = await api.get(`/v1/balances?network=${network}&currency=${currency}`);
  return body.data[0] ?? { balance: "0", held: "0", available: "0" };
}

function sum(amounts: readonly string[]): bigint {
  return amounts.reduce((all, one) => all + units(one), 0n);
}

/** Refuses anything but a plain decimal. */
function units(text: string): bigint {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  assert.ok(whole !== undefined && fraction.length <= DIGITS, `"${text}" is no plain decimal`);
  const value = BigInt(whole + fraction.padEnd(DIGITS, "0"));
  return sign === "-" ? -value : value;
}
