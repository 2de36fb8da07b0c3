import { addCurrency, setCurrency } from "../../../actions/networks/currencies.ts";
import { familyOf } from "../../../chains/registry.ts";
import { freeOfCharge } from "../../../actions/withdrawals/free_of_charge.ts";
import { readToken, type TokenOnChain } from "../../../actions/networks/read_token.ts";
import * as kind from "../../../domain/kinds.ts";
import type { CurrencyRow, NetworkRow } from "../../../store/tables/setup.ts";
import { Card, Facts } from "../../parts/facts.tsx";
import { Check, Field, Form, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { act, done, type Html, OPERATORS, page } from "../../routes.ts";
import type { Fields } from "../../form.ts";
import { NotFound, type Visit } from "../../visit.ts";
import { theNetwork } from "./network.tsx";

const NODE_MS = 1_000;
const CONTRACT = kind.text({ max: 100 });
const UP = ({ code, name }: NetworkRow) => ({ path: `/networks/${code}`, label: name });

async function theCurrency(visit: Visit): Promise<{ network: NetworkRow; row: CurrencyRow }> {
  const network = await theNetwork(visit);
  const catalog = await visit.deps.catalog.current();
  const row = catalog.currency(network.code, visit.param("symbol"));
  if (!row) throw new NotFound();
  return { network, row };
}

const currencyPage = page({
  path: "/networks/:code/currencies/:symbol",
  roles: OPERATORS,
  show: async (visit) => {
    const { network, row } = await theCurrency(visit);
    const [warning] = await freeOfCharge(visit.deps, { rows: [row], waitMs: NODE_MS });
    return (
      <Page visit={visit} title={`${row.symbol} on ${network.name}`} up={UP(network)}>
        {warning && <p class="message warn">{warning}.</p>}
        <Card>
          <Form visit={visit} action={`/networks/${network.code}/currencies/${row.symbol}`}>
            <Check
              visit={visit}
              name="active"
              label="Accepts new payments"
              isOn={row.isActive}
            />
            <Field visit={visit} name="name" label="Name" value={row.name} isRequired />
            <LimitFields visit={visit} row={row} />
            {row.gasMax !== null && <GasField visit={visit} value={String(row.gasMax)} />}
            <Submit>Save</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const NO_LIMITS = {
  minDepositAmount: "0",
  minWithdrawalAmount: "0",
  feeFlat: "0",
  feePercent: "0",
  sweepMinAmount: "0",
  nativeRate: null,
};

const LimitFields = (
  { visit, row }: { visit: Visit; row: Pick<CurrencyRow, keyof typeof NO_LIMITS> },
) => {
  const number = (name: string, label: string, value: string | null, hint?: string) => (
    <Field
      visit={visit}
      name={name}
      label={label}
      inputmode="decimal"
      isRequired
      value={value ?? "0"}
      hint={hint}
    />
  );
  return (
    <div class="pair">
      {number(
        "min_deposit",
        "Minimum deposit",
        row.minDepositAmount,
        "Smaller deposits are credited but flagged",
      )}
      {number("min_withdrawal", "Minimum withdrawal", row.minWithdrawalAmount)}
      {number("fee_flat", "Flat fee", row.feeFlat)}
      {number("fee_percent", "Fee in %", row.feePercent)}
      {number("sweep_min", "Minimum sweep", row.sweepMinAmount, "Smaller amounts wait")}
      {number("native_rate", "Value in native coins", row.nativeRate, "Approximate; 0 if unknown")}
    </div>
  );
};

const GasField = ({ visit, value }: { visit: Visit; value: string }) => (
  <Field
    visit={visit}
    name="gas_max"
    label="Maximum gas for code"
    inputmode="numeric"
    value={value}
    hint="Gas that the recipient's or the token's code may use beyond a plain transfer. A payment that needs more is refused."
  />
);

/** If left empty, it stays as it is, or gets the default for tokens. */
function gasMaxOf(fields: Fields): { gasMax?: number } {
  const gasMax = fields.optional("gas_max", kind.gasMax);
  return gasMax === undefined ? {} : { gasMax };
}

const limitsOf = (fields: Fields) => ({
  name: fields.required("name", kind.text({ max: 100 })),
  minDepositAmount: fields.required("min_deposit", kind.amount),
  minWithdrawalAmount: fields.required("min_withdrawal", kind.amount),
  feeFlat: fields.required("fee_flat", kind.amount),
  feePercent: fields.required("fee_percent", kind.percent),
  sweepMinAmount: fields.required("sweep_min", kind.amount),
  nativeRate: fields.required("native_rate", kind.rate),
  ...gasMaxOf(fields),
});

const setAct = act({
  path: "/networks/:code/currencies/:symbol",
  on: currencyPage,
  isSensitive: true,
  run: async (visit) => {
    const { row: { network, symbol } } = await theCurrency(visit);
    const change = visit.form.read((fields) => ({
      ...limitsOf(fields),
      isActive: fields.ticked("active"),
    }));
    await setCurrency(visit.deps, { network, symbol, change, actor: visit.actor });
    return done(`/networks/${network}`, `${symbol}: settings saved`);
  },
});

const addTokenPage = page({
  path: "/networks/:code/add-token",
  roles: OPERATORS,
  isSensitive: true,
  show: async (visit) => {
    const network = await theNetwork(visit);
    return (
      <Page visit={visit} title={`Add a token on ${network.name}`} up={UP(network)}>
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
  on: addTokenPage,
  run: (visit) => confirmToken(visit),
});

async function confirmToken(visit: Visit): Promise<Html> {
  const token = await tokenOf(visit);
  const { network, contract, decimals } = token;
  return (
    <Page visit={visit} title={`${token.symbol} on ${network.name}`} up={UP(network)}>
      {token.isNamesake && (
        <p class="message warn">
          There is already a currency {token.symbol} on{" "}
          {network.code}. Anyone can give a token any name: compare the contract with the issuer's
          site, and choose another symbol.
        </p>
      )}
      <Card>
        <Facts
          rows={[
            ["Contract", <code class="whole">{contract}</code>],
            ["Name on the chain", `${token.name} (${token.symbol})`],
            ["Decimals", decimals],
          ]}
        />
        <Form visit={visit} action={`/networks/${network.code}/add-token/confirm`}>
          <input type="hidden" name="contract" value={contract} />
          <Field visit={visit} name="symbol" label="Symbol" value={token.symbol} isRequired />
          <Field visit={visit} name="name" label="Name" value={token.name} isRequired />
          <LimitFields visit={visit} row={NO_LIMITS} />
          <GasField visit={visit} value={String(familyOf(network.family).gasMax.tokens)} />
          <Submit>Add token</Submit>
        </Form>
      </Card>
    </Page>
  );
}

const confirmationPage = page({
  path: "/networks/:code/add-token",
  roles: OPERATORS,
  isSensitive: true,
  show: confirmToken,
});

const addTokenAct = act({
  path: "/networks/:code/add-token/confirm",
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

export const CURRENCY_EDIT_ROUTES = [currencyPage, setAct, addTokenPage, lookAct, addTokenAct];
