import { type Context, Hono } from "hono";
import { sha256 } from "@noble/hashes/sha2.js";
import { chooseMethod } from "../invoices/choose.ts";
import type { Deps } from "../deps/deps.ts";
import { toHex, utf8 } from "../base/bytes.ts";
import { htmlOf } from "../base/html.ts";
import { KeptLooks } from "../base/waiting/kept_looks.ts";
import {
  away,
  createShown,
  createTooMany,
  HEADERS,
  message,
  page,
  seeOther,
  type Visit,
  visitOf,
} from "./answers.tsx";
import { rawPath } from "../base/net/request_target.ts";
import { assetResponse } from "../dashboard/assets/assets.ts";
import { logoResponse } from "../dashboard/assets/logo_response.ts";
import { LOGO_ON_PAGE_MAX } from "../checkout/rules/logo.ts";
import type { DemoWallet } from "../invoices/rules/demo_wallet.ts";
import { PAYMENTS_LISTED_MAX } from "../invoices/rules/listed.ts";
import { Refused } from "../domain/refusal.ts";
import { bodyReader } from "../http/read_body.ts";
import { answerOf } from "../http/error_table.ts";
import type { HttpEnv, RequestState } from "../http/request_state.ts";
import { ASSETS, BASE } from "./assets/assets.ts";
import { BUY, createBuy } from "./buy.tsx";
import { createDemoButton } from "./demo.ts";
import { createPayLimits, type PayLimits } from "./limits.ts";
import { isToken, logoFor, type Order, orderOf } from "./order.ts";
import { feesOf, likeliestFirst } from "./offers.ts";
import { asksForMoney, Page } from "./page.tsx";
import { paidWith, rememberPaidWith } from "./paid_with.ts";
import { isChoosing } from "./paying.tsx";
import type { Shown } from "./shown.ts";
import { addRefundPages, REFUND } from "./refund.tsx";
import { WHOLE } from "./receipt.tsx";
import { worthOf } from "./worth.ts";

const decoder = new TextDecoder();
const TOKENS_MAX = 20_000;
/** With everything that it loads. */
const PAGE_BYTES_MAX = 51_200;
const HTML_BESIDE_LOGO_MAX = ASSETS.reduce(
  (room, { text }) => room - utf8(text).length,
  PAGE_BYTES_MAX - LOGO_ON_PAGE_MAX,
);

type Asked = Context<HttpEnv, "/pay/:token">;

/** What payers see, who have nothing but an invoice's link. */
export function createPay(
  deps: Deps,
  { bodyTimeoutMs, demoWallet }: { bodyTimeoutMs: number; demoWallet?: DemoWallet | undefined },
): Hono<HttpEnv> {
  const limits = createPayLimits(deps);
  const readBody = bodyReader(bodyTimeoutMs);
  const hasDemoWallet = demoWallet !== undefined;
  const isSecure = deps.publicUrl.startsWith("https:");
  const readForm = async (request: Request) =>
    new URLSearchParams(decoder.decode(await readBody(request)));
  const app = new Hono<HttpEnv>();
  addAssets(app);
  addUpdates(app, { deps, limits });
  addLogo(app, { deps, limits });
  const pages = new Hono<HttpEnv>();
  // Whoever pays reads a page, and knows nothing of databases or faults.
  pages.onError(async (error, c) => {
    const answer = answerOf(error);
    const isFault = answer.status === 500;
    if (!isFault && answer.code !== "unavailable") throw error;
    const { state } = c.env;
    if (isFault) {
      deps.log.error("request failed", { request_id: state.requestId, error });
      state.answer = answer;
    }
    return await away(visitOf(c, null), answer.status);
  });
  if (demoWallet) pages.route("/", createDemoButton(deps, demoWallet));
  const tooMany = createTooMany();
  const shown = createShown(limits, tooMany);
  pages.route("/", createBuy(deps, { limits, tooMany, shown, readForm }));
  pages.get(`${BASE}/:token`, (c) => {
    routed(c, ":token");
    return shown(c, async (turn) => {
      const max = c.req.query(WHOLE) === undefined ? undefined : PAYMENTS_LISTED_MAX;
      const order = await turn(() => orderOf(deps, c.req.param("token"), max));
      const visit = visitFor(c, order);
      if (!order) return await message(visit, "absent", 404);
      const { language, chosen } = visit;
      const isOffered = asksForMoney(order) && isChoosing(order, chosen);
      // Nobody else's page waits for nodes.
      const fees = isOffered ? await feesOf(deps, order, language) : new Map();
      return await turn(async () => {
        const known = paidWith(c.req.raw);
        const choices = isOffered ? await likeliestFirst(deps, order, known) : [];
        const worth = await worthOf(deps, order, language);
        const answer = await show(order, { ...visit, hasDemoWallet, worth, choices, fees });
        const cookie = rememberPaidWith(order, { known, isSecure });
        if (cookie !== null) answer.headers.append("set-cookie", cookie);
        return answer;
      });
    });
  });

  pages.post(`${BASE}/:token`, async (c) => {
    const { state } = routed(c, ":token");
    if (!limits.takeStart(state.ip)) return await tooMany(visitOf(c, null));
    const form = await readForm(c.req.raw);
    const order = await orderOf(deps, c.req.param("token"));
    const visit = visitFor(c, order);
    if (!order) return await message(visit, "absent", 404);
    return await choose(deps, { order, visit, id: form.get("coin") ?? "" });
  });

  addRefundPages(pages, { deps, limits, tooMany, shown, readBody });
  // Links get shortened or lengthened on their way to whoever pays.
  for (const path of [BASE, BUY, REFUND]) {
    pages.get(`${path}/*`, (c) => {
      c.env.state.route = `${path}/*`;
      const key = path === REFUND ? "refundAbsent" : "absent";
      return shown(c, () => message(visitOf(c, null), key, 404));
    });
  }
  app.route("/", pages);
  return app;
}

