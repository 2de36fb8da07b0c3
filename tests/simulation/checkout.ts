import type { ApiReply } from "../support/api_client.ts";
import {
  type EventSeen,
  type Invoiced,
  type MerchantBooks,
  placeOf,
  shown,
  units,
} from "./books.ts";
import { type Coin, coinNamed, coinsOf, type Ground } from "./ground.ts";
import type { Random } from "./random.ts";
import type { World } from "./seed.ts";

type Ask = (
  merchant: MerchantBooks,
  method: "GET" | "POST",
  target: string,
  body?: Readonly<Record<string, unknown>>,
) => Promise<ApiReply>;

interface People {
  readonly world: World;
  readonly random: Random;
  readonly ask: Ask;
  breach(promise: string): void;
  nextReference(of: string): string;
}

type Way = "nothing" | "exactly" | "too little" | "in two parts" | "twice" | "late" | "dust";

const WAYS: readonly Way[] = [
  ...["exactly", "exactly", "exactly", "too little", "in two parts", "twice", "late", "dust"],
  "nothing",
] as Way[];

/** A merchant's customer pays an invoice in some way, and may get some of it back. */
export async function sellSomething(people: People, merchant: MerchantBooks): Promise<void> {
  const { world, random, breach } = people;
  const ground = random.pick(world.grounds);
  const coin = random.pick(coinsOf(ground));
  const invoice = await issue(people, merchant, { ground, coin });
  if (!invoice) return;
  const way = random.pick(WAYS);
  world.story.tell(`${merchant.name}: invoice ${invoice.id} of ${invoice.amount}, paid ${way}`);
  await payInvoice(people, { ground, coin, invoice, way });
  if (random.chance(0.1)) await cancel(people, merchant, invoice);
  if (!random.chance(0.6)) return;
  await world.time.sleep(random.wait(10 * 60_000));
  const times = random.pick([1, 1, 2, 3]);
  // Somebody clicks again before the first click is answered.
  await Promise.all(
    Array.from({ length: times }, () => refund(people, merchant, { ground, coin, invoice })),
  ).catch((error) => breach(`a refund of invoice ${invoice.id} can't be asked for: ${error}`));
}

async function issue(
  { world, random, ask, breach, nextReference }: People,
  merchant: MerchantBooks,
  { ground, coin }: { ground: Ground; coin: Coin },
): Promise<Invoiced | undefined> {
  const { network } = ground;
  const currency = coin.symbol;
  const amount = currency === ground.coin.symbol
    ? `0.${random.between(1_000, 999_999)}`
    : `${random.between(2, 90)}.${random.between(1, 9)}`;
  const body = {
    amount,
    currency,
    method: { network, currency },
    expires_in: random.pick([300, 600, 900]),
    idempotency_key: nextReference("invoice"),
  };
  const { restores } = world.counts;
  const reply = await ask(merchant, "POST", "/v1/invoices", body);
  const answeredAtMs = world.time.nowMs;
  if (reply.body?.success !== true) {
    breach(`an invoice is refused: ${reply.status} ${JSON.stringify(reply.body)}`);
    return undefined;
  }
  const { data } = reply.body;
  const method = data.methods.find((one: { address: string | null }) => one.address !== null);
  if (random.chance(0.2)) {
    const again = await ask(merchant, "POST", "/v1/invoices", body);
    const isSame = restores === world.counts.restores;
    if (isSame && again.body?.data?.invoice_id !== data.invoice_id) {
      breach(`repeated, ${body.idempotency_key} is another invoice: ${JSON.stringify(again.body)}`);
    }
  }
  const invoice: Invoiced = {
    id: data.invoice_id,
    network,
    currency,
    amount,
    address: method.address,
    // The database may have been slow to take it.
    createdAtMs: answeredAtMs,
    expiresAtMs: world.time.nowMs + body.expires_in * 1000,
    isCancelled: false,
    cancelledAtMs: 0,
    refunds: new Map(),
  };
  placeOf(merchant, ground).addresses.getOrInsert(ground.same(method.address), world.time.nowMs);
  // Otherwise it may be of the books that were lost.
  if (restores === world.counts.restores) merchant.invoices.set(invoice.id, invoice);
  return invoice;
}

async function payInvoice(
  { world, random }: People,
  { ground, coin, invoice, way }: { ground: Ground; coin: Coin; invoice: Invoiced; way: Way },
): Promise<void> {
  const { time, counts, story } = world;
  const due = rawOf(invoice.amount, coin);
  const pay = (raw: bigint) => {
    const from = random.pick(ground.payers);
    const way = random.chance(0.15) ? "contract" : "plain";
    const hash = ground.pay({ from, to: invoice.address, currency: coin.symbol, raw, way });
    counts.payments++;
    world.lastPaidAtMs = time.nowMs;
    story.tell(`payer: ${raw} of ${coin.symbol} for invoice ${invoice.id}: ${hash.slice(0, 10)}`);
  };
  await time.sleep(random.wait(60_000));
  switch (way) {
    case "nothing":
      return;
    case "exactly":
      return pay(due);
    case "too little":
      return pay(due * BigInt(random.between(1, 99)) / 100n + 1n);
    case "dust":
      return pay(BigInt(random.between(1, 1_000)));
    case "in two parts":
      pay(due / 3n);
      await time.sleep(random.wait(120_000));
      return pay(due - due / 3n);
    case "twice":
      pay(due);
      await time.sleep(random.wait(30_000));
      return pay(due);
    case "late":
      await time.sleep(Math.max(0, invoice.expiresAtMs - time.nowMs) + random.wait(300_000));
      return pay(due);
  }
}

