import { Webhook } from "standardwebhooks";
import { apiClient, type ApiReply } from "../support/api_client.ts";
import { transactionsOf } from "../support/views.ts";
import { auditBooks, isLeft, mayWait, toldOfGas, toldTooEarly, untoldEvents } from "./auditor.ts";
import {
  type MerchantBooks,
  type Payout,
  type Place,
  placeOf,
  shown,
  units,
  withdrawalsOf,
} from "./books.ts";
import { type Mood, withMood } from "./moods.ts";
import { sellSomething, untoldInvoices } from "./checkout.ts";
import type { Random } from "./random.ts";
import { type Coin, coinsOf, type Ground, receiverFlags } from "./ground.ts";
import { Operator } from "./operator.ts";
import { limitOf, newRule, type Rule } from "./rules.ts";
import type { World } from "./seed.ts";
import { auditSigned } from "./signed_audit.ts";

const MERCHANTS = ["Acme", "Bolt"];
const FLOAT = "1000";
const ORDERS_EVERY_MS = 180_000;
/** So many at once: what comes together may be swept together. */
const ORDERS = [1, 1, 2, 4];
const PAYOUT_EVERY_MS = 150_000;
const INVOICE_EVERY_MS = 150_000;
const LOOK_EVERY_MS = 60_000;
const FUEL_EVERY_MS = 20 * 60_000;
const OPERATOR_EVERY_MS = 12 * 60_000;
const PUSH_EVERY_MS = 60_000;
const ATTEMPTS_MAX = 400;
/** After an invoice's end. */
const JUDGED_WITHIN_MS = 3 * 60_000;
/** A payment is mined, seen and deep enough, unless the chain calls blocks final much later. */
const SEEN_WITHIN_MS = 4 * 60_000;
/**
 * While an operator has stopped an account or a network; and what is asked for twice in one second
 * has the same signature, which counts once.
 */
const PASSING = [
  "account_suspended",
  "network_not_found",
  "currency_not_found",
  "replayed_request",
];
/** Every ten minutes, as long as something is open after the last fault. */
const LOOKS_PER_FUEL = 5;
const RECEIVER_MOODS: readonly Mood[] = ["late", "silent", "cut", "down", "refusing"];

/** One merchant's server, with what it remembers. */
interface Merchant extends MerchantBooks {
  mood: Mood;
}

type Breach = (promise: string) => void;

/** The people around the gateway: merchants, payers, the operator. */
export class Shop {
  readonly #world: World;
  readonly #breach: Breach;
  readonly #merchants: Merchant[] = [];
  readonly #random: Random;
  #looks = 0;
  readonly #rules: Rule[] = [];
  #operator: Operator | undefined;
  #isOpen = false;
  #busy = 0;
  #next = 0;

  private constructor(world: World, breach: Breach) {
    this.#world = world;
    this.#breach = breach;
    this.#random = world.random.fork();
  }