function addAssets(app: Hono<HttpEnv>): void {
  const assets = new Map(ASSETS.map((asset) => [asset.path, asset]));
  app.get(`${BASE}/assets/:hash/:name`, ({ env: { state } }) => {
    state.route = `${BASE}/assets`;
    const asset = assets.get(rawPath(state.target));
    if (!asset) throw new Refused("not_found");
    return assetResponse(asset);
  });
}

interface Limited {
  readonly deps: Deps;
  readonly limits: PayLimits;
}

function addUpdates(app: Hono<HttpEnv>, { deps, limits }: Limited): void {
  const versions = new KeptLooks<string | null>(deps.clock, { keysMax: TOKENS_MAX });
  app.get(`${BASE}/:token/state`, async (c) => {
    const { state: { ip } } = routed(c, ":token/state");
    if (!limits.takeUpdate(ip)) throw limits.tooOften();
    const token = c.req.param("token");
    const version = isToken(token)
      ? await limits.update(
        ip,
        (place) => versions.of(token, () => place.turn(() => versionNow(deps, token))),
      )
      : null;
    if (version === null) throw limits.guessed(ip);
    return Response.json({ version }, { headers: HEADERS });
  });
}

function addLogo(app: Hono<HttpEnv>, { deps, limits }: Limited): void {
  app.get(`${BASE}/:token/logo`, async (c) => {
    const { state } = routed(c, ":token/logo");
    if (!limits.takeLogo(state.ip)) throw limits.tooOften();
    const logo = await logoFor(deps, c.req.param("token"));
    if (!logo) throw limits.guessed(state.ip);
    return logoResponse(logo);
  });
}

function visitFor(c: Asked, order: Order | undefined): Visit & { chosen: string | null } {
  const visit = visitOf(c, order?.row.language ?? null);
  return { ...visit, chosen: visit.query.get("coin") ?? (order ? likelyCoin(order) : null) };
}

/** What the invoice was made for, or else the only coin with an address. */
function likelyCoin({ coins }: Order): string | null {
  const given = coins.filter(({ target }) => target !== null);
  const likely = given.find(({ isChosen }) => isChosen) ?? (given.length === 1 ? given[0] : null);
  return likely?.id ?? null;
}

/** Gives the invoice an address on the coin's network. */
async function choose(
  deps: Deps,
  { order, visit, id }: { order: Order; visit: Visit; id: string },
): Promise<Response> {
  const cannot = (status: number) => {
    const href = `${BASE}/${visit.token}?${new URLSearchParams({
      lang: visit.language,
      coin: "",
    })}`;
    return message(visit, "cannot", status, {
      href,
      text: visit.say("title", { name: order.name }),
    });
  };
  if (!order.coins.some((one) => one.id === id)) return await cannot(400);
  const [network = "", currency = ""] = id.split(/\.(.*)/);
  try {
    await chooseMethod(deps, { row: order.row, coin: { network, currency }, isByPayer: true });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return await cannot(503);
  }
  const query = new URLSearchParams({ lang: visit.language, coin: id });
  return seeOther(`${BASE}/${visit.token}?${query}`);
}

function routed(
  { env: { state } }: Asked | Context<HttpEnv>,
  part: string,
): { state: RequestState } {
  state.route = `${BASE}/${part}`;
  return { state };
}

async function show(
  order: Order,
  { token: _, query: __, ...shown }: Visit & Omit<Shown, "order" | "version">,
): Promise<Response> {
  const about = { ...shown, version: versionOf(order) };
  const draw = (shown: Order) => htmlOf(<Page order={shown} {...about} />);
  const html = await draw(order);
  const brand = { ...order.brand, hasLogo: false };
  const light = hasRoom(html, order) ? html : await draw({ ...order, brand });
  return page(light, 200, brand.colour);
}

/** For the logo. Only the longest texts and amounts leave none. */
function hasRoom(html: string, { brand }: Order): boolean {
  return !brand.hasLogo || utf8(html).length <= HTML_BESIDE_LOGO_MAX;
}

async function versionNow(deps: Deps, token: string): Promise<string | null> {
  const order = await orderOf(deps, token);
  return order ? versionOf(order) : null;
}

/** Another one means that there is something new to see. */
function versionOf(
  { status, refunded, refunds, paid, due, overpaid, payments, coins, isUnrated, row }: Order,
): string {
  const seen = payments.map(({ txHash, confirmations, needed }) => [
    txHash,
    Math.min(confirmations, needed),
  ]);
  const given = coins.map(({ due, target }) => [due, target?.address]);
  const back = [refunded, refunds.map(({ txHash }) => txHash)];
  const shown = [status, paid, due, overpaid, seen, given, isUnrated, row.expiresAtMs, back];
  return toHex(sha256(utf8(JSON.stringify(shown)))).slice(0, 16);
}
