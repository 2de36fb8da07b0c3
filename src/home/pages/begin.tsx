import { hasSecondFactor } from "../../access/rules/second_factors.ts";
import { enableCurrency } from "../../accounts/enable_currency.ts";
import { createAccount } from "../../accounts/manage_accounts.ts";
import { CREATE_ACCOUNT } from "../../accounts/operations/account.ts";
import { accountPage } from "../../accounts/reads/accounts.ts";
import { randomInt } from "node:crypto";
import { formOf } from "../../dashboard/asking.ts";
import { fieldFault, FormFault } from "../../dashboard/form.ts";
import { Facts } from "../../dashboard/parts/facts.tsx";
import { Field, FlagFields, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { SetUpPage } from "../../dashboard/parts/page.tsx";
import { isSetUpOff } from "../../dashboard/environment.ts";
import {
  act,
  type ActRoute,
  type Done,
  done,
  page,
  type PageRoute,
} from "../../dashboard/routes.ts";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { moneyText } from "../../domain/money/written.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { CREATE_INVOICE } from "../../invoices/operations/invoice.ts";
import { CATALOGUE, type Preset } from "../../networks/catalogue.ts";
import { setCurrency } from "../../networks/currencies.ts";
import { hasOutputs } from "../../networks/fitting.ts";
import { lookAtNode, type NodeSeen } from "../../networks/look_at_node.ts";
import { NETWORK_ADD } from "../../networks/operations/network.ts";
import { coinsOf as coinsOfAccount } from "../../invoices/currency.ts";
import { rateIfAny } from "../../rates/current.ts";
import { quoteOf } from "../../rates/prices.ts";
import { noteSeedKept, openSeed, showSeed } from "../../upkeep/open_key_ring.ts";
import { leaveOut } from "../../upkeep/leave_out.ts";
import { BEFORE_MONEY } from "../../upkeep/rules/before_money.ts";
import { BeforeMoneyList } from "./_before_money.tsx";
import { setUpFacts } from "../reads.ts";
import { isDollar, suggestedLimits, trialAmount } from "../../networks/rules/suggested_limits.ts";

const STEPS = { factor: 1, network: 2, merchant: 3, phrase: 4, end: 5 } as const;
const ASKED_WORDS = 3;
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[?::1\]?)$/;

const Later = ({ to }: { to: string }) => <a class="button plain" href={BASE + to}>Later</a>;

/** Leads to whatever comes next, so that it can be left and continued. */
const beginPage = page({
  path: "/begin",
  ability: "operate",
  show: async ({ deps, user }) => {
    const { networks } = await deps.catalog.current();
    const { hasAccount, isPhraseKept } = await setUpFacts(deps.db);
    if (networks.length === 0) return done(`/begin/${hasSecondFactor(user) ? "network" : "login"}`);
    if (!hasAccount) return done("/begin/merchant");
    return done(isPhraseKept ? "/begin/end" : "/begin/phrase");
  },
});

const loginPage = page({
  path: "/begin/login",
  ability: "operate",
  show: (visit) => (
    <SetUpPage guest={visit} step={STEPS.factor} title="A second factor for your login">
      <p>
        Your login may move all money, so let a password alone not be enough: add a passkey (your
        phone, your computer or a security key), or an app that shows codes.
      </p>
      <div class="actions">
        <a class="button" href={`${BASE}/profile`}>Add a second factor</a>
        <Later to="/begin/network" />
      </div>
    </SetUpPage>
  ),
});

const networkPage = page({
  path: "/begin/network",
  ability: "operate",
  show: (visit) => (
    <SetUpPage guest={visit} step={STEPS.network} title="Your first network">
      <p>
        CPG reads the chain from a node that you trust, your own or a provider's. "Getting a node"
        in <code>docs/operate.md</code>{" "}
        says where one comes from. It is asked at once, and a node of another chain is refused.
      </p>
      <Form visit={visit} action="/begin/network/try">
        <Select
          visit={visit}
          name="preset"
          label="Network"
          options={CATALOGUE.map(({ code, name }) => ({ value: code, label: name }))}
        />
        <Field
          visit={visit}
          name="rpc_url"
          label="Node URL"
          hint="JSON-RPC over http or https, with name and password if it asks for them"
          type="url"
          isRequired
        />
        <div class="actions">
          <Submit>Try this node</Submit>
          <Later to="/begin/merchant" />
        </div>
      </Form>
      <p class="quiet small">
        Another chain, or a test network such as Sepolia?{" "}
        <a href={`${BASE}/networks/new`}>Add it by its node</a>, and come back.
      </p>
    </SetUpPage>
  ),
});

