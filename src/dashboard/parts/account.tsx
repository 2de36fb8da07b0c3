import { type AccountRow, Accounts } from "../../accounts/tables/accounts.ts";
import type { Component } from "../../base/html.ts";
import { Card, shortText } from "./facts.tsx";
import { Field, Select } from "./form.tsx";
import { Filter, withQuery } from "./table.tsx";
import { NotFound, type Visit } from "../visit.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { fewAccounts } from "../../store/reads/few_rows.ts";

/**
 * The account of a page: always a merchant's own, and the only one if there are no others.
 * Undefined: an operator hasn't chosen one.
 */
export async function accountOf(visit: Visit): Promise<AccountRow | undefined> {
  const text = visit.form.text("account") || (visit.query.get("account") ?? "");
  return await accountAsked(visit, text) ?? await onlyAccount(visit);
}

async function onlyAccount({ deps: { db } }: Visit): Promise<AccountRow | undefined> {
  const rows = await fewAccounts(db, 1);
  return rows?.[0];
}

/** Whether it says something to the visitor whose money it is. */
export async function seesSeveral(visit: Visit): Promise<boolean> {
  return visit.seesAll && await onlyAccount(visit) === undefined;
}

/** Undefined: all of them. */
export async function accountAsked(
  visit: Visit,
  text: string = visit.query.get("account") ?? "",
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
  const account = await accountAsked(visit, visit.form.text("account"));
  if (account) return account;
  throw new OperatorError("Choose an account first");
}

/** More names would be larger than the rest of a page. */
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
export const AccountChoice: Component<ChoiceProps> = async (
  { visit, account, word = "For", isFixed = false },
) => {
  if (!visit.seesAll) return null;
  if (!account) return <AccountPicker visit={visit} />;
  const isOnly = isFixed || await onlyAccount(visit) !== undefined;
  return (
    <p class="whole">
      {word} <strong>{accountSaid(account)}</strong>.{" "}
      {!isOnly && <a href={withQuery(visit, { account: null })}>Choose another account</a>}
    </p>
  );
};

/** A page's path that keeps the account, for whoever sees several. */
export function withAccount(
  visit: Visit,
  path: string,
  accountId: number | null = visit.accountWanted(),
): string {
  return visit.seesAll && accountId !== null ? `${path}?account=${accountId}` : path;
}

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
