import { invariant, present } from "../../../base/assert.ts";
import { first } from "../../../base/lists.ts";
import { Amount, assetOf } from "../../../domain/money/amount.ts";
import type { Allotted, SignedBefore } from "../../chain.ts";
import type { OutputBook, OwnBytes } from "../../outputs.ts";
import { outpointOf } from "../../../domain/outpoint.ts";
import { lowerMedian } from "../../pool/compared.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { aboveFeeMax, type PriceOptions } from "../../price.ts";
import type {
  Preflight,
  PreparedTransfer,
  TransferRefused,
  TransferRequest,
} from "../../transfer.ts";
import { dustLimit, readAddress } from "../addresses.ts";
import { readTransaction } from "../bytes/transaction.ts";
import { type Change, chooseCoins, type Plan, type Planned, planOf } from "../coins/choose.ts";
import { planReplacement, type Replaced } from "../coins/replace.ts";
import { type Payment, sumOf } from "../coins/size.ts";
import type { BitcoinNode } from "../node/node.ts";
import { type BitcoinNetwork, DECIMALS } from "../params.ts";
import { type BitcoinDetail, coinOf, detailOf, type OwnCoin } from "./detail.ts";
import type { FeeMarket } from "./market.ts";

export interface Wallets {
  readonly pool: Pool<BitcoinNode>;
  readonly network: BitcoinNetwork;
  /** The network's code. */
  readonly code: string;
  readonly book: OutputBook;
  market(): Promise<FeeMarket>;
}

/** Nodes take 25 that hang together in no block; some are left to whom we have paid. */
const FAMILY_MAX = 20;
/** So many a wallet keeps, so that payments don't wait for each other's change. */
const COINS_WANTED = 8;
/** Change is divided only into parts that are worth something: so many times what is dust. */
const PART_DUSTS = 100n;

export async function prepareTransfer(
  wallets: Wallets,
  { request, price }: { request: TransferRequest; price: PriceOptions },
): Promise<Preflight> {
  const { network } = wallets;
  const { from, to, amountRaw } = request;
  invariant(amountRaw > 0n, `Cannot transfer ${amountRaw}`);
  const payment = paymentTo(to, { network, amountRaw });
  const least = dustLimit(payment.script, network);
  if (amountRaw < least) {
    return reverts(`${to} can't be paid less than ${inCoins(least, network)}`);
  }
  const [{ rateRaw }, coins] = await Promise.all([wallets.market(), coinsOf(wallets, [from])]);
  const choosing = { coins, payments: [payment], from, rateRaw };
  return choose(wallets, choosing, { request, price });
}

/** The same for the same orders, without those that are revoked. */
export async function prepareAgain(
  wallets: Wallets,
  { from, raw, without = [], lost = [], instead = [], isFinal = false, isAnyway }: SignedBefore,
  price: PriceOptions,
): Promise<Preflight> {
  const { network } = wallets;
  const own = await ownInputs(wallets, raw);
  const back = changeScript(from, network);
  const payments = own.outputs.filter(({ script }) => script !== back);
  for (const { to, amountRaw } of without) {
    const { script } = paymentTo(to, { network, amountRaw });
    const place = payments.findIndex((one) => one.script === script && one.valueRaw === amountRaw);
    invariant(place >= 0, `It pays ${to}`);
    payments.splice(place, 1);
  }
  const request = requestFor(from, payments);
  const replacing = {
    ...{ own, payments, lost: new Set(lost), instead: new Set(instead), isFinal },
    isUrgent: isAnyway === true || without.length > 0,
  };
  return await replace(wallets, replacing, { request, price });
}

/**
 * The orders of one wallet share a transaction, at the highest rate that one of them was prepared
 * with. If its coins don't suffice for all, those that came first are paid.
 */
export async function allot(
  wallets: Wallets,
  prepared: readonly PreparedTransfer[],
): Promise<readonly Allotted[]> {
  const orders = prepared.map((one, i) => ({ i, one, ...detailOf(one) }));
  // What is gathered from many addresses has its coins already.
  const [payouts, others] = [orders.filter(isPayout), orders.filter((order) => !isPayout(order))];
  const lots: Allotted[] = others.map(({ i, one }) => ({
    orders: [i],
    preflight: { kind: "ready", prepared: one },
  }));
  for (const [from, own] of Map.groupBy(payouts, ({ from }) => from)) {
    const coins = await coinsOf(wallets, [from]);
    const prepare = (some: typeof own): Preflight => {
      const payments = some.flatMap(({ plan }) => plan.payments);
      const rateRaw = some.reduce((most, one) => max(most, one.rateRaw), 0n);
      const request = some.length === 1 ? first(some).one.request : requestFor(from, payments);
      return choose(wallets, { coins, payments, from, rateRaw }, { request, price: {} });
    };
    const all = prepare(own);
    if (all.kind === "ready") {
      lots.push({ orders: own.map(({ i }) => i), preflight: all });
      continue;
    }
    let some: typeof own = [];
    let best: Preflight | undefined;
    for (const order of own) {
      const preflight = prepare([...some, order]);
      if (preflight.kind === "refused") lots.push({ orders: [order.i], preflight });
      else [some, best] = [[...some, order], preflight];
    }
    if (best) lots.push({ orders: some.map(({ i }) => i), preflight: best });
  }
  return lots;
}