const PRESET = kind.choice(CATALOGUE.map(({ code }) => code));

const tryAct = act({
  path: "/begin/network/try",
  ability: "operate",
  on: networkPage,
  isSensitive: true,
  run: async (visit) => {
    const { code, url } = visit.form.read((fields) => ({
      code: fields.required("preset", PRESET),
      url: fields.required("rpc_url", kind.webUrl),
    }));
    const preset = CATALOGUE.find((one) => one.code === code)!;
    const seen = await lookAtNode(visit.deps, { family: preset.family, rpcUrls: [url] });
    if (seen.identity.chainId !== preset.chainId) {
      throw fieldFault("rpc_url", `This node is on ${chainOf(seen)}, not on ${preset.name}`);
    }
    return (
      <SetUpPage guest={visit} step={STEPS.network} title={`${preset.name} answers`}>
        <p class="message done">The node is on {preset.name}, and this is what it can do.</p>
        <Facts rows={abilitiesOf(preset, seen)} />
        <Form visit={visit} action="/begin/network">
          <input type="hidden" name="preset" value={code} />
          <input type="hidden" name="rpc_url" value={url} />
          <div class="actions">
            <Submit>Add {preset.name}</Submit>
            <a class="button plain" href={`${BASE}/begin/network`}>Another node</a>
          </div>
        </Form>
      </SetUpPage>
    );
  },
});

function chainOf({ identity: { chainId }, preset }: NodeSeen): string {
  return preset?.name ?? `chain ${chainId}`;
}

function abilitiesOf(preset: Preset, { tip, canTrace }: NodeSeen): [string, string][] {
  const { native, tokens, minConfirmations, finality } = preset;
  const isFinal = finality === "finalized" ? ", and once the chain calls its block final" : "";
  return [
    ["Newest block", String(tip.height)],
    [
      "Last final block",
      tip.finalizedHeight === null ? "not reported" : String(tip.finalizedHeight),
    ],
    ...hasOutputs(preset) ? [] : [
      [
        "Coins sent by contracts",
        canTrace ? "are seen at once" : "are found later, by reconcile: it serves no traces",
      ] satisfies [string, string],
    ],
    ["Coins", [native.symbol, ...tokens.map(({ symbol }) => symbol)].join(", ")],
    ["A deposit counts", `after ${minConfirmations} blocks${isFinal}`],
  ];
}

const networkAct = formOf(NETWORK_ADD, {
  path: "/begin/network",
  on: networkPage,
  isSensitive: true,
  fields: { names: ["preset", "rpc-url"] },
  to: "/begin/merchant",
  said: ({ code }) => `${code} added. Its blocks are read from now on`,
});

const merchantPage = page({
  path: "/begin/merchant",
  ability: "operate",
  show: async (visit) => {
    const coins = await coinsOf(visit);
    return (
      <SetUpPage guest={visit} step={STEPS.merchant} title="Your first merchant and coins">
        <p>
          A merchant has balances, keys and logins of its own. If you sell yourself, that is you.
        </p>
        <Form visit={visit} action="/begin/merchant">
          <FlagFields visit={visit} operation={CREATE_ACCOUNT} names={["name"]} focused="name" />
          {coins.map((coin, i) => <Coin visit={visit} coin={coin} at={i} />)}
          {coins.length === 0 && (
            <p class="message warn">
              There is no network yet, so there are no coins:{" "}
              <a href={`${BASE}/begin/network`}>add one first</a>.
            </p>
          )}
          <p class="hint">
            What is below the smallest deposit is credited but not moved by itself, because moving
            it costs more than it is worth. The fee of a payout is yours, and pays the network's.
          </p>
          <div class="actions">
            <Submit>Create merchant</Submit>
            <Later to="/begin/phrase" />
          </div>
        </Form>
      </SetUpPage>
    );
  },
});

