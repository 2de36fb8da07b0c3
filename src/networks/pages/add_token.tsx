import { addCurrency } from "../currencies.ts";
import { readToken, type TokenOnChain } from "../read_token.ts";
import { familyOf } from "../../chains/registry.ts";
import * as kind from "../../domain/kinds.ts";
import { Card, Facts } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, type Html, page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { GasField, LimitFields, limitsOf, NO_LIMITS } from "./_limits.tsx";
import { theNetwork, upTo } from "./network.tsx";

const CONTRACT = kind.text({ max: 100 });

const addTokenPage = page({
  path: "/networks/:code/add-token",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const network = await theNetwork(visit);
    return (
      <Page visit={visit} title={`Add a token on ${network.name}`} up={upTo(network)}>
        <Card>
          <Form visit={visit} action={`/networks/${network.code}/add-token`}>
            <Field
              visit={visit}
              name="contract"
              label="Contract address"
              isMono
              hint="Copy it from the issuer's own site. Name, symbol and decimals are read from the chain."
              isRequired
            />
            <Submit>Look up token</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const lookAct = act({
  path: "/networks/:code/add-token",
  ability: "operate",
  on: addTokenPage,
  run: (visit) => confirmToken(visit),
});

async function confirmToken(visit: Visit): Promise<Html> {
  const token = await tokenOf(visit);
  const { network } = token;
  return (
    <Page visit={visit} title={`${token.symbol} on ${network.name}`} up={upTo(network)}>
      {token.isNamesake && <Namesake token={token} />}
      <Card>
        <OnChain token={token} />
        <NewToken visit={visit} token={token} />
      </Card>
    </Page>
  );
}

const Namesake = ({ token: { symbol, network } }: { token: TokenOnChain }) => (
  <p class="message warn">
    There is already a currency {symbol} on{" "}
    {network.code}. Anyone can give a token any name: compare the contract with the issuer's site,
    and choose another symbol.
  </p>
);

const OnChain = ({ token: { contract, name, symbol, decimals } }: { token: TokenOnChain }) => (
  <Facts
    rows={[
      ["Contract", <code class="whole">{contract}</code>],
      ["Name on the chain", `${name} (${symbol})`],
      ["Decimals", decimals],
    ]}
  />
);

const NewToken = ({ visit, token }: { visit: Visit; token: TokenOnChain }) => (
  <Form visit={visit} action={`/networks/${token.network.code}/add-token/confirm`}>
    <input type="hidden" name="contract" value={token.contract} />
    <Field visit={visit} name="symbol" label="Symbol" value={token.symbol} isRequired />
    <Field visit={visit} name="name" label="Name" value={token.name} isRequired />
    <LimitFields visit={visit} row={NO_LIMITS} />
    <GasField visit={visit} value={String(familyOf(token.network.family).gasMax.tokens)} />
    <Submit>Add token</Submit>
  </Form>
);

const confirmationPage = page({
  path: "/networks/:code/add-token",
  ability: "operate",
  isSensitive: true,
  show: confirmToken,
});

const addTokenAct = act({
  path: "/networks/:code/add-token/confirm",
  ability: "operate",
  on: confirmationPage,
  run: async (visit) => {
    const { network, contract, decimals } = await tokenOf(visit);
    const order = visit.form.read((fields) => ({
      ...limitsOf(fields),
      symbol: fields.required("symbol", kind.symbol),
    }));
    const currency = { ...order, network: network.code, contractAddress: contract, decimals };
    const row = await addCurrency(visit.deps, { currency, actor: visit.actor });
    return done(`/networks/${network.code}`, `${row.symbol} added. Enable it for accounts next`);
  },
});

/** Asked again when it is added, because a form can't be trusted about decimals. */
async function tokenOf(visit: Visit): Promise<TokenOnChain> {
  const { code } = await theNetwork(visit);
  const { contract } = visit.form.read((fields) => ({
    contract: fields.required("contract", CONTRACT),
  }));
  return await readToken(visit.deps, { network: code, contract });
}

export const ADD_TOKEN_ROUTES = [addTokenPage, lookAct, addTokenAct];
