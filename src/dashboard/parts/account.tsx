import type { Component } from "../../base/html.ts";
import { fewAccounts } from "../../store/few_rows.ts";
import type { AccountRow } from "../../store/rows.ts";
import { Accounts } from "../../store/setup_tables.ts";
import { NotFound, type Visit } from "../visit.ts";
import { Card } from "./facts.tsx";
import { Field, Select } from "./form.tsx";
import { Filter } from "./table.tsx";

/**
 * The account that a page or form is about: a merchant's own, whatever was asked for. Undefined: an
 * operator has not said which.
 */
export async function accountOf(
  visit: Visit,
  text: string = visit.form.text("account") || (visit.query.get("account") ?? ""),
): Promise<AccountRow | undefined> {
  const id = visit.accountWanted(text);
  if (id === null) {
    if (text !== "" || visit.form.values.has("account")) throw new NotFound();
    return undefined;
  }
  const account = await visit.deps.db.find(Accounts, [id]);
  if (!account) throw new NotFound();
  return account;
}

const NAMED_MAX = 100;

/** Operators say whose, by name while there are few; merchants need not. */
export const AccountPicker: Component<{ visit: Visit; account: AccountRow | undefined }> = async (
  { visit, account },
) => {
  if (!visit.isOperator) return null;
  const rows = await fewAccounts(visit.deps.db, NAMED_MAX);
  const value = account ? String(account.id) : "";
  const options = rows?.map(({ id, name }) => ({ value: String(id), label: `${id}: ${name}` }));
  return (
    <Card title={account ? `For account ${account.id}, ${account.name}` : "For which account?"}>
      <Filter visit={visit}>
        {options
          ? <Select {...{ visit, name: "account", label: "Account", options, value }} />
          : (
            <Field
              {...{ visit, name: "account", label: "Account number", inputmode: "numeric", value }}
              isFilter
            />
          )}
      </Filter>
    </Card>
  );
};
