import type { Context, Hono } from "hono";
import { Accounts } from "../accounts/tables/accounts.ts";
import { type Component, htmlOf } from "../base/html.ts";
import { genuine } from "../books/tampered.ts";
import { checkoutOf } from "../checkout/checkout.ts";
import type { Deps } from "../deps/deps.ts";
import { Refused } from "../domain/refusal.ts";
import type { bodyReader } from "../http/read_body.ts";
import type { HttpEnv, RequestState } from "../http/request_state.ts";
import { isTestNetwork } from "../networks/test_networks.ts";
import {
  HEADERS,
  message,
  page,
  type ShowPage,
  type Spoken,
  type Visit,
  visitOf,
} from "./answers.tsx";
import type { createPayLimits } from "./limits.ts";
import { knownName, type RefundShown, refundShown } from "./order.ts";
import { Frame, Owed } from "./page.tsx";
import { pricesIn } from "./prices.ts";
import { Refund } from "./receipt.tsx";
import type { Say } from "./texts/texts.ts";
import { findRefundLink, type RefundLink, useRefundLink } from "../refunds/links.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import { Withdrawals } from "../withdrawals/table.ts";

export const REFUND = "/refund";
/** Longer than any address. */
const ADDRESS_CHARS_MAX = 256;

interface Served {
  readonly deps: Deps;
  readonly limits: ReturnType<typeof createPayLimits>;
  readonly tooMany: (spoken: Spoken) => Promise<Response>;
  readonly shown: ShowPage;
  readonly readBody: ReturnType<typeof bodyReader>;
}

interface Scene {
  readonly link: RefundLink;
  /** Who refunds. */
  readonly name: string;
  /** Of the network. */
  readonly network: string;
  readonly isTest: boolean;
  /** As soon as it has arrived. */
  readonly refund: RefundShown | undefined;
}

const decoder = new TextDecoder();

/** Where a payer says where to refund. Looking at it changes nothing. */
export function addRefundPages(app: Hono<HttpEnv>, served: Served): void {
  const { deps, limits, tooMany, shown, readBody } = served;

  app.get(`${REFUND}/:token`, (c) => {
    routed(c);
    return shown(c, (turn) =>
      turn(async () => {
        const scene = await sceneOf(deps, c);
        const visit = visitOf(c, scene?.link.invoice.language ?? null);
        return scene ? await show(scene, visit) : await message(visit, "refundAbsent", 404);
      }));
  });

  app.post(`${REFUND}/:token`, async (c) => {
    const state = routed(c);
    if (!limits.takeStart(state.ip)) return await tooMany(visitOf(c, null));
    const form = new URLSearchParams(decoder.decode(await readBody(c.req.raw)));
    const scene = await sceneOf(deps, c);
    const visit = visitOf(c, scene?.link.invoice.language ?? null);
    if (!scene) return await message(visit, "refundAbsent", 404);
    if (scene.link.state !== "open") return await show(scene, visit);
    // Its lines, or groups as other pages show them.
    const toAddress = (form.get("address") ?? "").replace(/\s+/g, "").slice(0, ADDRESS_CHARS_MAX);
    return await accept(deps, { scene, visit, toAddress, ip: state.ip });
  });
}

function routed({ env: { state } }: Context<HttpEnv>): RequestState {
  state.route = `${REFUND}/:token`;
  return state;
}

async function sceneOf(deps: Deps, c: Context<HttpEnv>): Promise<Scene | undefined> {
  const link = await findRefundLink(deps, c.req.param("token") ?? "");
  if (!link) return undefined;
  const [account, checkout, catalog] = await Promise.all([
    deps.db.get(Accounts, [link.row.accountId]),
    checkoutOf(deps, link.row.accountId),
    deps.catalog.current(),
  ]);
  const name = checkout.name ?? account.name;
  const row = catalog.network(link.row.network);
  const network = knownName(link.row, catalog);
  const isTest = row !== undefined && isTestNetwork(row);
  const refund = await arrivedFrom(deps, link.row.withdrawalId, catalog);
  return { link, name, network, isTest, refund };
}

