import type { Component } from "../../base/html.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { fewAccounts } from "../../store/reads/few_rows.ts";
import { type AccountRow, Accounts } from "../../store/tables/setup.ts";
import { NotFound, type Visit } from "../visit.ts";
import { Card, shortText } from "./facts.tsx";
import { Field, Select } from "./form.tsx";
import { Filter, withQuery } from "./table.tsx";

/** The account of a page or form: always a merchant's own. Undefined: an operator hasn't chosen one. */
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

/** For forms that need an account. */
export async function accountChosen(visit: Visit): Promise<AccountRow> {
  const account = await accountOf(visit, visit.form.text("account"));
  if (account) return account;
  throw new OperatorError("Choose an account first");
}

/** More names would weigh more than the rest of a page. */
const NAMED_MAX = 30;

interface ChoiceProps {
  readonly visit: Visit;
  readonly account: AccountRow | undefined;
  readonly word?: string;
  /** What the page is about belongs to it. */
  readonly isFixed?: boolean;
}

/**
 * Operators choose, merchants needn't. Once chosen it is shown as text, because a second choice
 * beside the form might differ from the form's.
 */
export const AccountChoice: Component<ChoiceProps> = (
  { visit, account, word = "For", isFixed = false },
) => {
  if (!visit.seesAll) return null;
  if (!account) return <AccountPicker visit={visit} />;
  return (
    <p class="whole">
      {word} <strong>{accountSaid(account)}</strong>.{" "}
      {!isFixed && <a href={withQuery(visit, { account: null })}>Choose another account</a>}
    </p>
  );
};

/** For a question before something is done, in which braces stand for what was typed. */
export function askedName(account: AccountRow | undefined): string {
  return account ? `${account.name.replace(/[{}]/g, "")} (account ${account.id})` : "no account";
}

export function accountSaid({ id, name }: AccountRow): string {
  return `account ${id}, ${name}`;
}

/** To choose from by name; undefined if there are too many. */
export async function accountOptions(
  { deps: { db } }: Visit,
): Promise<{ value: string; label: string }[] | undefined> {
  const rows = await fewAccounts(db, NAMED_MAX);
  return rows?.map(({ id, name }) => ({ value: String(id), label: `${id}: ${shortText(name)}` }));
}

const AccountPicker: Component<{ visit: Visit }> = async ({ visit }) => {
  const options = await accountOptions(visit);
  return (
    <Card title="Choose an account">
      <Filter visit={visit}>
        {options
          ? <Select visit={visit} name="account" label="Account" options={options} />
          : (
            <Field
              visit={visit}
              name="account"
              label="Account number"
              inputmode="numeric"
              isFilter
            />
          )}
      </Filter>
    </Card>
  );
};
