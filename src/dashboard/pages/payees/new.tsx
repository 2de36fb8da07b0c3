import { payeeAdd } from "../../../actions/policies/payees.ts";
import * as kind from "../../../domain/kinds.ts";
import { durationText } from "../../../domain/time.ts";
import type { AccountRow } from "../../../store/tables/setup.ts";
import { AccountChoice, accountChosen, accountOf } from "../../parts/account.tsx";
import { Card, utcText } from "../../parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { act, done, page } from "../../routes.ts";
import { changeOrPropose, waitsText } from "../../words/proposals.ts";
import type { Visit } from "../../visit.ts";

/** Only commands shorten it: whoever takes over a session must wait as well. */
const USABLE_AFTER_MS = 86_400_000;
const LABEL_MAX = 80;

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
        <Field
          visit={visit}
          name="label"
          label="Name"
          hint="Who it is"
          maxlength={LABEL_MAX}
          isRequired
        />
        <Select
          visit={visit}
          name="network"
          label="Network"
          options={networks.map(({ code, name }) => ({ value: code, label: name }))}
        />
        <Field visit={visit} name="address" label="Address" isMono isRequired />
        <Submit>Add payee</Submit>
      </Form>
    </Card>
  );
};

const addAct = act({
  path: "/payees/new",
  ability: "pay",
  on: newPayeePage,
  isSensitive: true,
  run: async (visit) => {
    const { id: accountId } = await accountChosen(visit);
    const typed = visit.form.read((fields) => ({
      label: fields.required("label", kind.text({ max: LABEL_MAX })),
      network: fields.required("network", kind.networkCode),
      address: fields.required("address", kind.text({ max: 256 })),
    }));
    const wanted = { ...typed, accountId, usableAfterMs: USABLE_AFTER_MS };
    const outcome = await changeOrPropose(visit, payeeAdd, { wanted });
    const to = `/payees?account=${accountId}`;
    if (outcome.proposal) return done(to, waitsText(outcome.proposal));
    const { row: { label, usableAtMs }, looksLike } = outcome.done;
    if (looksLike === undefined) {
      return done(to, `"${label}" can be used from ${utcText(usableAtMs)} on`);
    }
    const text = `"${label}" is added, but its address looks like ${looksLike}, which is known: ` +
      "if somebody sent it to you, compare every character";
    return { to, flash: { kind: "fault", text } };
  },
});

export const NEW_PAYEE_ROUTES = [newPayeePage, addAct];