function isPayout({ one: { request }, plan, from }: {
  readonly one: PreparedTransfer;
  readonly plan: Plan;
  readonly from: string;
}): boolean {
  return from === request.from && plan.payments.length > 0;
}

function requestFor(from: string, payments: readonly Payment[]): TransferRequest {
  return { from, to: from, contract: null, amountRaw: sumOf(payments) };
}

interface Choosing {
  readonly coins: readonly OwnCoin[];
  readonly payments: readonly Payment[];
  readonly from: string;
  readonly rateRaw: bigint;
}

function choose(
  wallets: Wallets,
  choosing: Choosing,
  asked: Omit<Asked, "from" | "rateRaw" | "network">,
): Preflight {
  const { network } = wallets;
  const { from, rateRaw } = choosing;
  const as = { ...asked, from, rateRaw, network };
  const sure = choosing.coins.filter(({ output }) => output.isSure);
  const promised = choosing.coins.filter(({ output }) => output.isPromised);
  for (const coins of [sure, leastCrowded(sure)]) {
    const some = planned(wallets, { ...choosing, coins }, promised);
    if (some.kind === "planned" && !isCrowded(some.inputs)) return asPreflight(some, as);
  }
  const all = planned(wallets, choosing, promised);
  if (all.kind !== "planned") return asPreflight(all, as);
  return waiting("The hot wallet's coins are not deep enough in blocks yet: try again later");
}

function waiting(reason: string): TransferRefused {
  return { kind: "refused", cause: "waiting", reason };
}

/**
 * What refused bytes spend is spent too, or those bytes could be mined after all, beside what
 * replaced them.
 */
function planned(
  { network }: Wallets,
  { coins, payments, from, rateRaw }: Choosing,
  promised: readonly OwnCoin[],
) {
  const change = changeOf(from, network);
  const planned = chooseCoins({ coins, payments, change, rateRaw });
  if (planned.kind !== "planned") return planned;
  const chosen = new Set(planned.inputs.map(keyOf));
  const others = promised.filter((coin) => !chosen.has(keyOf(coin)));
  if (others.length === 0) return planned;
  const inputs = [...planned.inputs, ...others];
  return planOf(inputs, { payments, change, parts: planned.change.length || 1, rateRaw });
}

/** Nodes wouldn't take one more of all that would hang together then. */
function isCrowded(inputs: readonly OwnCoin[]): boolean {
  return new Set(inputs.flatMap(({ output }) => output.family)).size >= FAMILY_MAX;
}

/** Those in blocks, and of the others one family with room, in which there is most. */
function leastCrowded(coins: readonly OwnCoin[]): readonly OwnCoin[] {
  const confirmed = coins.filter(({ isConfirmed }) => isConfirmed);
  const unconfirmed = coins.filter((coin) => !coin.isConfirmed && !isCrowded([coin]));
  const families = [...Map.groupBy(unconfirmed, ({ output }) => output.family.join()).values()];
  const [richest = []] = families.toSorted((a, b) => sumOf(a) < sumOf(b) ? 1 : -1);
  return [...confirmed, ...richest];
}

interface Replacing {
  /** The bytes that it replaces. */
  readonly own: OwnInputs;
  readonly payments: readonly Payment[];
  readonly lost: ReadonlySet<string>;
  readonly instead: ReadonlySet<string>;
  readonly isFinal: boolean;
  /** An operator wants it, or it takes a payment back. */
  readonly isUrgent: boolean;
}