async function cancel(
  { ask, world }: People,
  merchant: MerchantBooks,
  invoice: Invoiced,
): Promise<void> {
  const target = `/v1/invoices/${invoice.id}`;
  const { restores } = world.counts;
  const reply = await ask(merchant, "POST", `${target}/cancel`, {});
  // An answer that was lost may have been the one that said yes.
  const now = reply.body?.success === true ? reply : await ask(merchant, "GET", target);
  const isCancelled = now.body?.data?.status === "cancelled";
  invoice.isCancelled = restores === world.counts.restores ? isCancelled : undefined;
  invoice.cancelledAtMs = world.time.nowMs;
}

async function refund(
  { world, random, ask, nextReference }: People,
  merchant: MerchantBooks,
  { ground, coin, invoice }: { ground: Ground; coin: Coin; invoice: Invoiced },
): Promise<void> {
  const percent = random.pick([30, 60, 100, 100, 150]);
  const raw = rawOf(invoice.amount, coin) * BigInt(percent) / 100n;
  const amount = textOf(raw, coin);
  const reference = nextReference("refund");
  const to = ground.newAddress(random);
  const { network, currency } = invoice;
  merchant.payouts.set(reference, { reference, network, currency, to, amount });
  const body = { network, currency, amount, to_address: to, client_reference: reference };
  const reply = await ask(merchant, "POST", `/v1/invoices/${invoice.id}/refunds`, body);
  world.counts.refunds++;
  const { data } = reply.body ?? {};
  const id = data?.withdrawal_id ?? data?.id;
  const what = `${reference}, ${amount} ${currency} of invoice ${invoice.id}`;
  world.story.tell(`${merchant.name}: ${what}: ${reply.status} ${id ?? reply.body?.error?.code}`);
  if (id !== undefined) invoice.refunds.set(reference, amount);
}

interface InvoiceAudit {
  readonly ground: Ground;
  /**
   * What was paid to an address of this currency in blocks that are deep enough, and whether dust came
   * beside it.
   */
  paidTo(address: string, currency: string): { readonly paid: bigint; readonly isMore: boolean };
  /** By reference: what will never be paid. */
  isUnpaid(reference: string): boolean;
}

/** An invoice says what the chain holds for it, and gives no more back than came in. */
export async function auditInvoices(
  merchant: MerchantBooks,
  { ground, paidTo, isUnpaid }: InvoiceAudit,
): Promise<string[]> {
  const broken: string[] = [];
  for (const invoice of merchant.invoices.values()) {
    if (invoice.network !== ground.network) continue;
    const coin = coinNamed(ground, invoice.currency);
    const came = paidTo(ground.same(invoice.address), coin.symbol);
    const paid = units(textOf(came.paid, coin));
    const { body, status: answer } = await merchant.api.get(`/v1/invoices/${invoice.id}`);
    if (answer !== 200) {
      broken.push(`invoice ${invoice.id} is gone: ${answer}`);
      continue;
    }
    const { status, confirmed } = body.data;
    const what = `invoice ${invoice.id} of ${invoice.amount} ${coin.symbol}`;
    if (units(confirmed) !== paid) {
      broken.push(`${what} says that ${confirmed} came, the chain ${shown(paid)}`);
    }
    const isCancelled = invoice.isCancelled ?? status === "cancelled";
    const must = isCancelled
      ? "cancelled"
      : paid >= units(invoice.amount)
      ? "paid"
      : paid > 0n || came.isMore
      ? "underpaid"
      : "expired";
    if (status !== must) broken.push(`${what} is ${status}, must be ${must}: ${shown(paid)} came`);
    const back = [...invoice.refunds].filter(([reference]) => !isUnpaid(reference))
      .reduce((sum, [, amount]) => sum + units(amount), 0n);
    if (back > paid) broken.push(`${what} gave ${shown(back)} back of ${shown(paid)}`);
    broken.push(...contradictions(invoice.id, { status, events: merchant.events }));
  }
  return broken;
}

/** Nothing that was credited is ever taken back here, so an invoice is paid once and stays so. */
function contradictions(
  id: number,
  { status, events }: { status: string; events: readonly EventSeen[] },
): string[] {
  const told = events.filter(({ type, data }) =>
    type.startsWith("invoice.") && data.invoice_id === id
  ).map(({ type }) => type.slice("invoice.".length));
  const count = (type: string) => told.filter((one) => one === type).length;
  const restores = Math.max(0, ...events.map((one) => one.restores));
  const isRight = (type: string) =>
    status === type
      ? count(type) >= 1 && count(type) <= 1 + restores
      : restores > 0 || count(type) === 0;
  const broken = ["paid", "cancelled"].filter((type) => !isRight(type))
    .map((type) => `invoice ${id} is ${status}, and was called ${type} ${count(type)} times`);
  return isTold(id, { status, events })
    ? broken
    : [...broken, `invoice ${id} is ${status}, and nobody was told`];
}

function isTold(
  id: number,
  { status, events }: { status: string; events: readonly EventSeen[] },
): boolean {
  return status === "open" ||
    events.some(({ type, data }) => type === `invoice.${status}` && data.invoice_id === id);
}

/** Of what became of them. */
export async function untoldInvoices({ api, invoices, events }: MerchantBooks): Promise<string[]> {
  const untold: string[] = [];
  for (const id of invoices.keys()) {
    const { body } = await api.get(`/v1/invoices/${id}`);
    const status = body.data?.status;
    if (status !== undefined && !isTold(id, { status, events })) {
      untold.push(`nobody was told that invoice ${id} is ${status}`);
    }
  }
  return untold;
}

function rawOf(amount: string, { decimals }: Coin): bigint {
  const [whole = "0", rest = ""] = amount.split(".");
  return BigInt(whole + rest.padEnd(decimals, "0"));
}

function textOf(raw: bigint, { decimals }: Coin): string {
  const digits = String(raw).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
