import { enableCurrency } from "../../accounts/enable_currency.ts";
import * as kind from "../../domain/kinds.ts";
import type { AccountCurrencyRow, AccountRow, CurrencyRow } from "../../store/tables/setup.ts";
import { accountAsked } from "../../dashboard/parts/account.tsx";
import { Status } from "../../dashboard/parts/facts.tsx";
import { Form } from "../../dashboard/parts/form.tsx";
import type { Column } from "../../dashboard/parts/table.tsx";
import { type Done, done } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import { coinText } from "../../dashboard/words/assets.ts";

const SAID = { deposit: "deposits", withdrawal: "payouts" } as const;

interface Switched {
  readonly row: CurrencyRow;
  readonly on: AccountCurrencyRow | undefined;
}

export function switchColumns(visit: Visit, account: AccountRow): Column<Switched>[] {
  return [
    {
      title: "Deposits",
      cell: ({ row, on }) => (
        <Switch
          visit={visit}
          account={account}
          row={row}
          what="deposit"
          isOn={on?.isDepositEnabled ?? false}
          isBarred={on?.isDepositBarred ?? false}
        />
      ),
    },
    {
      title: "Payouts",
      cell: ({ row, on }) => (
        <Switch
          visit={visit}
          account={account}
          row={row}
          what="withdrawal"
          isOn={on?.isWithdrawalEnabled ?? false}
          isBarred={on?.isWithdrawalBarred ?? false}
        />
      ),
    },
  ];
}

interface SwitchProps {
  readonly visit: Visit;
  readonly account: AccountRow;
  readonly row: CurrencyRow;
  readonly what: keyof typeof SAID;
  readonly isOn: boolean;
  readonly isBarred: boolean;
}

const Switch = (props: SwitchProps) => {
  const { visit, account, row, what, isOn, isBarred } = props;
  if (!visit.isAble("set_up_account")) return <Status value={isOn ? "on" : "off"} />;
  return (
    <Form visit={visit} action="/currencies/switch" isInline>
      <input type="hidden" name="account" value={String(account.id)} />
      <input type="hidden" name="network" value={row.network} />
      <input type="hidden" name="currency" value={row.symbol} />
      <input type="hidden" name="what" value={what} />
      <Status value={isOn ? "on" : "off"} />
      {isBarred && <span class="quiet small">Switched off by the operator</span>}
      <SwitchButton {...props} to={isOn ? "off" : "on"} isDisabled={isBarred && !visit.isOperator}>
        {isOn ? "Switch off" : "Switch on"}
      </SwitchButton>
      {visit.isOperator && !isOn && !isBarred && (
        <SwitchButton {...props} to="off">Keep off</SwitchButton>
      )}
    </Form>
  );
};

const SwitchButton = (
  { row, what, to, isDisabled, children }: SwitchProps & {
    to: "on" | "off";
    isDisabled?: boolean;
    children?: string;
  },
) => (
  <button
    type="submit"
    class="link"
    name="to"
    value={to}
    disabled={isDisabled}
    aria-label={`${children} ${SAID[what]} of ${coinText({ ...row, currency: row.symbol })}`}
  >
    {children}
  </button>
);

export async function switchCurrency(visit: Visit): Promise<Done> {
  const { deps, form, actor } = visit;
  const account = await accountAsked(visit, form.text("account"));
  if (!account) throw new NotFound();
  const { network, currency, what, to } = form.read((fields) => ({
    network: fields.required("network", kind.networkCode),
    currency: fields.required("currency", kind.symbol),
    what: fields.required("what", kind.choice(["deposit", "withdrawal"])),
    to: fields.required("to", kind.onOff),
  }));
  const { about } = await enableCurrency(deps, {
    accountId: account.id,
    network,
    currency,
    actor,
    isOperator: visit.isOperator,
    isDepositEnabled: what === "deposit" ? to : undefined,
    isWithdrawalEnabled: what === "withdrawal" ? to : undefined,
  });
  const path = visit.seesAll ? `/currencies?account=${account.id}` : "/currencies";
  const said = `${coinText({ currency, network })}: ${SAID[what]} are ${to ? "on" : "off"}`;
  return done(path, to && about !== null ? `${said}. ${about}` : said);
}