async function replace(
  wallets: Wallets,
  { own, payments, lost, instead, isFinal, isUrgent }: Replacing,
  { request, price }: Pick<Asked, "request" | "price">,
): Promise<Preflight> {
  const { network } = wallets;
  const { from } = request;
  const [{ rateRaw, incrementRaw }, coins, relatives] = await Promise.all([
    wallets.market(),
    coinsOf(wallets, [from]),
    // What can't be mined any more is in no mempool either.
    lost.size > 0 ? ALONE : relativesOf(wallets, { own, from }),
  ]);
  const kept = own.inputs.filter((coin) => !lost.has(keyOf(coin)));
  const others = coins.filter(({ output }) => output.isSure);
  const made = coins.filter((coin) => instead.has(keyOf(coin))).slice(0, 1);
  // A reorganisation could have both mined.
  if (lost.size > 0 && !isFinal && made.length === 0) {
    return waiting("What was mined instead is not final, and all that it made is spent");
  }
  const rivals = lost.size === 0 ? [] : [
    ...made,
    ...coins.filter((coin) => coin.output.isPromised && !instead.has(keyOf(coin))),
  ];
  const replaced = lost.size > 0 ? NOTHING : replacedOf(own, relatives);
  const change = changeOf(from, network);
  const inputs = [...kept, ...rivals];
  const { ancestors } = relatives;
  const wanted = { inputs, payments, change, others, rateRaw, incrementRaw, ancestors };
  const planned = planReplacement({ ...wanted, replaced });
  const attachedRaw = relatives.foreignFeesRaw;
  if (!isUrgent && planned.kind === "planned" && 2n * attachedRaw > planned.feeRaw) {
    const attached = inCoins(attachedRaw, network);
    const reason =
      `Who was paid spends it for a fee of ${attached}, which would have to be paid too`;
    return { kind: "refused", cause: "too_expensive", reason };
  }
  return asPreflight(planned, { request, price, from, rateRaw, network });
}

export async function replacedBy(
  wallets: Wallets,
  replacing: { readonly own: OwnInputs; readonly from: string },
): Promise<Replaced> {
  return replacedOf(replacing.own, await relativesOf(wallets, replacing));
}

function replacedOf(
  { feeRaw, vsize }: OwnInputs,
  { ownFeesRaw, foreignFeesRaw }: Relatives,
): Replaced {
  return { feeRaw, vsize, descendantFeesRaw: ownFeesRaw + foreignFeesRaw };
}

const NOTHING = { feeRaw: 0n, vsize: 1, descendantFeesRaw: 0n };

interface OwnInputs {
  readonly txid: string;
  readonly inputs: readonly OwnCoin[];
  readonly outputs: readonly Payment[];
  readonly feeRaw: bigint;
  readonly vsize: number;
}

/** Signed bytes of ours with the amounts that they spend. */
export async function ownInputs({ book, code, network }: Wallets, raw: string): Promise<OwnInputs> {
  const { hasMweb } = network;
  const read = readTransaction(Uint8Array.fromHex(raw), { hasMweb });
  const { txid, inputs, outputs, weight } = present(read, "We sign ordinary transactions only");
  const outpoints = inputs.map(({ txid, vout }) => outpointOf({ txHash: txid, position: vout }));
  const found = await book.at({ network: code, outpoints });
  const byOutpoint = new Map(found.map((output) => [outpointOf(output), output]));
  const coins = outpoints.map((outpoint) => {
    const made = present(byOutpoint.get(outpoint), `Output ${outpoint} is in the books`);
    // Whether they are in a block matters to nobody who spends them already.
    const output = { ...made, height: 0, isSure: true, family: [], isPromised: false };
    return coinOf(output);
  });
  const feeRaw = sumOf(coins) - sumOf(outputs);
  return { txid, inputs: coins, outputs, feeRaw, vsize: Math.ceil(weight / 4) };
}

/** What hangs together with a transaction in no block. */
interface Relatives {
  /** Of all that it comes from. */
  readonly ancestors: { readonly feeRaw: bigint; readonly vsize: number };
  /** Of what comes from it: what we signed, and what others did. */
  readonly ownFeesRaw: bigint;
  readonly foreignFeesRaw: bigint;
}

const ALONE: Relatives = {
  ancestors: { feeRaw: 0n, vsize: 0 },
  ownFeesRaw: 0n,
  foreignFeesRaw: 0n,
};

/** What is ours the books know. Nodes are believed only about what others have attached. */
async function relativesOf(
  wallets: Wallets,
  { own: { txid }, from }: { readonly own: OwnInputs; readonly from: string },
): Promise<Relatives> {
  const { pool, book, code } = wallets;
  const { before, after } = await book.unminedAround({ network: code, sender: from, txHash: txid });
  const read = (some: readonly OwnBytes[]) =>
    Promise.all(some.map(async ({ txHash, raw }) => {
      const own = await ownInputs(wallets, raw);
      invariant(own.txid === txHash, `These are the bytes of ${txHash}`);
      return own;
    }));
  const [ancestors, descendants, foreignFeesRaw] = await Promise.all([
    read(before),
    read(after.filter(({ isLive }) => isLive)),
    foreignFees(pool, { txid, own: new Set(after.map(({ txHash }) => txHash)) }),
  ]);
  const vsize = ancestors.reduce((sum, one) => sum + one.vsize, 0);
  return {
    ancestors: { feeRaw: feesOf(ancestors), vsize },
    ownFeesRaw: feesOf(descendants),
    foreignFeesRaw,
  };
}