  static async open(world: World, breach: Breach): Promise<Shop> {
    const shop = new Shop(world, breach);
    await world.time.withLoading(() => shop.#setUp());
    return shop;
  }

  async #setUp(): Promise<void> {
    const { operator, outside, time, grounds } = this.#world;
    for (const ground of grounds) {
      const { network, coin, token, networkFlags, tokenFlags, minConfirmations, startBlock } =
        ground;
      const at = ["--network", network];
      await operator.json(
        ...["network", "add", "--code", network, ...networkFlags],
        ...["--start-block", String(startBlock), "--min-confirmations", String(minConfirmations)],
      );
      // Coins of a test network pay no invoice that also has a real one.
      await operator.json("network", "set", network, "--test", "off");
      if (token) {
        await operator.json(
          ...["currency", "add", ...at, "--symbol", token.symbol, "--name", "Tether USD"],
          ...[...tokenFlags, "--min-deposit", "1", "--fee-flat", "1"],
        );
      }
      await operator.json(
        "currency",
        "set",
        ...at,
        "--symbol",
        coin.symbol,
        "--fee-percent",
        "0.5",
      );
      if (!ground.hasGas) continue;
      const { address } = await operator.json("network", "gas-wallet", network);
      ground.gasWallet = ground.same(address);
      this.#give(ground, address, { coins: ground.fuel });
    }
    for (const name of MERCHANTS) this.#merchants.push(await this.#addMerchant(name));
    for (const merchant of this.#merchants) {
      const receive = withMood((request) => this.#receive(merchant, request), {
        mood: () => merchant.mood,
        time,
        random: this.#random.fork(),
      });
      outside.hosts.set(`${new URL(merchant.hook).hostname}:80`, receive);
    }
  }

  async #addMerchant(name: string): Promise<Merchant> {
    const { operator, programs, grounds } = this.#world;
    const account = String((await operator.json("account", "create", "--name", name)).account_id);
    const places = new Map<string, Place>();
    if (this.#random.chance(0.7)) {
      await operator.json("account", "set", account, "--delegate-native", "on");
    }
    for (const ground of grounds) {
      const { network } = ground;
      const receiver = ground.newReceiver(this.#random);
      for (const { symbol } of coinsOf(ground)) {
        const asset = ["--account", account, "--network", network, "--currency", symbol];
        await operator.json("account", "enable", ...asset);
        await operator.json("account", "adjust", ...asset, "--amount", FLOAT, "--note", "float");
      }
      await operator.json(
        ...["account", "receiving-wallet", "--account", account, "--network", network],
        ...receiverFlags(receiver),
      );
      const receivers = new Set([ground.sweptTo(receiver)]);
      places.set(network, { addresses: new Map(), hotWallet: "", receiver, receivers });
      for (const  of of["payment", "hour"] as const) await this.#addRule({ account, ground, of });
    }
    const key = await operator.json(
      ...["key", "create", "--account", account, "--label", "shop", "--permissions", "all"],
      ...["--rate-limit", "6000"],
    );
    const hook = `http://192.0.2.${account}/hook`;
    const webhook = await operator.json("webhook", "add", "--account", account, "--url", hook);
    const keys = { keyId: key.key_id, secret: key.secret };
    const now = () => apiClient(`http://${this.#random.pick(programs).host}`, keys);
    return {
      name,
      account,
      api: {
        get: (target) => now().get(target),
        post: (target, body) => now().post(target, body),
        send: (call) => now().send(call),
      },
      hook,
      webhookSecret: webhook.secret,
      places,
      float: FLOAT,
      keyId: key.key_id,
      payouts: new Map(),
      adopted: new Set(),
      invoices: new Map(),
      events: [],
      mood: "well",
    };
  }

  async #addRule(
    { account, ground, of }: { account: string; ground: Ground; of: Rule["of"] },
  ): Promise<void> {
    const { operator, time } = this.#world;
    const { network, token } = ground;
    const currency = (token ?? ground.coin).symbol;
    const amount = limitOf(of, this.#random);
    const { policy_id: id } = await operator.json(
      ...["policy", "add", "--label", `a ${of}`, "--account", account, "--network", network],
      ...["--currency", currency, `--max-${of}`, amount, "--then", "refuse"],
    );
    const rule = { id, account, network, currency, of };
    this.#rules.push(newRule(rule, { amount, nowMs: time.nowMs }));
  }

  #give(ground: Ground, to: string, { coins = 0n, tokens = 0n }): void {
    const from = ground.payers[0]!;
    const { coin, token } = ground;
    const give = (of: Coin, whole: bigint) => {
      if (whole === 0n) return;
      const raw = whole * 10n ** BigInt(of.decimals);
      ground.pay({ from, to, currency: of.symbol, raw, way: "plain", isKept: true });
    };
    give(coin, coins);
    if (token) give(token, tokens);
  }

  #fuelGas(): void {
    for (const ground of this.#world.grounds) {
      if (!ground.hasGas) continue;
      this.#give(ground, ground.written(ground.gasWallet), { coins: ground.fuel / 10n });
    }
  }

  /** A reorganisation may have taken for good what a wallet was given. */
  #fuelAgain(): void {
    this.#fuelGas();
    for (const ground of this.#world.grounds) {
      const coins = ground.fuel / 10n;
      for (const merchant of this.#merchants) {
        const { hotWallet } = placeOf(merchant, ground);
        if (hotWallet !== "") this.#give(ground, hotWallet, { coins, tokens: 10_000n });
      }
    }
  }

  /** Everybody begins. */
  begin(): void {
    this.#isOpen = true;
    const every = (meanMs: number, work: () => Promise<void>) => void this.#repeat(meanMs, work);
    for (const merchant of this.#merchants) {
      for (const ground of this.#world.grounds) void this.#fund(merchant, ground);
      every(ORDERS_EVERY_MS, () => this.#orders(merchant));
      every(PAYOUT_EVERY_MS, () => this.#payOut(merchant));
      every(INVOICE_EVERY_MS, () => this.#sell(merchant));
      every(LOOK_EVERY_MS, () => this.#look(merchant));
      every(10 * 60_000, () => this.#changeMood(merchant));
    }
    every(FUEL_EVERY_MS, () => Promise.resolve(this.#fuelGas()));
    const operator = this.#operator = this.#hire();
    void this.#doing(() => operator.begin())
      .then(() => every(OPERATOR_EVERY_MS, () => operator.work()));
    const isPushed = this.#world.grounds.some(({ hasGas }) => !hasGas);
    if (isPushed) every(PUSH_EVERY_MS, () => operator.push());
  }

  #hire(): Operator {
    const given = { world: this.#world, merchants: this.#merchants, rules: this.#rules };
    return new Operator({ ...given, breach: this.#breach });
  }

  /** Nothing new is begun; what was begun is finished. */
  close(): void {
    this.#isOpen = false;
    for (const merchant of this.#merchants) merchant.mood = "well";
  }

  async #repeat(meanMs: number, work: () => Promise<void>): Promise<void> {
    const { time } = this.#world;
    const random = this.#random.fork();
    while (this.#isOpen) {
      await time.sleep(random.wait(meanMs));
      if (!this.#isOpen) return;
      await this.#doing(work);
    }
  }

  async #doing(work: () => Promise<void>): Promise<void> {
    this.#busy++;
    await work().catch((error) => this.#breach(`a person gave up: ${error?.stack ?? error}`));
    this.#busy--;
  }

  async #fund(merchant: Merchant, ground: Ground): Promise<void> {
    const target = `/v1/hot-wallet-address?network=${ground.network}`;
    const { body } = await this.#ask(merchant, "GET", target);
    placeOf(merchant, ground).hotWallet = ground.same(body.data.address);
    const given = { coins: ground.fuel, tokens: 1_000_000n };
    if (ground.hasGas) return this.#give(ground, body.data.address, given);
    // Payouts wait less for each other if it has several coins.
    const parts = this.#random.pick([1, 4]);
    for (let i = 0; i < parts; i++) {
      this.#give(ground, body.data.address, { coins: given.coins / BigInt(parts) });
    }
  }

  /** Asks until somebody answers. A repeated POST carries its key, and is counted once. */
  async #ask(
    { api }: MerchantBooks,
    method: "GET" | "POST",
    target: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<ApiReply> {
    const { time, counts } = this.#world;
    let last = "";
    for (let attempt = 1;; attempt++) {
      counts.requests++;
      try {
        const reply = await (method === "GET" ? api.get(target) : api.post(target, body));
        const isPassing = [429, 500, 503].includes(reply.status) ||
          PASSING.includes(reply.body?.error?.code);
        if (!isPassing) return reply;
        last = `${reply.status} ${JSON.stringify(reply.body)}`;
        if (reply.status === 500) this.#world.story.tell(`${method} ${target}: 500`);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        counts.lostAnswers++;
        last = error.message;
      }
      if (attempt === ATTEMPTS_MAX) {
        throw new Error(`${method} ${target} is never answered: ${last}`);
      }
      await time.sleep(this.#random.between(500, 30_000));
    }
  }

  async #orders(merchant: Merchant): Promise<void> {
    const count = this.#random.pick(ORDERS);
    const withinMs = count > 1 ? 5_000 : 60_000;
    await Promise.all(Array.from({ length: count }, () => this.#order(merchant, withinMs)));
  }

  /** A customer gets an address and pays in some way, or doesn't. */
  async #order(merchant: Merchant, withinMs: number): Promise<void> {
    const random = this.#random;
    const ground = random.pick(this.#world.grounds);
    const currency = random.pick(coinsOf(ground)).symbol;
    const key = `order-${++this.#next}`;
    const body = {
      currency,
      network: ground.network,
      idempotency_key: key,
      ...random.chance(0.3) ? { user_identifier: `user-${random.between(1, 5)}` } : {},
    };
    const reply = await this.#ask(merchant, "POST", "/v1/deposit-addresses", body);
    if (reply.body?.success !== true) {
      return this.#breach(`an address is refused: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    const { address, request_id } = reply.body.data;
    // Books that were lost are another gateway's.
    const { restores } = this.#world.counts;
    const isSame = () => restores === this.#world.counts.restores;
    if (random.chance(0.2)) {
      const again = await this.#ask(merchant, "POST", "/v1/deposit-addresses", body);
      const { data } = again.body ?? {};
      if (isSame() && (data?.request_id !== request_id || data.address !== address)) {
        this.#breach(`repeated, ${key} gets another address: ${JSON.stringify(again.body)}`);
      }
    }
    const { addresses } = placeOf(merchant, ground);
    const isNew = !addresses.has(ground.same(address));
    addresses.getOrInsert(ground.same(address), this.#world.time.nowMs);
    if (isNew && random.chance(0.06)) ground.haunt(address);
    const payments = random.pick([0, 1, 1, 1, 2]);
    for (let i = 0; i < payments; i++) {
      await this.#world.time.sleep(random.wait(withinMs));
      this.#payIn(ground, { to: address, currency });
    }
  }

  #payIn(ground: Ground, { to, currency }: { to: string; currency: string }): void {
    const { story, counts } = this.#world;
    const random = this.#random;
    const { coin, token } = ground;
    const isCoin = (currency === coin.symbol) !== random.chance(0.1);
    const paid = isCoin ? coin : token ?? coin;
    const unit = 10n ** BigInt(paid.decimals);
    const raw = random.chance(0.15)
      ? BigInt(random.between(1, 900_000))
      : unit * BigInt(random.between(1, 300)) / (isCoin ? 100n : 1n);
    const way = random.chance(0.1) ? "false" : random.chance(0.15) ? "contract" : "plain";
    const from = random.pick(ground.payers);
    const hash = ground.pay({ from, to, currency: paid.symbol, raw, way });
    counts.payments++;
    this.#world.lastPaidAtMs = this.#world.time.nowMs;
    const what = `${raw} of ${paid.symbol} (${way}) to ${to.slice(0, 8)}`;
    story.tell(`payer: ${what} on ${ground.network}: ${hash.slice(0, 10)}`);
  }

  #sell(merchant: Merchant): Promise<void> {
    return sellSomething({
      world: this.#world,
      random: this.#random,
      ask: (...call) => this.#ask(...call),
      breach: this.#breach,
      nextReference: (of) => `${of}-${++this.#next}`,
    }, merchant);
  }

  async #payOut(merchant: Merchant): Promise<void> {
    const random = this.#random;
    const ground = random.pick(this.#world.grounds);
    if (random.chance(0.05)) return await this.#emptyTwice(merchant, ground);
    const count = ground.token ? 1 : random.pick(ORDERS);
    await Promise.all(
      Array.from({ length: count }, () => this.#payOutOnce(merchant, ground)),
    );
  }

  async #payOutOnce(merchant: Merchant, ground: Ground): Promise<void> {
    const random = this.#random;
    const { coin } = ground;
    const currency = random.pick(coinsOf(ground)).symbol;
    const to = random.chance(0.05)
      ? ground.refuser
      : random.chance(0.3)
      ? random.pick(ground.payers)
      : ground.newAddress(random);
    const amount = currency === coin.symbol
      ? `0.${String(random.between(1, 99_999)).padStart(5, "0")}`
      : `${random.between(1, 30)}.${random.between(0, 999_999)}`;
    await this.#pay(merchant, { network: ground.network, currency, to, amount });
  }

  /** Both can't be paid from what is there. */
  async #emptyTwice(merchant: Merchant, ground: Ground): Promise<void> {
    const { network, coin: { symbol: currency } } = ground;
    const target = `/v1/balances?currency=${currency}&network=${network}`;
    const [{ available }] = (await this.#ask(merchant, "GET", target)).body.data;
    const amount = shown(units(available) * 6n / 10n / units("1") * units("1"));
    if (units(amount) === 0n) return;
    const order = () => ({ network, currency, amount, to: ground.newAddress(this.#random) });
    await Promise.all([this.#pay(merchant, order()), this.#pay(merchant, order())]);
  }

  /** With a reference it is asked for until it is answered; without one, once. */
  async #pay(
    merchant: Merchant,
    { network, currency, to, amount }: Pick<Payout, "network" | "currency" | "to" | "amount">,
  ): Promise<void> {
    const random = this.#random;
    const { counts, story } = this.#world;
    const isOnce = random.chance(0.1);
    const reference = `${isOnce ? "once" : "payout"}-${++this.#next}`;
    counts.payouts++;
    const order = { currency, network, to_address: to, amount };
    const body = isOnce ? order : { ...order, client_reference: reference };
    merchant.payouts.set(reference, { reference, isOnce, network, currency, to, amount });
    const { restores } = counts;
    const ask = () => this.#ask(merchant, "POST", "/v1/withdrawals", body);
    const reply = await (isOnce ? this.#askOnce(merchant, body) : ask());
    const { data } = reply?.body ?? {};
    const id = data?.withdrawal_id ?? data?.id;
    const said = `${reply?.status} ${id ?? reply?.body?.error?.code}`;
    story.tell(`${merchant.name}: ${reference}, ${amount} ${currency}: ${said}`);
    if (isOnce) return;
    if (id === undefined) {
      if (reply!.status >= 500) this.#breach(`${reference} gets ${said}`);
      return;
    }
    if (!random.chance(0.3)) return;
    const again = await ask();
    if (restores === counts.restores && again.body?.data?.id !== id) {
      this.#breach(`repeated, ${reference} is another payout: ${JSON.stringify(again.body)}`);
    }
  }

  /** Undefined: nobody answered. */
  async #askOnce({ api }: MerchantBooks, body: object): Promise<ApiReply | undefined> {
    try {
      return await api.post("/v1/withdrawals", body);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#world.counts.lostAnswers++;
      return undefined;
    }
  }

  /** What any answer must fulfil. */
  async #look(merchant: Merchant): Promise<void> {
    const { body } = await this.#ask(merchant, "GET", "/v1/balances");
    for (const { currency, balance, held, available } of body.data) {
      const [has, holds, free] = [balance, held, available].map(units);
      if (has! < 0n) this.#breach(`${merchant.name} owns ${balance} ${currency}`);
      if (holds! < 0n) this.#breach(`${merchant.name} holds ${held} ${currency}`);
      if (has! - holds! !== free) {
        this.#breach(`${merchant.name}: ${balance} - ${held} is not ${available} ${currency}`);
      }
    }
  }

  #changeMood(merchant: Merchant): Promise<void> {
    merchant.mood = merchant.mood === "well" ? this.#random.pick(RECEIVER_MOODS) : "well";
    this.#world.story.tell(`${merchant.name}'s receiver is ${merchant.mood}`);
    return Promise.resolve();
  }

  async #receive(merchant: Merchant, request: Request): Promise<Response> {
    const body = await request.text();
    const headers = Object.fromEntries(request.headers);
    try {
      // Its tolerance is about the real time, which is another one.
      new Webhook(merchant.webhookSecret).verify(body, headers);
    } catch (error) {
      this.#breach(`a webhook's signature is wrong: ${error}`);
    }
    const event = JSON.parse(body);
    const id = headers["webhook-id"]!;
    const seen = merchant.events.find((one) => one.id === id);
    if (seen && seen.body !== body) this.#breach(`the event ${id} has two bodies`);
    if (!seen) {
      const { restores } = this.#world.counts;
      merchant.events.push({ id, body, type: event.type, data: event.data, restores });
      const { grounds } = this.#world;
      const wrong = toldTooEarly(event, grounds) ??
        toldOfGas(event, grounds);
      if (wrong) this.#breach(`${merchant.name}: ${wrong}`);
    }
    return new Response("ok");
  }

  /** What hasn't come to its end yet. */
  async whatIsOpen(): Promise<string[]> {
    const open: string[] = [];
    if (this.#world.counts.restores > 0) await this.#operator?.turnDown();
    await this.#operator?.retry();
    await this.#operator?.lift();
    for (const ground of this.#world.grounds) open.push(...ground.unended());
    if (this.#busy > 0) open.push(`${this.#busy} people wait for an answer`);
    const { lastPaidAtMs, time } = this.#world;
    if (lastPaidAtMs + SEEN_WITHIN_MS > time.nowMs) open.push("a payment is on its way");
    for (const merchant of this.#merchants) {
      const rows = await transactionsOf(merchant.api);
      for (const row of rows) {
        const isOpen = ["detected", "sweep_pending"].includes(row.status) &&
          !mayWait(row, this.#world.grounds);
        if (isOpen) {
          const what = `${row.direction} ${row.id} (${row.tx_hash.slice(0, 10)})`;
          open.push(`${merchant.name}: ${what} is ${row.status}`);
        }
        if (isLeft(row, this.#world.grounds)) {
          open.push(`${merchant.name}: deposit ${row.id} is not swept`);
        }
      }
      for (const { id, expiresAtMs } of merchant.invoices.values()) {
        if (expiresAtMs + JUDGED_WITHIN_MS > this.#world.time.nowMs) {
          open.push(`invoice ${id} lasts`);
        }
      }
      const withdrawals = await withdrawalsOf(merchant.api);
      for (const { id, status } of withdrawals) {
        if (["pending", "broadcasted"].includes(status)) {
          open.push(`${merchant.name}: withdrawal ${id} is ${status}`);
        }
      }
      const untold = untoldEvents(merchant, { rows, withdrawals });
      open.push(...untold.map((what) => `${merchant.name}: nobody was told of ${what}`));
    }
    if (open.length === 0) {
      open.push(...(await Promise.all(this.#merchants.map(untoldInvoices))).flat());
    }
    // What is sent now must be seen before the books are compared.
    const isTime = this.#looks++ % LOOKS_PER_FUEL === LOOKS_PER_FUEL - 1;
    if (open.length > 0 && isTime) this.#fuelAgain();
    return open;
  }

  /** The second set of books against the first. */
  async reckon(): Promise<string[]> {
    const { operator, grounds, time } = this.#world;
    const commands = [["reconcile"], ["audit", "verify"], ["integrity", "check"]];
    const broken = grounds.flatMap((ground) => twice(ground.stakes()))
      .map((raw) => `${raw} were staked twice`);
    for (const command of commands) {
      const { code, out } = await time.withLoading(() => operator.run([...command, "--json"]));
      if (code !== 0) broken.push(`${command.join(" ")} finds: ${out.slice(0, 1_000)}`);
    }
    for (const ground of grounds) {
      const merchants = this.#merchants;
      broken.push(...await auditBooks({ ground, merchants, rules: this.#rules }));
    }
    return [...broken, ...auditSigned(`${this.#world.folder}/cpg.db`, grounds)];
  }
}

function twice(amounts: readonly bigint[]): bigint[] {
  return [...new Set(amounts.filter((raw, i) => amounts.indexOf(raw) !== i))];
}