/** Of the network that was added first. */
async function coinsOf({ deps }: Visit) {
  const { networks, currencies } = await deps.catalog.current();
  return currencies.filter((row) => row.network === networks[0]?.code && row.isActive);
}

type CoinRow = Awaited<ReturnType<typeof coinsOf>>[number];

const COIN_FIELDS = [
  ["min_deposit", "Smallest deposit", "minDeposit"],
  ["min_payout", "Smallest payout", "minPayout"],
  ["fee", "Fee of a payout", "fee"],
] as const;

const Coin = ({ visit, coin: { symbol }, at }: { visit: Visit; coin: CoinRow; at: number }) => {
  const suggested = suggestedLimits(symbol);
  return (
    <fieldset class="coin">
      <legend>
        <label class="check">
          <input
            type="checkbox"
            name="coin"
            value={symbol}
            checked={!visit.fault || visit.form.values.getAll("coin").includes(symbol)}
          />
          <span>{symbol}</span>
        </label>
      </legend>
      <div class="pair">
        {COIN_FIELDS.map(([name, label, limit]) => (
          <Field
            visit={visit}
            name={`${name}_${at}`}
            label={label}
            value={suggested[limit]}
            inputmode="decimal"
            isFilter
          />
        ))}
      </div>
    </fieldset>
  );
};

const merchantAct = formOf(CREATE_ACCOUNT, {
  path: "/begin/merchant",
  on: merchantPage,
  fields: { names: ["name"] },
  run: async (visit, { flags: { name } }) => {
    const { deps, form, actor } = visit;
    const coins = await coinsOf(visit);
    const wanted = form.read((fields) =>
      coins.map((coin, i) => ({
        coin,
        change: {
          minDepositAmount: fields.optional(`min_deposit_${i}`, kind.amount) ?? "0",
          minWithdrawalAmount: fields.optional(`min_payout_${i}`, kind.amount) ?? "0",
          feeFlat: fields.optional(`fee_${i}`, kind.amount) ?? "0",
        },
      }))
    ).filter(({ coin }) => form.values.getAll("coin").includes(coin.symbol));
    // Whatever is refused is refused before there is an account.
    for (const { coin: { network, symbol }, change } of wanted) {
      await setCurrency(deps, { network, symbol, change, actor });
    }
    const { id: accountId } = await createAccount(deps, { name, actor });
    for (const { coin: { network, symbol: currency } } of wanted) {
      const switches = { isDepositEnabled: true, isWithdrawalEnabled: true, isOperator: true };
      await enableCurrency(deps, { accountId, network, currency, ...switches, actor });
    }
    const symbols = wanted.map(({ coin }) => coin.symbol).join(", ");
    return done("/begin/phrase", `${name} takes ${symbols || "no coins yet"}`);
  },
});

/**
 * Undefined: it may be shown. Whoever sees it can take everything, so a page shows it only to the
 * one person who sets up an installation without money; the command line shows it later.
 */
async function whyNoPhrase(visit: Visit): Promise<string | undefined> {
  const { hasMoney, logins, isPhraseKept } = await setUpFacts(visit.deps.db);
  if (isPhraseKept) return "You have repeated words of it, so no page shows it any more.";
  if (hasMoney) return "Money has been booked already, so no page shows it any more.";
  if (logins !== 1) return "There are other logins already, so no page shows it any more.";
  if (!isPrivate(visit)) {
    return "Whoever is between you and this machine could read it: this page has no https.";
  }
  return undefined;
}

/** A proxy may name this machine in its requests, and so may any client. */
function isPrivate({ facts: { publicUrl }, url, origin }: Visit): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "https:" ||
    [hostname, url.hostname, origin.ip].every((name) => LOOPBACK.test(name));
}

const phrasePage = page({
  path: "/begin/phrase",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const why = await whyNoPhrase(visit);
    if (why !== undefined) {
      return (
        <SetUpPage guest={visit} step={STEPS.phrase} title="Your recovery phrase">
          <p>{why} The command line does, on the machine itself:</p>
          <p class="secret">
            <code>deno task cpg seed show</code>
          </p>
          <div class="actions">
            <a class="button" href={`${BASE}/begin/end`}>Continue</a>
          </div>
        </SetUpPage>
      );
    }
    return (
      <SetUpPage guest={visit} step={STEPS.phrase} title="Your recovery phrase">
        <p>
          Every address comes from a few words. Whoever has them has all the money; without them,
          nobody can save it when this machine is lost. Take paper and a pen, and let nobody look
          over your shoulder.
        </p>
        <Form visit={visit} action="/begin/phrase">
          <div class="actions">
            <Submit>Show the words</Submit>
            <Later to="/begin/end" />
          </div>
        </Form>
      </SetUpPage>
    );
  },
});