async function arrivedFrom(
  deps: Deps,
  id: number | null,
  catalog: Catalog,
): Promise<RefundShown | undefined> {
  const row = id === null ? undefined : await deps.db.find(Withdrawals, [id]);
  if (!row) return undefined;
  await genuine(deps, Withdrawals, [row]);
  return refundShown(row, catalog)[0];
}

async function accept(
  deps: Deps,
  { scene, visit, toAddress, ip }: { scene: Scene; visit: Visit; toAddress: string; ip: string },
): Promise<Response> {
  try {
    await useRefundLink(deps, { link: scene.link, toAddress, ip });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.code === "invalid_address"
      ? await show(scene, visit, { wrong: toAddress })
      : await show(scene, visit, { isImpossible: true });
  }
  // Reloading the page sends nothing again.
  const location = `${REFUND}/${visit.token}?${new URLSearchParams({ lang: visit.language })}`;
  return new Response(null, { status: 303, headers: { ...HEADERS, location } });
}

interface Answer {
  /** An address that isn't one. */
  readonly wrong?: string;
  readonly isImpossible?: boolean;
}

async function show(scene: Scene, visit: Visit, answer: Answer = {}): Promise<Response> {
  const html = await htmlOf(<RefundPage scene={scene} visit={visit} answer={answer} />);
  if (answer.isImpossible) return page(html, 503);
  if (answer.wrong !== undefined) return page(html, 400);
  return page(html, scene.link.state === "over" ? 410 : 200);
}

const RefundPage: Component<{ scene: Scene; visit: Visit; answer: Answer }> = (
  { scene, visit: { say, language }, answer },
) => {
  const { link: { state, row: { amount, currency } }, name, isTest, refund } = scene;
  const title = say("refundTitle", { name });
  const price = pricesIn(language, { currency, isCoin: true });
  return (
    <Frame say={say} language={language} title={title} isTest={isTest}>
      <div id="order">
        <div class="sum">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {state !== "over" && <Owed amount={amount} price={price} />}
          {answer.isImpossible && <Said kind="expired" text={say("refundCannot", { name })} />}
          {state === "used" && (
            <Said kind="paid" text={refund ? say("refunded") : say("refundGiven", { name })} />
          )}
          {refund && (
            <dl>
              <Refund refund={refund} say={say} language={language} />
            </dl>
          )}
          {state === "over" && <Said kind="expired" text={say("refundOver", { name })} />}
          {state === "open" && <AddressForm {...{ scene, say, language, wrong: answer.wrong }} />}
        </div>
      </div>
    </Frame>
  );
};

const Said: Component<{ kind: string; text: string }> = ({ kind, text }) => (
  <div class={`state ${kind}`} role="status">
    <p>
      <strong>{text}</strong>
    </p>
  </div>
);

const AddressForm: Component<{
  scene: Scene;
  say: Say;
  language: string;
  wrong: string | undefined;
}> = ({ scene: { link, network }, say, language, wrong }) => (
  <form method="post" action={`?lang=${language}`} class="where">
    <label for="address">{say("refundTo", { coin: link.row.currency, network })}</label>
    <textarea
      id="address"
      name="address"
      dir="ltr"
      rows={2}
      required
      maxlength={ADDRESS_CHARS_MAX}
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      aria-invalid={wrong === undefined ? undefined : "true"}
      aria-describedby="note"
    >
      {wrong ?? ""}
    </textarea>
    <p id="note" class={wrong === undefined ? "quiet" : "wrong"} role="alert">
      {say(wrong === undefined ? "refundCareful" : "refundWrong", { network })}
    </p>
    <button type="submit" class="button">{say("refundSend")}</button>
  </form>
);