/**
 * A node that doesn't know it, or is silent, throws nothing out for it. Where nodes disagree, the
 * lower half is believed: a replacement that pays too little is refused by some and loses nothing.
 */
async function foreignFees(
  pool: Pool<BitcoinNode>,
  { txid, own }: { readonly txid: string; readonly own: ReadonlySet<string> },
): Promise<bigint> {
  const answers = await pool.each((node) => node.relatives(txid, "descendants"));
  return lowerMedian(answers.map((answer) => {
    const found = answer.ok ? answer.value : undefined;
    return feesOf([...found ?? []].flatMap(([hash, entry]) => own.has(hash) ? [] : [entry]));
  }));
}

function feesOf(some: readonly { readonly feeRaw: bigint }[]): bigint {
  return some.reduce((sum, { feeRaw }) => sum + feeRaw, 0n);
}

/** The coins that may be spent now. */
export async function coinsOf(
  { book, code }: Wallets,
  addresses: readonly string[],
): Promise<readonly OwnCoin[]> {
  const outputs = await book.unspentOf({ network: code, addresses });
  return outputs.map(coinOf);
}

export function paymentTo(
  address: string,
  { network, amountRaw: valueRaw }: { network: BitcoinNetwork; amountRaw: bigint },
): Payment {
  const { script } = present(readAddress(address, network), `Not an address: ${address}`);
  return { script, valueRaw };
}

function changeScript(from: string, network: BitcoinNetwork): string {
  return paymentTo(from, { network, amountRaw: 0n }).script;
}

function changeOf(from: string, network: BitcoinNetwork): Change {
  const script = changeScript(from, network);
  const dustRaw = dustLimit(script, network);
  return { script, dustRaw, coinsWanted: COINS_WANTED, partMinRaw: PART_DUSTS * dustRaw };
}

interface Asked {
  readonly request: TransferRequest;
  readonly price: PriceOptions;
  readonly from: string;
  readonly rateRaw: bigint;
  readonly network: BitcoinNetwork;
}

export function asPreflight(
  planned: Planned<OwnCoin>,
  { request, price, from, rateRaw, network }: Asked,
): Preflight {
  if (planned.kind === "short") {
    const missing = inCoins(planned.missingRaw, network);
    const reason = `The wallet lacks ${missing} for payment and fee`;
    return { kind: "refused", cause: "unaffordable", reason };
  }
  if (planned.kind === "too_large") {
    return reverts("The wallet's coins are too small for one transaction");
  }
  return tooExpensive(planned, price) ?? aboveFeeMax(chargeOf(planned), price) ?? {
    kind: "ready",
    prepared: preparedOf(planned, { request, from, rateRaw }),
  };
}

function tooExpensive(
  { feeRaw, vsize }: Plan,
  { gasPriceMaxRaw }: PriceOptions,
): TransferRefused | undefined {
  if (gasPriceMaxRaw === undefined || gasPriceMaxRaw === null) return undefined;
  if (feeRaw <= gasPriceMaxRaw * BigInt(vsize)) return undefined;
  const perByte = Number(feeRaw) / vsize;
  const reason = `The fee is ${perByte.toFixed(1)} sat/vB, and ${gasPriceMaxRaw} are allowed`;
  return { kind: "refused", cause: "too_expensive", reason };
}

function chargeOf({ vsize, feeRaw }: Plan) {
  return { gas: BigInt(vsize), maxRaw: feeRaw };
}

function preparedOf(
  plan: Plan<OwnCoin>,
  { request, from, rateRaw }: Omit<Asked, "price" | "network">,
): PreparedTransfer<BitcoinDetail> {
  const { feeRaw } = plan;
  return {
    request,
    nativeCostMaxRaw: request.amountRaw + feeRaw,
    feeAtMostRaw: feeRaw,
    charge: chargeOf(plan),
    detail: { plan, from, rateRaw },
  };
}

function reverts(reason: string): TransferRefused {
  return { kind: "refused", cause: "reverts", reason };
}

function keyOf({ txid, vout }: OwnCoin): string {
  return `${txid}:${vout}`;
}

function inCoins(raw: bigint, { symbol }: BitcoinNetwork): string {
  const asset = assetOf({ network: symbol, currency: symbol });
  return `${Amount.fromRaw(raw, { asset, decimals: DECIMALS })} ${symbol}`;
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