/** Asked for by a form, so that nothing shows them by itself. */
const phraseAct = act({
  path: "/begin/phrase",
  ability: "operate",
  on: phrasePage,
  run: async (visit) => {
    if (await whyNoPhrase(visit) !== undefined) return done("/begin/phrase");
    const words = (await showSeed(visit.deps, visit)).split(" ");
    return (
      <SetUpPage guest={visit} step={STEPS.phrase} title="Write these words down">
        <ol class="codes secret">
          {words.map((word) => (
            <li>
              <code>{word}</code>
            </li>
          ))}
        </ol>
        <p class="message warn">
          On paper, in this order. No photo, no mail, no file. They are shown here only until you
          have repeated three of them.
        </p>
        <div class="actions">
          <a class="button" href={`${BASE}/begin/phrase/words`}>I have written them down</a>
          <Later to="/begin/end" />
        </div>
      </SetUpPage>
    );
  },
});

const wordsPage = page({
  path: "/begin/phrase/words",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    if (await whyNoPhrase(visit) !== undefined) return done("/begin/phrase");
    const places = visit.fault
      ? placesIn(visit)
      : drawn((await openSeed(visit.deps)).split(" ").length);
    return (
      <SetUpPage guest={visit} step={STEPS.phrase} title="Three of your words">
        <p>So that you can be sure of your paper.</p>
        <Form visit={visit} action="/begin/phrase/words">
          <input type="hidden" name="places" value={places.join(" ")} />
          {places.map((place, i) => (
            <Field
              visit={visit}
              name={`word_${place}`}
              label={`Word ${place}`}
              isFocused={i === 0}
              maxlength={20}
              isRequired
            />
          ))}
          <div class="actions">
            <Submit>Check</Submit>
            <a class="button plain" href={`${BASE}/begin/phrase`}>Show them again</a>
          </div>
        </Form>
      </SetUpPage>
    );
  },
});

/** Places of words, from 1, in order. */
function drawn(words: number): number[] {
  const places = new Set<number>();
  while (places.size < ASKED_WORDS) places.add(randomInt(1, words + 1));
  return [...places].toSorted((one, other) => one - other);
}

function placesIn({ form }: Visit): number[] {
  const places = form.text("places").split(" ").map(Number);
  const isRight = new Set(places).size === ASKED_WORDS &&
    places.every((place) => Number.isInteger(place) && place >= 1 && place <= 24);
  if (!isRight) throw new OperatorError("Open the page with the words again");
  return places;
}

const wordsAct = act({
  path: "/begin/phrase/words",
  ability: "operate",
  on: wordsPage,
  isSensitive: true,
  run: async (visit) => {
    if (await whyNoPhrase(visit) !== undefined) return done("/begin/phrase");
    const places = placesIn(visit);
    const words = (await openSeed(visit.deps)).split(" ");
    const wrong = places.filter((place) =>
      visit.form.text(`word_${place}`).trim().toLowerCase() !== words[place - 1]
    );
    if (wrong.length > 0) {
      const text = "That is another word than the phrase has there";
      throw new FormFault(text, new Map(wrong.map((place) => [`word_${place}`, text])));
    }
    await noteSeedKept(visit.deps, visit);
    return done("/begin/end", "Your paper is right. Keep it where only you find it");
  },
});

const endPage = page({
  path: "/begin/end",
  ability: "operate",
  show: async (visit) => {
    const [account] = await accountPage(visit.deps.db, {
      cursor: null,
      isOldestFirst: true,
      limit: 1,
    });
    return (
      <SetUpPage guest={visit} step={STEPS.end} title="Try it with a little">
        {account && <FirstPayment visit={visit} accountId={account.id} />}
        <h2>Before real money</h2>
        <BeforeMoneyList visit={visit} />
        <p class="quiet small">
          <code>docs/operate.md</code> explains each of them.
        </p>
        <div class="actions">
          <a class="button" href={BASE}>Go to Home</a>
        </div>
      </SetUpPage>
    );
  },
});

