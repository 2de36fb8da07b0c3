import { Card } from "../../dashboard/parts/facts.tsx";
import { Check, Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import { setCurrency } from "../currencies.ts";
import { GasField, LimitFields, limitsOf } from "./_limits.tsx";
import { theNetwork, upTo } from "./network.tsx";
import type { CurrencyRow, NetworkRow } from "../table.ts";
import { freeOfCharge } from "../../withdrawals/free_of_charge.ts";

const NODE_MS = 1_000;

async function theCurrency(visit: Visit): Promise<{ network: NetworkRow; row: CurrencyRow }> {
  const network = await theNetwork(visit);
  const catalog = await visit.deps.catalog.current();
  const row = catalog.currency(network.code, visit.param("symbol"));
  if (!row) throw new NotFound();
  return { network, row };
}

const currencyPage = page({
  path: "/networks/:code/currencies/:symbol",
  ability: "operate",
  show: async (visit) => {
    const { network, row } = await theCurrency(visit);
    const [warning] = await freeOfCharge(visit.deps, { rows: [row], waitMs: NODE_MS });
    return (
      <Page
        visit={visit}
        title={visit.coin({ currency: row.symbol, network: network.code })}
        up={upTo(network)}
      >
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

const setAct = act({
  path: "/networks/:code/currencies/:symbol",
  ability: "operate",
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

export const CURRENCY_EDIT_ROUTES = [currencyPage, setAct];
