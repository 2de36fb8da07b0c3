import { networkOptions } from "../../dashboard/parts/filters.tsx";
import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { type FieldsOf, formOf } from "../../dashboard/asking.ts";
import { AccountChoice, accountOf } from "../../dashboard/parts/account.tsx";
import { Card, utcText } from "../../dashboard/parts/facts.tsx";
import { FlagFields, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { done, page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { durationText } from "../../domain/time.ts";
import { ADD_PAYEE } from "../operations.ts";
import { payeeAdd } from "../payees.ts";
import { changeOrPropose, waitsText } from "../../proposals/words.ts";

/** Only commands shorten the wait: whoever takes over a session must wait as well. */
const FIELDS: FieldsOf<typeof ADD_PAYEE.flags> = { names: ["label", "network", "address"] };
const USABLE_AFTER_MS = ADD_PAYEE.flags["usable-after"].fallback;

const newPayeePage = page({
  path: "/payees/new",
  ability: "pay",
  isSensitive: true,
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="New payee" up={{ path: "/payees", label: "Payees" }}>
        <AccountChoice visit={visit} account={account} />
        {account && <NewPayee visit={visit} account={account} />}
      </Page>
    );
  },
});

const NewPayee = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const { networks } = await visit.deps.catalog.current();
  return (
    <Card>
      <p>
        It counts as a payee after{" "}
        {durationText(USABLE_AFTER_MS)}, and is an ordinary recipient until then.
      </p>
      <Form visit={visit} action="/payees/new">
        <input type="hidden" name="account" value={String(account.id)} />
        <FlagFields
          visit={visit}
          operation={ADD_PAYEE}
          {...FIELDS}
          options={{ network: networkOptions(networks) }}
        />
        <Submit>Add payee</Submit>
      </Form>
    </Card>
  );
};

const addAct = formOf(ADD_PAYEE, {
  path: "/payees/new",
  on: newPayeePage,
  isSensitive: true,
  fields: FIELDS,
  run: async (visit, { flags: { account: accountId, network, address, label } }) => {
    const wanted = { accountId, network, address, label, usableAfterMs: USABLE_AFTER_MS };
    const outcome = await changeOrPropose(visit, payeeAdd, { wanted });
    const to = `/payees?account=${accountId}`;
    if (outcome.proposal) return done(to, waitsText(outcome.proposal));
    const { row: { usableAtMs }, looksLike } = outcome.done;
    if (looksLike === undefined) {
      return done(to, `"${label}" can be used from ${utcText(usableAtMs)} on`);
    }
    const text = `"${label}" is added, but its address looks like ${looksLike}, which is known: ` +
      "if somebody sent it to you, compare every character";
    return { to, flash: { kind: "fault", text } };
  },
});

export const NEW_PAYEE_ROUTES = [newPayeePage, addAct];