const leaveOutAct = act({
  path: "/begin/end/leave-out",
  ability: "operate",
  on: endPage,
  run: async (visit) => {
    const thing = visit.form.read((fields) => fields.required("thing", kind.choice(BEFORE_MONEY)));
    await leaveOut(visit.deps, { thing, actor: visit.actor });
    return done("/begin/end", "Nothing reminds you of it any more");
  },
});

const FirstPayment = async ({ visit, accountId }: { visit: Visit; accountId: number }) => {
  const owed = await firstOwed(visit, accountId);
  if (owed === undefined) {
    return (
      <p class="message warn">
        The merchant takes no coins yet: <a href={`${BASE}/currencies`}>enable one first</a>.
      </p>
    );
  }
  return (
    <>
      <p>
        Create an invoice, pay it yourself, and watch it arrive. Your server gets a key of its own:
        {" "}
        <a href={`${BASE}/keys/new?account=${accountId}`}>create a key</a>.
      </p>
      <Form visit={visit} action="/begin/invoice">
        <input type="hidden" name="account" value={String(accountId)} />
        <input type="hidden" name="amount" value={owed.amount} />
        <input type="hidden" name="currency" value={owed.currency} />
        <Submit>Create an invoice over {moneyText(owed.amount, owed)}</Submit>
      </Form>
    </>
  );
};

/**
 * One unit of the shop's money, if a coin has a price in it by now; or else a little of a coin
 * itself, which needs no price.
 */
async function firstOwed(
  { deps }: Visit,
  accountId: number,
): Promise<{ amount: string; currency: string } | undefined> {
  const { enabled, world } = await coinsOfAccount(deps, accountId);
  const quote = await quoteOf(deps, accountId);
  const prices = await Promise.all(
    enabled.map(({ symbol: base }) => rateIfAny(deps, { base, quote, world })),
  );
  if (prices.some((price) => price !== null)) return { amount: "1", currency: quote };
  const coin = enabled.find(({ symbol }) => isDollar(symbol)) ?? enabled[0];
  return coin && { amount: trialAmount(coin), currency: coin.symbol };
}

const invoiceAct: ActRoute = {
  ...formOf(CREATE_INVOICE, {
    path: "/begin/invoice",
    on: endPage,
    fields: { names: ["amount", "currency"] },
    to: (_, { invoice_id }) => `/invoices/${invoice_id}`,
    said: () => "This is your first invoice: open the payer's page, and pay it",
  }),
  ability: "operate",
};

type StepRoute = PageRoute | ActRoute;

/** A step that was done leads on, whoever comes back to it. */
function until(isDone: (visit: Visit) => Promise<boolean>, route: StepRoute): StepRoute {
  return before(route, async (visit) => await isDone(visit) ? done("/begin") : undefined);
}

function whileOn(route: StepRoute): StepRoute {
  return before(route, ({ facts }) => {
    if (isSetUpOff(facts)) throw new NotFound();
  });
}

function before(
  route: StepRoute,
  first: (visit: Visit) => Promise<Done | undefined> | void,
): StepRoute {
  if (route.kind === "page") {
    return { ...route, show: async (visit) => await first(visit) ?? await route.show(visit) };
  }
  return { ...route, run: async (visit) => await first(visit) ?? await route.run(visit) };
}

async function hasNetwork({ deps }: Visit): Promise<boolean> {
  return (await deps.catalog.current()).networks.length > 0;
}

async function hasMerchant({ deps }: Visit): Promise<boolean> {
  return (await setUpFacts(deps.db)).hasAccount;
}

export const BEGIN_ROUTES: readonly StepRoute[] = [
  ...[beginPage, loginPage],
  ...[networkPage, tryAct, networkAct].map((route) => until(hasNetwork, route)),
  ...[merchantPage, merchantAct].map((route) => until(hasMerchant, route)),
  ...[phrasePage, phraseAct, wordsPage, wordsAct, endPage, leaveOutAct, invoiceAct],
].map(whileOn);
