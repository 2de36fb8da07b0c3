import type { FC } from "hono/jsx";
import type { AccountRow } from "../../store/rows.ts";
import { Accounts } from "../../store/setup_tables.ts";
import { NotFound, type Visit } from "../visit.ts";
import { Card } from "./facts.tsx";
import { Field } from "./form.tsx";
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

/** Operators say whose; merchants need not. */
export const AccountPicker: FC<{ visit: Visit; account: AccountRow | undefined }> = (
  { visit, account },
) => {
  if (!visit.isOperator) return null;
  return (
    <Card title={account ? `For account ${account.id}, ${account.name}` : "For which account?"}>
      <Filter visit={visit}>
        <Field
          {...{ visit, name: "account", label: "Account number", inputmode: "numeric" }}
          value={account ? String(account.id) : ""}
          isFilter
        />
      </Filter>
    </Card>
  );
};
